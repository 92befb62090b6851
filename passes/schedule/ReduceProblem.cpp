// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ReduceProblem.h"
#include "compiler/hlo/ElementType.h"
#include "passes/kernels/ArraySizes.h"

using namespace mlir;

namespace hloc {

ReduceProblem::ReduceProblem(Block &body) : widest(getWidestElement(body)) {
  auto all = body.getOps<hlo::ReduceOp>();
  hlo::ReduceOp first = *all.begin();
  reductions = std::distance(all.begin(), all.end());
  shape = cast<RankedTensorType>(first.getInputs()[0].getType()).getShape();
  reduced = SmallVector<int64_t>(first.getDimensions());
  llvm::sort(reduced);
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    bool gone = llvm::is_contained(reduced, d);
    (gone ? reducedSizes : keptSizes).push_back(shape[d]);
    (gone ? innerCount : outerCount) *= shape[d];
    if (!gone)
      kept.push_back(d);
  }
  minorIsReduced = !reduced.empty() && reduced.back() == int64_t(shape.size()) - 1;
  for (Type result : body.getTerminator()->getOperandTypes()) {
    auto type = cast<RankedTensorType>(result);
    bool isPacked = hlo::getStorageBits(type.getElementType()) < 8;
    packsResults |= isPacked;
    packsRows |= isPacked && type.getShape() == shape;
  }
}

} // namespace hloc
