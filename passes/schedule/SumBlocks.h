// SPDX-License-Identifier: Apache-2.0
// Where long sums of products and scans are cut into blocks, so that rounding errors grow only with
// the size of a block (codegen/emit/BlockedSum.h). This is a matter of accuracy, so it is the same
// on every machine.

#ifndef HLOC_PASSES_SCHEDULE_SUMBLOCKS_H
#define HLOC_PASSES_SCHEDULE_SUMBLOCKS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace hloc {

/// About how many terms are added one after the other.
inline constexpr int64_t kSumBlock = 256;

/// The size of nearly equal blocks of [0, size) of about `target` elements.
inline int64_t chooseSumBlock(int64_t size, int64_t target) {
  return llvm::divideCeil(size, std::max<int64_t>(1, size / std::max<int64_t>(1, target)));
}

/// True if a sum of `terms` terms in accumulators of type `element` is made in blocks.
inline bool isBlockedSum(mlir::Type element, int64_t terms) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    element = complex.getElementType();
  return llvm::isa<mlir::FloatType>(element) && terms > 2 * kSumBlock;
}

/// The most blocks whose sums are added without compensation.
inline constexpr int64_t kMaxPlainBlocks = 64;

/// True if the sums of blocks are added with compensation, because there are many blocks.
inline bool isCompensatedSum(mlir::Type element, int64_t terms) {
  return isBlockedSum(element, terms) && terms > kMaxPlainBlocks * kSumBlock;
}

/// Steps of a block of a scan that folds rounded numbers: each block is folded on its own before
/// the carry is folded in, so that errors grow with the size of a block plus the number of blocks,
/// not their product. Scans of less than two blocks are not cut.
inline constexpr int64_t kScanBlock = 32;

/// A reduction along columns sums long runs separately if a stage has at most this many registers
/// of sums (codegen/kernels/reduce).
inline constexpr int64_t kLongRunRegisters = 4;

} // namespace hloc

#endif
