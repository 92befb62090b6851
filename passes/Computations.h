// SPDX-License-Identifier: Apache-2.0
// Computations as symbols: the entry, references between them, and small ones that passes create.

#ifndef HLOC_PASSES_COMPUTATIONS_H
#define HLOC_PASSES_COMPUTATIONS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The computation marked `entry`; null if there is none.
hlo::ComputationOp getEntry(mlir::ModuleOp module);

/// Erases every computation that is not reachable from the entry or a function.
void eraseUnreachableComputations(mlir::ModuleOp module);

/// The computation that combines two scalars of type `element` by the binary operation `opName`,
/// such as `hlo.add`; created if the module does not have it.
hlo::ComputationOp getOrCreateReducer(mlir::ModuleOp module, llvm::StringRef opName,
                                      mlir::Type element);

/// Creates a private computation `name` (made unique) with parameters of `types`; `build` emits its
/// body and returns the results.
hlo::ComputationOp createComputation(
    mlir::ModuleOp module, llvm::StringRef name, llvm::ArrayRef<mlir::Type> types,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)> build);

/// If the body of `computation` is a single binary operation on its two parameters, in order (or in
/// any order if it is commutative), that operation; else null.
mlir::Operation *getSingleBinaryOp(hlo::ComputationOp computation);

/// The first operation of `computation` that kernels cannot apply lane by lane: a loop, a side
/// effect, an array of more than one element. Null if there is none.
mlir::Operation *findNotLanewise(hlo::ComputationOp computation);
inline bool isLanewise(hlo::ComputationOp computation) { return !findNotLanewise(computation); }

/// Clones the operations of `computation` applied to `arguments`; returns its results.
llvm::SmallVector<mlir::Value> inlineComputation(mlir::OpBuilder &builder,
                                                 hlo::ComputationOp computation,
                                                 mlir::ValueRange arguments);

/// Clones the operations of a computation on scalars so that they compute on arrays of `shape`'s
/// shape (and layout), and returns the results. Values that do not depend on the parameters remain
/// scalar until an array operation uses them. Emits an error if there are operations that are not
/// elementwise.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
applyToArrays(mlir::OpBuilder &builder, mlir::Location loc, hlo::ComputationOp computation,
              mlir::ValueRange arguments, mlir::RankedTensorType shape);

/// The computation that `symbol` refers to at `op`.
hlo::ComputationOp lookupComputation(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol);

} // namespace hloc

#endif
