// SPDX-License-Identifier: Apache-2.0
// Parameters of the entry whose values are known at compile time. Test:
// test/passes/frontend/bind-parameters.mlir.

#ifndef HLOC_PASSES_BINDPARAMETERS_H
#define HLOC_PASSES_BINDPARAMETERS_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Attribute of an argument of the entry: for each array in it either unit, or `{value = dense<...>
/// : tensor<...>, from = "weights.npz:w"}`.
inline constexpr llvm::StringLiteral kBound = "hlo.bound";

/// Attribute of the module: the arrays that were bound, each as `{name = "w", type = tensor<...>,
/// from = "weights.npz:w"}`.
inline constexpr llvm::StringLiteral kBoundParameters = "hlo.bound_parameters";

/// The pass bind-parameters, for callers that need the entry's types before any pass runs.
mlir::LogicalResult bindParameters(mlir::ModuleOp module);

} // namespace hloc

#endif
