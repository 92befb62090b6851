// SPDX-License-Identifier: Apache-2.0
// How single operations propagate the errors of their operands: the rules of ErrorBounds.h.

#ifndef HLOC_COMPILER_DRIVER_ERRORRULES_H
#define HLOC_COMPILER_DRIVER_ERRORRULES_H

#include "compiler/driver/ErrorBounds.h"

namespace hloc {

/// What is known of an array: its error, its magnitude, and whether compiled code may use it
/// without having rounded it.
struct Known {
  ErrorBound error;
  Magnitude size;
  bool unrounded = false;
};
using Leaves = llvm::SmallVector<Known, 2>;

/// The error of values that are moved or selected.
Known passOn(llvm::ArrayRef<Leaves> operands);

/// Sets the magnitude of what is known, and tightens each of the two bounds by what the other one
/// and the magnitude imply.
void settle(Known &known, const Magnitude &size);

/// The most terms of each result of a reduction, window, contraction or scatter.
double countTerms(mlir::Operation *op);

/// The bound for a sum of `terms` numbers of magnitude at most `largest`, whose operands' errors
/// add up to `carried`, in an array of type `element` and magnitude `size`.
Known boundSum(mlir::Operation *op, mlir::Type element, double terms, double largest,
               double carried, const Magnitude &size);

/// The bound for a result, of this type and magnitude, of an operation without a computation.
Known boundArray(mlir::Operation *op, mlir::Type element, llvm::ArrayRef<Leaves> operands,
                 const Magnitude &size);

/// True if an operation only moves elements, or makes no floats.
bool onlyMoves(mlir::Operation *op);

/// Adds the rounding of the result to this type, which exact arithmetic does not have.
void addRounding(Known &known, mlir::Type element);

/// Bounds for the results of any operation, arrays in tuples depth first: the difference from the
/// results of exact arithmetic, given that of the operands.
Leaves boundAgainstExact(mlir::Operation *op, llvm::ArrayRef<Leaves> operands,
                         const Observations &observations);

} // namespace hloc

#endif
