// SPDX-License-Identifier: Apache-2.0
// Recognizes constants, splats, permutations and the like.

#ifndef HLOC_PASSES_MATCH_H
#define HLOC_PASSES_MATCH_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/APSInt.h"

namespace hloc {

/// True if the elements of the result are elements of the only operand, whatever their values:
/// broadcast, reshape, reverse, slice, transpose.
bool isRearrangement(mlir::Operation *op);

/// The scalar literal of which all elements of `value` are copies: of a splat constant, or of a
/// broadcast (reshape, ...) of one. Null if there is none.
mlir::TypedAttr getSplat(mlir::Value value);

/// Likewise for integers (including pred), with the element type's signedness.
std::optional<llvm::APSInt> getSplatInteger(mlir::Value value);

/// Likewise for real floating-point numbers.
std::optional<llvm::APFloat> getSplatFloat(mlir::Value value);

/// True if all elements of `value` are exactly the constant `number`; -0 does not equal 0.
bool isSplatOf(mlir::Value value, double number);

/// The value of a rank-0 or one-element integer constant.
std::optional<int64_t> getConstantIndex(mlir::Value value);

/// True for 0, 1, 2, ....
bool isIdentityPermutation(llvm::ArrayRef<int64_t> permutation);

/// `result[permutation[i]] = i`.
llvm::SmallVector<int64_t> invertPermutation(llvm::ArrayRef<int64_t> permutation);

/// The scalar of which `value` is a `broadcast`; null if it is not.
mlir::Value getBroadcastScalar(mlir::Value value);

/// Dimensions of `type` with more than one element.
llvm::SmallVector<int64_t> getNonUnitDimensions(mlir::RankedTensorType type);

/// For a reshape that only adds or drops dimensions of size one: the pairs of corresponding
/// dimensions of operand and result, in order.
std::optional<llvm::SmallVector<std::pair<int64_t, int64_t>>>
getUnitReshape(mlir::RankedTensorType from, mlir::RankedTensorType to);

} // namespace hloc

#endif
