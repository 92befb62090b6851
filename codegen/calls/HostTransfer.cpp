// SPDX-License-Identifier: Apache-2.0
// Infeed, outfeed, and send and recv to the host: hlort_transfer_run with a frame on the stack.
#include "codegen/calls/Calls.h"
#include "codegen/program/ElementNames.h"
#include "compiler/hlo/Location.h"
#include "hlort/transfer.h"

using namespace mlir;

namespace hloc {

// The layouts of the structs that are built below.
static_assert(offsetof(hlort_transfer, kind) == 16 && offsetof(hlort_transfer, channel) == 24 &&
              offsetof(hlort_transfer, buffers) == 40 && offsetof(hlort_transfer, sizes) == 48 &&
              sizeof(hlort_transfer) == 56);
static_assert(offsetof(hlort_buffer, dims) == 8 && offsetof(hlort_buffer, data) == 24 &&
              sizeof(hlort_buffer) == 32);
static_assert(HLORT_INFEED == int(hlo::TransferKind::Infeed) &&
              HLORT_OUTFEED == int(hlo::TransferKind::Outfeed) &&
              HLORT_SEND == int(hlo::TransferKind::Send) &&
              HLORT_RECV == int(hlo::TransferKind::Recv));

/// The sizes of an array's dimensions in the host's order; the type has them in the order of
/// memory.
static SmallVector<int64_t> getHostSizes(MemRefType type, DenseI64ArrayAttr minorToMajor) {
  SmallVector<int64_t> sizes(type.getRank());
  for (auto [position, dimension] : llvm::enumerate(minorToMajor.asArrayRef()))
    sizes[dimension] = type.getDimSize(type.getRank() - 1 - position);
  return sizes;
}

/// An array of hlort_buffer in the host's layouts.
static Value buildBuffers(RuntimeCallBuilder &call, ValueRange arrays, ValueRange pointers,
                          ArrayAttr layouts) {
  Value memory = call.site.stack(sizeof(hlort_buffer) * std::max<size_t>(arrays.size(), 1));
  for (auto [i, array] : llvm::enumerate(arrays)) {
    auto type = cast<MemRefType>(array.getType());
    auto minorToMajor = cast<DenseI64ArrayAttr>(layouts[i]);
    int64_t rank = type.getRank(), base = sizeof(hlort_buffer) * i;
    bool rowMajor = true;
    for (auto [position, dimension] : llvm::enumerate(minorToMajor.asArrayRef()))
      rowMajor &= dimension == rank - 1 - int64_t(position);
    call.put(memory, base, call.i32(getElementInfo(type.getElementType()).number));
    call.put(memory, base + 4, call.i32(rank));
    call.put(memory, base + 8, call.numbers(getHostSizes(type, minorToMajor)));
    call.put(memory, base + 16, rowMajor ? call.null() : call.numbers(minorToMajor.asArrayRef()));
    call.put(memory, base + 24, pointers[i]);
  }
  return memory;
}

/// A table with a pointer to the sizes of each array, null for arrays of static shape; null if all
/// are static. Sizes that infeed and recv get from the host are -1 before.
static Value buildSizes(RuntimeCallBuilder &call, ValueRange arrays, ArrayRef<Value> sizes,
                        ArrayAttr layouts) {
  auto bounded = call.getParameter<ArrayAttr>("bounded");
  if (!bounded)
    return call.null();
  SmallVector<Value> table;
  for (auto [array, dimensions, layout] : llvm::zip(arrays, bounded.getAsRange<DenseI64ArrayAttr>(),
                                                    layouts.getAsRange<DenseI64ArrayAttr>())) {
    if (dimensions.empty()) {
      table.push_back(call.null());
      continue;
    }
    Value memory = table.emplace_back(sizes.front());
    sizes = sizes.drop_front();
    SmallVector<int64_t> dims = getHostSizes(cast<MemRefType>(array.getType()), layout);
    for (int64_t d = 0; call.op.getInputs().empty() && d < int64_t(dims.size()); ++d)
      call.put(memory, 8 * d,
               call.i64(llvm::is_contained(dimensions.asArrayRef(), d) ? -1 : dims[d]));
  }
  return call.table(table);
}

LogicalResult emitHostTransfer(RuntimeCallBuilder &call) {
  RuntimeCallSite &site = call.site;
  SmallVector<Value> arrays(call.op.getInputs()), pointers(site.inputs);
  llvm::append_range(arrays, call.op.getOutputs());
  llvm::append_range(pointers, site.outputs);
  auto kind = call.getParameter<hlo::TransferKindAttr>("kind");
  auto layouts = call.getParameter<ArrayAttr>("layouts");
  ArrayRef<Value> data = ArrayRef(arrays).take_front(layouts.size());
  Value buffers = buildBuffers(call, data, pointers, layouts);
  Value sizes = buildSizes(call, data, ArrayRef(pointers).drop_front(data.size()), layouts);
  Value frame = site.stack(sizeof(hlort_transfer));
  call.put(frame, 0, call.text(hlo::getInstructionName(call.op.getLoc())));
  call.put(frame, 8, call.text(call.getPlace()));
  call.put(frame, 16, call.i32(int32_t(kind.getValue())));
  call.put(frame, 20, call.i32(0));
  call.put(frame, 24, call.i64(call.getParameter<IntegerAttr>("channel").getInt()));
  call.put(frame, 32, call.i64(data.size()));
  call.put(frame, 40, buffers);
  call.put(frame, 48, sizes);
  call.call("hlort_transfer_run", {site.context, frame, site.status});
  return success();
}

} // namespace hloc
