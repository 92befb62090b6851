// SPDX-License-Identifier: Apache-2.0
// Computations as symbols: the entry, who refers to whom, small ones that passes need.

#ifndef HLOC_PASSES_COMPUTATIONS_H
#define HLOC_PASSES_COMPUTATIONS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The computation marked `entry`; null if there is none.
hlo::ComputationOp getEntry(mlir::ModuleOp module);

/// Erases every computation that neither the entry nor a function reaches.
void eraseUnreachableComputations(mlir::ModuleOp module);

/// The computation that folds two scalars of type `element` with binary operation `opName`, such as
/// `hlo.add`; made if the module does not have it yet.
hlo::ComputationOp getOrCreateReducer(mlir::ModuleOp module, llvm::StringRef opName,
                                      mlir::Type element);

/// A new private computation `name` (made unique) of parameters of `types`, its body made by
/// `build`, which returns the results.
hlo::ComputationOp createComputation(
    mlir::ModuleOp module, llvm::StringRef name, llvm::ArrayRef<mlir::Type> types,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)> build);

/// If the body of `computation` is one binary operation of its two parameters, in order (or in any
/// order if the operation commutes), that operation; else null.
mlir::Operation *getSingleBinaryOp(hlo::ComputationOp computation);

/// The first operation of `computation` that kernels cannot do in lanes beside each other: a loop,
/// an effect, an array of more than one element. Null if they can apply all of it to elements.
mlir::Operation *findNotLanewise(hlo::ComputationOp computation);
inline bool isLanewise(hlo::ComputationOp computation) { return !findNotLanewise(computation); }

/// Clones the operations of `computation` applied to `arguments`; returns its results.
llvm::SmallVector<mlir::Value> inlineComputation(mlir::OpBuilder &builder,
                                                 hlo::ComputationOp computation,
                                                 mlir::ValueRange arguments);

/// Clones the operations of a computation of scalars so that they compute on arrays of `shape`'s
/// shape (and layout); returns the results. What does not depend on the parameters stays scalar
/// until an array operation needs it. Emits an error if there is more than elementwise operations.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
applyToArrays(mlir::OpBuilder &builder, mlir::Location loc, hlo::ComputationOp computation,
              mlir::ValueRange arguments, mlir::RankedTensorType shape);

/// The computation that `symbol` names near `op`.
hlo::ComputationOp lookupComputation(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol);

} // namespace hloc

#endif
