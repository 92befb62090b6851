// SPDX-License-Identifier: Apache-2.0
// Recognizing values: constants, splats, permutations.

#ifndef HLOC_PASSES_MATCH_H
#define HLOC_PASSES_MATCH_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/APSInt.h"

namespace hloc {

/// The literal of which all elements of `value` are copies, as an attribute of one element: of a
/// constant with equal elements, or of a broadcast (reshape, ...) of one. Null if there is none.
mlir::TypedAttr getSplat(mlir::Value value);

/// The same for integers (pred included), with the element type's signedness.
std::optional<llvm::APSInt> getSplatInteger(mlir::Value value);

/// The same for real floating-point numbers.
std::optional<llvm::APFloat> getSplatFloat(mlir::Value value);

/// Whether all elements of `value` are the constant `number`, exactly; -0 is not 0.
bool isSplatOf(mlir::Value value, double number);

/// The value of a rank-0 or one-element integer constant.
std::optional<int64_t> getConstantIndex(mlir::Value value);

/// Whether 0, 1, 2, ... follow each other.
bool isIdentityPermutation(llvm::ArrayRef<int64_t> permutation);

/// `result[permutation[i]] = i`.
llvm::SmallVector<int64_t> invertPermutation(llvm::ArrayRef<int64_t> permutation);

/// The scalar that `value` repeats, if it is `broadcast` of one.
mlir::Value getBroadcastScalar(mlir::Value value);

/// Dimensions of `type` of more than one element.
llvm::SmallVector<int64_t> getNonUnitDimensions(mlir::RankedTensorType type);

/// For a reshape that only adds or drops dimensions of size one: pairs of equal dimensions, operand
/// and result, in order.
std::optional<llvm::SmallVector<std::pair<int64_t, int64_t>>>
getUnitReshape(mlir::RankedTensorType from, mlir::RankedTensorType to);

} // namespace hloc

#endif
