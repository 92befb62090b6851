// SPDX-License-Identifier: Apache-2.0
// What gathers and scatters share: the positions at which windows fit within run-time sizes.

#ifndef HLOC_PASSES_BOUNDEDINDEXING_H
#define HLOC_PASSES_BOUNDEDINDEXING_H

#include "passes/bounded/BoundedArray.h"

namespace hloc {

/// A vector of the last position at which a window fits, size - extent, along each dimension in
/// `mapped`. Null if all of them are static.
mlir::Value lastPlaces(BoundedBuild &build, const BoundedArray &operand,
                       llvm::ArrayRef<int64_t> mapped, llvm::ArrayRef<mlir::Value> extents);

/// Broadcasts a vector of index components, or its only element, to all index vectors of `indices`.
mlir::Value forIndexVectors(BoundedBuild &build, mlir::Value vector, mlir::Value indices,
                            int64_t vectorDim);

/// The dimensions in [0, rank) that are in neither list.
llvm::SmallVector<int64_t> restOf(int64_t rank, llvm::ArrayRef<int64_t> without,
                                  llvm::ArrayRef<int64_t> orWithout = {});

} // namespace hloc

#endif
