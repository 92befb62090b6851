// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HostTransfers.h"
#include "codegen/program/ElementNames.h"
#include "compiler/hlo/infer/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

HostTransfers::HostTransfers(ModuleOp source, const RunOptions &options, size_t participant)
    : options(options), participant(participant) {
  auto add = [&](Operation *op, int32_t kind, int64_t channel) {
    queues.insert({kind, channel});
    for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                              SmallVector<Type>(op->getResultTypes())))
      for (RankedTensorType array : flattenType(type))
        elementTypes[getElementInfo(array.getElementType()).number] = array.getElementType();
  };
  source.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](hlo::InfeedOp) { add(op, HLORT_INFEED, 0); })
        .Case([&](hlo::OutfeedOp) { add(op, HLORT_OUTFEED, 0); })
        .Case([&](hlo::SendOp send) { add(op, HLORT_SEND, send.getChannelId().value_or(0)); })
        .Case([&](hlo::RecvDoneOp done) { add(op, HLORT_RECV, done.getChannelId().value_or(0)); });
  });
}

void HostTransfers::attach(hlort_context *context) {
  hlort_queue_options handling = {};
  handling.user = this;
  handling.handler = [](void *user, const hlort_transfer *transfer,
                        hlort_status *status) -> int32_t {
    auto *host = static_cast<HostTransfers *>(user);
    if (transfer->kind == HLORT_INFEED || transfer->kind == HLORT_RECV)
      return host->feed(*transfer, *status);
    host->keep(*transfer);
    return HLORT_OK;
  };
  for (auto [kind, channel] : queues)
    hlort_queue_configure(context, kind, channel, &handling, nullptr);
}

void HostTransfers::restart() {
  next = 0;
  given.clear();
}

static SmallVector<int64_t> getMinorToMajor(const hlort_buffer &buffer) {
  SmallVector<int64_t> order;
  for (int32_t i = 0; i < buffer.rank; ++i)
    order.push_back(buffer.minor_to_major ? buffer.minor_to_major[i] : buffer.rank - 1 - i);
  return order;
}

static RankedTensorType getType(const hlort_buffer &buffer, Type elementType) {
  return RankedTensorType::get(ArrayRef(buffer.dims, buffer.rank), elementType);
}

/// The type of an array to write: its size is the bound where the host chooses it.
static RankedTensorType getWrittenType(const hlort_buffer &buffer, const int64_t *sizes,
                                       Type elementType) {
  hlo::Shape shape(elementType);
  for (int32_t d = 0; d < buffer.rank; ++d)
    shape.append(buffer.dims[d], sizes && sizes[d] < 0);
  return shape.getType();
}

int32_t HostTransfers::feed(const hlort_transfer &transfer, hlort_status &status) {
  for (auto [i, buffer] : llvm::enumerate(ArrayRef(transfer.buffers, transfer.count))) {
    int64_t *sizes = transfer.sizes ? transfer.sizes[i] : nullptr;
    RankedTensorType type = getWrittenType(buffer, sizes, elementTypes.lookup(buffer.element_type));
    llvm::Expected<HostArray> array = readInfeed(type, next++, participant, options);
    if (!array)
      return hlort_status_set(
          &status, HLORT_NOT_FOUND, "%s: %s waits for data that the host has not given: %s",
          transfer.place, transfer.kind == HLORT_INFEED ? "infeed" : "recv-done",
          llvm::toString(array.takeError()).c_str());
    if (sizes)
      llvm::copy(array->type.getShape(), sizes);
    toMemory(*array, getMinorToMajor(buffer), static_cast<char *>(buffer.data));
  }
  return HLORT_OK;
}

void HostTransfers::keep(const hlort_transfer &transfer) {
  for (const hlort_buffer &buffer : ArrayRef(transfer.buffers, transfer.count))
    given.push_back(fromMemory(getType(buffer, elementTypes.lookup(buffer.element_type)),
                               getMinorToMajor(buffer), static_cast<const char *>(buffer.data)));
}

} // namespace hloc
