// SPDX-License-Identifier: Apache-2.0
// Sizes in products of all kinds. Test: test/passes/bounded/contractions.hlo.

#ifndef HLOC_PASSES_BOUNDEDDOTS_H
#define HLOC_PASSES_BOUNDEDDOTS_H

#include "passes/bounded/BoundedArray.h"

namespace hloc {

/// The array, converted to a type that has a zero.
mlir::Value withZero(BoundedBuild &build, mlir::Value array);

/// Both operands of a contraction of dimensions `left` of `lhs` with `right` of `rhs`, with zeros
/// past the sizes; for floats in both operands, since zero times NaN is NaN.
std::pair<mlir::Value, mlir::Value> zeroContracted(BoundedBuild &build, BoundedArray lhs,
                                                   BoundedArray rhs, llvm::ArrayRef<int64_t> left,
                                                   llvm::ArrayRef<int64_t> right);

/// The sizes of a product: of the batch dimensions, then of the free dimensions of both operands.
/// `without` are dimensions of `rhs` that the result does not have.
template <typename Op>
llvm::SmallVector<mlir::Value> getProductSizes(Op op, const BoundedArray &lhs,
                                               const BoundedArray &rhs,
                                               llvm::ArrayRef<int64_t> without = {}) {
  llvm::SmallVector<mlir::Value> sizes;
  for (auto [l, r] : llvm::zip(op.getLhsBatchDims(), op.getRhsBatchDims()))
    sizes.push_back(lhs.sizes[l] ? lhs.sizes[l] : rhs.sizes[r]);
  auto appendFree = [&](const BoundedArray &side, llvm::ArrayRef<int64_t> batch,
                        llvm::ArrayRef<int64_t> contracted, llvm::ArrayRef<int64_t> others) {
    for (int64_t d = 0; d < side.getRank(); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d) &&
          !llvm::is_contained(others, d))
        sizes.push_back(side.sizes[d]);
  };
  appendFree(lhs, op.getLhsBatchDims(), op.getLhsContractingDims(), {});
  appendFree(rhs, op.getRhsBatchDims(), op.getRhsContractingDims(), without);
  return sizes;
}

} // namespace hloc

#endif
