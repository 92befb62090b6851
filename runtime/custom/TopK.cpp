// SPDX-License-Identifier: Apache-2.0
// TopK: the k largest elements of each row, largest first, and their indices.
//
// Elements compare in the total order of their bits (+NaN above infinity, -0 below +0); of equal
// ones, the first comes first.

#include "custom/Call.h"
#include "threads/ParallelFor.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace hloc::runtime {

namespace {

/// An element's key in the total order, and its index.
struct Candidate {
  uint64_t key;
  int64_t index;
  bool operator<(const Candidate &other) const { // comes before
    return key > other.key || (key == other.key && index < other.index);
  }
};

enum class Number { Unsigned, Signed, Float };

} // namespace

/// Maps the bits of an element to an unsigned number of the same order.
template <typename Bits, Number kind> static uint64_t orderedKey(Bits bits) {
  constexpr Bits top = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  if (kind == Number::Signed)
    return Bits(bits ^ top);
  if (kind == Number::Float)
    return bits & top ? Bits(~bits) : Bits(bits | top);
  return bits;
}

/// Leaves the k first candidates of a row of n >= k elements at the front of `best`, in order.
/// Elements that come after k others already seen are not stored.
template <typename Bits, Number kind>
static void selectRow(const Bits *row, int64_t n, int64_t k, std::vector<Candidate> &best) {
  best.clear();
  if (k == 0)
    return;
  const size_t full = size_t(2 * k + 64);
  uint64_t threshold = 0;
  bool limited = false;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t key = orderedKey<Bits, kind>(row[i]);
    // An equal key further back cannot displace one that is kept.
    if (limited && key <= threshold)
      continue;
    best.push_back({key, i});
    if (best.size() == full) {
      std::nth_element(best.begin(), best.begin() + (k - 1), best.end());
      best.resize(size_t(k));
      threshold = best[size_t(k - 1)].key;
      limited = true;
    }
  }
  std::partial_sort(best.begin(), best.begin() + std::min<int64_t>(k, int64_t(best.size())),
                    best.end());
}

template <typename Bits, Number kind> static void topK(const hlort_custom_call_frame &frame) {
  const hlort_buffer &in = frame.operands[0];
  int64_t n = in.dims[in.rank - 1], k = frame.results[0].dims[in.rank - 1];
  int64_t rows = n ? elementCount(in) / n : 0;
  int64_t rowsPerTask = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(n, 1));
  auto *values = static_cast<Bits *>(frame.results[0].data);
  auto *indices = static_cast<int32_t *>(frame.results[1].data);
  parallelFor(frame.context, (rows + rowsPerTask - 1) / rowsPerTask,
              [&](int64_t begin, int64_t end) {
                std::vector<Candidate> best;
                for (int64_t r = begin * rowsPerTask; r < std::min(rows, end * rowsPerTask); ++r) {
                  const Bits *row = static_cast<const Bits *>(in.data) + r * n;
                  selectRow<Bits, kind>(row, n, k, best);
                  for (int64_t i = 0; i < k; ++i) {
                    values[r * k + i] = row[best[size_t(i)].index];
                    indices[r * k + i] = int32_t(best[size_t(i)].index);
                  }
                }
              });
}

static bool isRowMajor(const hlort_buffer &buffer) {
  if (buffer.minor_to_major)
    for (int32_t i = 0; i < buffer.rank; ++i)
      if (buffer.minor_to_major[i] != buffer.rank - 1 - i)
        return false;
  return true;
}

static void callTopK(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 2);
  const hlort_buffer &in = frame.operands[0], &values = frame.results[0],
                     &indices = frame.results[1];
  bool fits = in.rank >= 1 && values.rank == in.rank && indices.rank == in.rank &&
              values.element_type == in.element_type && indices.element_type == HLORT_S32;
  for (int32_t d = 0; fits && d < in.rank; ++d)
    fits = values.dims[d] == indices.dims[d] &&
           (d + 1 < in.rank ? values.dims[d] == in.dims[d] : values.dims[d] <= in.dims[d]);
  if (!fits)
    fail(frame, HLORT_INVALID_ARGUMENT,
         "expected results [batch, k] of the operand's type and of s32 for an operand [batch, n]");
  if (!isRowMajor(in) || !isRowMajor(values) || !isRowMajor(indices))
    fail(frame, HLORT_UNSUPPORTED, "expected row-major layouts");
  switch (in.element_type) {
  case HLORT_F32:
    return topK<uint32_t, Number::Float>(frame);
  case HLORT_F64:
    return topK<uint64_t, Number::Float>(frame);
  case HLORT_F16:
  case HLORT_BF16:
    return topK<uint16_t, Number::Float>(frame);
  case HLORT_S8:
    return topK<uint8_t, Number::Signed>(frame);
  case HLORT_S16:
    return topK<uint16_t, Number::Signed>(frame);
  case HLORT_S32:
    return topK<uint32_t, Number::Signed>(frame);
  case HLORT_S64:
    return topK<uint64_t, Number::Signed>(frame);
  case HLORT_PRED:
  case HLORT_U8:
    return topK<uint8_t, Number::Unsigned>(frame);
  case HLORT_U16:
    return topK<uint16_t, Number::Unsigned>(frame);
  case HLORT_U32:
    return topK<uint32_t, Number::Unsigned>(frame);
  case HLORT_U64:
    return topK<uint64_t, Number::Unsigned>(frame);
  default:
    fail(frame, HLORT_UNSUPPORTED, "no order for this element type");
  }
}

BuiltinCall findTopKCall(std::string_view target) { return target == "TopK" ? callTopK : nullptr; }

} // namespace hloc::runtime
