// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ReduceProblem.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/target/VectorAccess.h"
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
  int64_t rank = int64_t(shape.size());
  if (rank > 1 && !reduced.empty() && reduced.back() == rank - 2 &&
      shape.back() <= kMostInterleaved)
    fewColumns = shape.back();
  minorIsReduced = !reduced.empty() && reduced.back() == rank - 1;
  for (Type result : body.getTerminator()->getOperandTypes()) {
    auto type = cast<RankedTensorType>(result);
    bool isPacked = hlo::getStorageBits(type.getElementType()) < 8;
    packsResults |= isPacked;
    packsRows |= isPacked && type.getShape() == shape;
  }
  for (hlo::ReduceOp reduce : all)
    for (Value input : reduce.getInputs()) {
      int64_t bits = hlo::getStorageBits(getElementTypeOrSelf(input));
      packsOperands |= bits < 8;
      // Narrow floats are folded in f32.
      totalBytes += 3 * std::max<int64_t>(4, bits / 8);
    }
  auto count = [&](TypeRange types, int64_t &whole) {
    for (Type type : types) {
      auto array = cast<RankedTensorType>(type);
      largestBytes = std::max(largestBytes, array.getNumElements() *
                                                hlo::getStorageBits(array.getElementType()) / 8);
      if (array.getNumElements() < innerCount * outerCount)
        continue;
      ++whole;
      narrowest = std::min(narrowest, hlo::getStorageBits(array.getElementType()));
    }
  };
  count(body.getArgumentTypes(), wholeInputs);
  count(body.getTerminator()->getOperandTypes(), wholeResults);
}

ReduceProblem::Columns ReduceProblem::getColumns(int64_t width) const {
  Columns all{1, 0};
  for (int64_t d : llvm::reverse(kept)) {
    if (!reduced.empty() && d < reduced.back())
      break;
    all.count *= shape[d];
    ++all.dimensions;
  }
  int64_t minor = keptSizes.back();
  bool isMinorAlone = all.dimensions <= 1 || (minor >= width && minor % width != 0);
  return isMinorAlone ? Columns{minor, 1} : all;
}

bool ReduceProblem::isGathered(int64_t width) const {
  if (minorIsReduced || keptSizes.empty())
    return minorIsReduced && width > 1;
  return width > keptSizes.back() && getColumns(width).count < outerCount;
}

} // namespace hloc
