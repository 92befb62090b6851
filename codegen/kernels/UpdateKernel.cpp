// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `update`: a dynamic_update_slice that writes its slice into the operand's memory.
#include "codegen/KernelEmission.h"

using namespace mlir;

namespace hloc {

LogicalResult emitUpdateKernel(KernelContext &context) {
  IndexBuilder &index = context.index;
  auto update = context.getReturn().getOperand(0).getDefiningOp<hlo::DynamicUpdateSliceOp>();
  if (!update || context.getReturn().getNumOperands() != 1)
    return context.kernel.emitError("expected an update kernel to return one dynamic_update_slice");
  auto whole = cast<RankedTensorType>(update.getOperand().getType()).getShape();
  auto shape = cast<RankedTensorType>(update.getUpdate().getType()).getShape();
  if (llvm::is_contained(shape, 0)) {
    context.schedule.units = 0;
    return success();
  }
  ElementIndex starts;
  for (size_t d = 0; d < shape.size(); ++d)
    starts.push_back(emitStartIndex(context.emitter, update.getStartIndices(), d, whole[d] - shape[d], {}));
  auto storeAt = [&](ArrayRef<LaneIndex> at, Mask mask) {
    Lanes value = context.emitter.emit(update.getUpdate(), at, mask);
    if (context.emitter.hasFailed())
      return;
    ElementIndex place;
    for (auto [start, x] : llvm::zip(starts, at))
      place.push_back(index.add(start, x));
    storeElements(index, context.getOutput(0), place, value, mask);
  };
  if (shape.empty()) {
    storeAt({}, {});
    return success();
  }
  int64_t lanes = context.target.getLanes(getWidestElement(context.getBody()));
  while (lanes > 1 && lanes / 2 >= shape.back())
    lanes /= 2;
  // Parts of rows may begin within a byte.
  if (context.packsOutputs() && (shape.back() != whole.back() || whole.back() % 8 != 0))
    lanes = 1;
  index.setLanes(lanes);
  buildRows(context, shape, estimateCyclesPerElement(context.getBody(), lanes), /*parallel=*/true, storeAt);
  return success();
}

} // namespace hloc
