// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `update`: a dynamic_update_slice that writes its slice into the operand's memory.
// Short contiguous rows, such as those that each iteration of a scan stores, are joined, and so are
// columns (passes/schedule/UpdateProblem.h). The schedule decides how
// (passes/schedule/UpdateStrategies.cpp). Test: test/codegen/update-rows.hlo.
#include "codegen/KernelEmission.h"
#include "passes/schedule/UpdateProblem.h"

using namespace mlir;

namespace hloc {

LogicalResult emitUpdateKernel(KernelContext &context) {
  IndexBuilder &index = context.index;
  hlo::DynamicUpdateSliceOp update = findUpdate(context.getBody());
  if (!update)
    return context.kernel.emitError("expected an update kernel to return one dynamic_update_slice");
  UpdateProblem problem(update, context.getBody());
  ArrayRef<int64_t> shape = problem.shape;
  if (llvm::is_contained(shape, 0)) {
    context.schedule.units = 0;
    return success();
  }
  ElementIndex starts = emitStartIndices(context.emitter, update);
  auto placeOf = [&](ArrayRef<VectorIndex> at) {
    ElementIndex place;
    for (auto [start, x] : llvm::zip(starts, at))
      place.push_back(index.add(start, x));
    return place;
  };
  auto storeAt = [&](ArrayRef<VectorIndex> at, Mask mask) {
    VectorValue value = context.emitter.emit(update.getUpdate(), at, mask);
    if (!context.emitter.hasFailed())
      storeElements(index, context.getOutput(0), placeOf(at), value, mask);
  };
  if (shape.empty()) {
    storeAt({}, {});
    return success();
  }
  index.setLanes(context.chosen.getLanes());
  if (context.chosen.getStrategy() == "update.few_minor") {
    buildRows(context, shape.drop_back(), /*parallel=*/true,
              [&](ArrayRef<VectorIndex> row, Mask mask) {
                SmallVector<VectorValue> values;
                SmallVector<ElementIndex> places;
                for (int64_t minor = 0; minor < shape.back(); ++minor) {
                  ElementIndex at(row);
                  at.push_back(index.uniform(minor));
                  places.push_back(placeOf(at));
                  values.push_back(context.emitter.emit(update.getUpdate(), at, mask));
                }
                if (context.emitter.hasFailed() ||
                    (!mask && storeTogether(index, context.getOutput(0), places[0], values, {})))
                  return;
                for (auto [place, value] : llvm::zip(places, values))
                  storeElements(index, context.getOutput(0), place, value, mask);
              });
    return success();
  }
  SmallVector<int64_t> walked(shape.take_front(problem.first));
  walked.push_back(problem.length);
  buildRows(context, walked, /*parallel=*/true, [&](ArrayRef<VectorIndex> at, Mask mask) {
    ElementIndex full(at.drop_back());
    full.resize(shape.size(), index.uniform(0));
    full[problem.last] = at.back();
    storeAt(full, mask);
  });
  return success();
}

} // namespace hloc
