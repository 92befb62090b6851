// SPDX-License-Identifier: Apache-2.0
// Custom calls that only inform a partitioner or a placer: their results are their operands. One
// that requests a real change of shape is refused.

#include "custom/Call.h"

#include <algorithm>
#include <cstring>

namespace hloc::runtime {

static void copyElements(const hlort_custom_call_frame &frame, const hlort_buffer &from,
                         const hlort_buffer &to) {
  int32_t bits = hlort_element_bits(from.element_type);
  int64_t count = elementCount(from);
  if (from.element_type != to.element_type || from.rank != to.rank ||
      !std::equal(from.dims, from.dims + from.rank, to.dims))
    fail(frame, HLORT_UNSUPPORTED, "expected the result to have the operand's type and dimensions");
  if (bits == 0 || count == 0 || from.data == to.data)
    return;
  int64_t fromStrides[maxRank], toStrides[maxRank];
  computeStrides(from, fromStrides);
  computeStrides(to, toStrides);
  bool sameOrder = true;
  for (int32_t d = 0; d < from.rank; ++d)
    sameOrder &= fromStrides[d] == toStrides[d] || from.dims[d] == 1;
  if (sameOrder) {
    std::memcpy(to.data, from.data, size_t((count * bits + 7) / 8));
    return;
  }
  if (bits < 8)
    fail(frame, HLORT_UNSUPPORTED, "expected equal layouts of types below a byte");
  int64_t index[maxRank] = {}, fromAt = 0, toAt = 0;
  size_t bytes = size_t(bits / 8);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<char *>(to.data) + size_t(toAt) * bytes,
                static_cast<const char *>(from.data) + size_t(fromAt) * bytes, bytes);
    for (int32_t d = from.rank - 1; d >= 0; --d) {
      fromAt += fromStrides[d];
      toAt += toStrides[d];
      if (++index[d] < from.dims[d])
        break;
      index[d] = 0;
      fromAt -= fromStrides[d] * from.dims[d];
      toAt -= toStrides[d] * from.dims[d];
    }
  }
}

static void copyOperands(const hlort_custom_call_frame &frame) {
  expectCounts(frame, frame.operand_count, frame.operand_count);
  for (int64_t i = 0; i < frame.operand_count; ++i)
    copyElements(frame, frame.operands[i], frame.results[i]);
}

/// For calls whose results, if any, may have any contents.
static void doNothing(const hlort_custom_call_frame &) {}

BuiltinCall findIdentityCall(std::string_view target) {
  for (std::string_view name :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement",
        "MoveToHost", "MoveToDevice", "LayoutConstraint", "ShardBarrierFrom", "ShardBarrierTo",
        "Pin", "Unpin"})
    if (target == name)
      return copyOperands;
  if (target.starts_with("xla.sdy."))
    return copyOperands;
  for (std::string_view name :
       {"AllocateBuffer", "CreateBuffer", "dce_sink", "InspectSharding", "control_dep"})
    if (target == name)
      return doNothing;
  return nullptr;
}

} // namespace hloc::runtime
