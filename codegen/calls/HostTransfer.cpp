// SPDX-License-Identifier: Apache-2.0
// Infeed, outfeed, and send and recv to the host: hlort_transfer_run with a frame on the stack.
#include "codegen/calls/Calls.h"
#include "codegen/program/ElementNames.h"
#include "compiler/hlo/Location.h"
#include "hlort/transfer.h"

using namespace mlir;

namespace hloc {

// The structs as they are built below.
static_assert(offsetof(hlort_transfer, kind) == 16 && offsetof(hlort_transfer, channel) == 24 &&
              offsetof(hlort_transfer, buffers) == 40 && sizeof(hlort_transfer) == 48);
static_assert(offsetof(hlort_buffer, dims) == 8 && offsetof(hlort_buffer, data) == 24 &&
              sizeof(hlort_buffer) == 32);
static_assert(HLORT_INFEED == int(hlo::TransferKind::Infeed) &&
              HLORT_OUTFEED == int(hlo::TransferKind::Outfeed) &&
              HLORT_SEND == int(hlo::TransferKind::Send) &&
              HLORT_RECV == int(hlo::TransferKind::Recv));

/// An array of hlort_buffer as the host sees them: in its layouts.
static Value buildBuffers(RuntimeCallBuilder &call, ValueRange arrays, ValueRange pointers,
                          ArrayAttr layouts) {
  Value memory = call.site.stack(sizeof(hlort_buffer) * std::max<size_t>(arrays.size(), 1));
  for (auto [i, array] : llvm::enumerate(arrays)) {
    auto type = cast<MemRefType>(array.getType());
    ArrayRef<int64_t> minorToMajor = cast<DenseI64ArrayAttr>(layouts[i]).asArrayRef();
    int64_t rank = type.getRank(), base = sizeof(hlort_buffer) * i;
    SmallVector<int64_t> sizes(rank);
    bool rowMajor = true;
    for (auto [position, dimension] : llvm::enumerate(minorToMajor)) {
      sizes[dimension] = type.getDimSize(rank - 1 - position);
      rowMajor &= dimension == rank - 1 - int64_t(position);
    }
    call.put(memory, base, call.i32(getElementInfo(type.getElementType()).number));
    call.put(memory, base + 4, call.i32(rank));
    call.put(memory, base + 8, call.numbers(sizes));
    call.put(memory, base + 16, rowMajor ? call.null() : call.numbers(minorToMajor));
    call.put(memory, base + 24, pointers[i]);
  }
  return memory;
}

LogicalResult emitHostTransfer(RuntimeCallBuilder &call) {
  RuntimeCallSite &site = call.site;
  SmallVector<Value> arrays(call.op.getInputs()), pointers(site.inputs);
  llvm::append_range(arrays, call.op.getOutputs());
  llvm::append_range(pointers, site.outputs);
  auto kind = call.getParameter<hlo::TransferKindAttr>("kind");
  Value buffers = buildBuffers(call, arrays, pointers, call.getParameter<ArrayAttr>("layouts"));
  Value frame = site.stack(sizeof(hlort_transfer));
  call.put(frame, 0, call.text(hlo::getInstructionName(call.op.getLoc())));
  call.put(frame, 8, call.text(call.getPlace()));
  call.put(frame, 16, call.i32(int32_t(kind.getValue())));
  call.put(frame, 20, call.i32(0));
  call.put(frame, 24, call.i64(call.getParameter<IntegerAttr>("channel").getInt()));
  call.put(frame, 32, call.i64(arrays.size()));
  call.put(frame, 40, buffers);
  call.call("hlort_transfer_run", {site.context, frame, site.status});
  return success();
}

} // namespace hloc
