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
  index.setLanes(lanes);
  size_t leading = 0;
  int64_t units = 1, count = ShapedType::getNumElements(shape);
  while (leading + 1 < shape.size() && units < 64)
    units *= shape[leading++];
  context.setUnits(units, double(count) / units * estimateCyclesPerElement(context.getBody(), lanes));
  Value begin = units == 1 ? index.constant(0) : context.getBegin();
  Value end = units == 1 ? index.constant(1) : context.getEnd();
  buildFor(context, begin, end, 1, {}, [&](Value unit, ValueRange) {
    ElementIndex outer = reshapeIndex(index, units, shape.take_front(leading), index.uniform(unit));
    buildNest(context, shape.slice(leading, shape.size() - leading - 1), {}, [&](ArrayRef<LaneIndex> inner, ValueRange) {
      return buildLanes(context, shape.back(), {}, [&](LaneIndex minor, Mask mask, ValueRange) {
        ElementIndex at(outer);
        at.append(inner.begin(), inner.end());
        at.push_back(minor);
        storeAt(at, mask);
        return SmallVector<Value>();
      });
    });
    return SmallVector<Value>();
  });
  return success();
}

} // namespace hloc
