// SPDX-License-Identifier: Apache-2.0
// Where long sums of products and scans are cut, so that rounding errors grow with the size of a
// block alone (codegen/emit/BlockedSum.h). A matter of accuracy: the same on every machine.

#ifndef HLOC_PASSES_SCHEDULE_SUMBLOCKS_H
#define HLOC_PASSES_SCHEDULE_SUMBLOCKS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace hloc {

/// Terms that are added one after the other, about.
inline constexpr int64_t kSumBlock = 256;

/// The size of blocks of [0, size) which are about `target` each and nearly equal.
inline int64_t chooseSumBlock(int64_t size, int64_t target) {
  return llvm::divideCeil(size, std::max<int64_t>(1, size / std::max<int64_t>(1, target)));
}

/// Whether a sum of `terms` terms in accumulators of type `element` is to be made in blocks.
inline bool isBlockedSum(mlir::Type element, int64_t terms) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    element = complex.getElementType();
  return llvm::isa<mlir::FloatType>(element) && terms > 2 * kSumBlock;
}

/// Sums of blocks that are added up without keeping their errors.
inline constexpr int64_t kMaxPlainBlocks = 64;

/// Whether the sums of blocks are so many that errors of adding them up are kept as well.
inline bool isCompensatedSum(mlir::Type element, int64_t terms) {
  return isBlockedSum(element, terms) && terms > kMaxPlainBlocks * kSumBlock;
}

/// Steps of a scan that folds numbers which are rounded: they are folded by themselves before they
/// meet what came before, so that errors grow with the size of a block and the number of blocks,
/// not their product. Scans of less than two blocks have none.
inline constexpr int64_t kScanBlock = 32;

/// Registers of sums of a stage of a reduction along columns up to which each of them sums long
/// runs apart (codegen/kernels/reduce).
inline constexpr int64_t kLongRunRegisters = 4;

} // namespace hloc

#endif
