// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ScanProblem.h"
#include "compiler/hlo/ElementType.h"
#include "passes/Build.h"
#include "passes/schedule/SumBlocks.h"

using namespace mlir;

namespace hloc {

/// True if `body` returns its carries as its other results too, computed from one input each, and
/// nothing else.
static bool givesCarries(hlo::ScanOp op, hlo::ComputationOp body) {
  int64_t count = op.getNumCarries(), arrays = int64_t(op.getArrays().size());
  auto result = dyn_cast<hlo::ReturnOp>(body.getBody().front().getTerminator());
  if (!op.getIsAssociative().value_or(false) || arrays != 2 * count ||
      int64_t(op->getNumResults()) != 2 * count || !result ||
      int64_t(result.getNumOperands()) != 2 * count)
    return false;
  for (int64_t i = 0; i < count; ++i)
    if (result.getOperand(i) != result.getOperand(count + i) ||
        arrayType(op.getArrays()[i]).getElementType() !=
            arrayType(op.getArrays()[count + i]).getElementType())
      return false;
  return true;
}

ScanProblem::ScanProblem(hlo::ScanOp op, hlo::ComputationOp body)
    : shape(cast<RankedTensorType>(op.getArrays()[0].getType()).getShape()),
      dimension(op.getDimensions()[0]), steps(shape[dimension]),
      outputs(int64_t(op->getNumResults()) - op.getNumCarries()) {
  for (auto [d, size] : llvm::enumerate(shape))
    if (int64_t(d) != dimension) {
      sliceShape.push_back(size);
      slices *= size;
    }
  isFold = body && givesCarries(op, body);
  auto carries = op.getArrays().take_back(op.getNumCarries());
  bool rounds = llvm::any_of(
      carries, [](Value carry) { return !isa<IntegerType>(arrayType(carry).getElementType()); });
  isBlocked = isFold && rounds && steps >= 2 * kScanBlock;
  sharesBytes = llvm::any_of(op->getResults(), [](Value value) {
    return hlo::getStorageBits(arrayType(value).getElementType()) < 8;
  });
}

} // namespace hloc
