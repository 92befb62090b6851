// SPDX-License-Identifier: Apache-2.0
// Constraints on the computations that operations call.

#ifndef HLOC_COMPILER_HLO_INFER_SIGNATURES_H
#define HLOC_COMPILER_HLO_INFER_SIGNATURES_H

#include "compiler/hlo/infer/Shape.h"

namespace hloc::hlo {

/// The operands of a reduction: inputs of the same dimensions and as many scalar initial values.
struct Reducible {
  llvm::SmallVector<mlir::RankedTensorType, 2> inputs, initials;
  llvm::SmallVector<mlir::Type, 2> getInputElements() const;
  llvm::SmallVector<mlir::Type, 2> getInitialElements() const;
};
llvm::FailureOr<Reducible> expectReducible(const Rule &rule, mlir::TypeRange arrays);

/// Element types that a reducer accumulates in, and whether it returns them as a tuple.
struct Accumulators {
  llvm::SmallVector<mlir::Type, 2> types;
  bool tuple;
  /// One result type from `results`, which has one per accumulator.
  mlir::Type pack(llvm::ArrayRef<mlir::Type> results) const;
};

/// A computation of scalars (accumulators..., inputs...) -> accumulators. Unknown types are taken
/// from the initial values.
llvm::FailureOr<Accumulators> expectReducer(const Rule &rule, mlir::FlatSymbolRefAttr computation,
                                            mlir::TypeRange inputElements,
                                            mlir::TypeRange initialElements);

/// A computation of scalars of these element types that returns pred[].
llvm::LogicalResult expectComparator(const Rule &rule, mlir::FlatSymbolRefAttr computation,
                                     mlir::TypeRange elements);

/// A computation whose parameters agree with `operands`; returns its results.
llvm::FailureOr<mlir::TypeRange> expectCallable(const Rule &rule,
                                                mlir::FlatSymbolRefAttr computation,
                                                mlir::TypeRange operands, const llvm::Twine &what);

} // namespace hloc::hlo

#endif
