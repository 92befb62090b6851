// SPDX-License-Identifier: Apache-2.0
// The leaves of a type: the arrays in it, in order; tokens have none. LowerControlFlow replaces
// values by their leaves.

#ifndef HLOC_PASSES_TUPLELEAVES_H
#define HLOC_PASSES_TUPLELEAVES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include <optional>

namespace hloc {

/// An array's type without its layout, but with its bounds; other types unchanged.
mlir::Type withoutLayout(mlir::Type type);

/// True if a dimension of an array has neither a size nor a bound.
bool isUnbounded(mlir::RankedTensorType type);

/// The types of the leaves of all `types`, with layouts.
llvm::SmallVector<mlir::Type> getLeaves(mlir::TypeRange types);

/// Likewise without layouts.
llvm::SmallVector<mlir::Type> getPlainLeaves(mlir::TypeRange types);

/// Position among the leaves of `type` of the leaf that `path` leads to; none if it leads to no
/// leaf.
std::optional<int64_t> getLeafIndex(mlir::Type type, llvm::ArrayRef<int64_t> path);

} // namespace hloc

#endif
