// SPDX-License-Identifier: Apache-2.0
// What single operations do to the errors of their operands: the rules of ErrorBounds.h.

#ifndef HLOC_COMPILER_DRIVER_ERRORRULES_H
#define HLOC_COMPILER_DRIVER_ERRORRULES_H

#include "compiler/driver/ErrorBounds.h"

namespace hloc {

/// What is known of an array: its error, how large its elements are, and whether compiled code may
/// hand it on without having rounded it.
struct Known {
  ErrorBound error;
  Magnitude size;
  bool unrounded = false;
};
using Leaves = llvm::SmallVector<Known, 2>;

/// The error of values that are moved or chosen.
Known passOn(llvm::ArrayRef<Leaves> operands);

/// Gives what is known its size, and makes each of the two bounds no worse than the other one and
/// the size say.
void settle(Known &known, const Magnitude &size);

/// How many terms each result of a reduction, a window, a contraction or a scatter may have.
double countTerms(mlir::Operation *op);

/// A sum of `terms` numbers of at most `largest`, whose operands' errors add up to `carried`, in an
/// array of type `element` and of this size.
Known boundSum(mlir::Operation *op, mlir::Type element, double terms, double largest,
               double carried, const Magnitude &size);

/// A result, of this type and size, of an operation on arrays that applies no computation.
Known boundArray(mlir::Operation *op, mlir::Type element, llvm::ArrayRef<Leaves> operands,
                 const Magnitude &size);

/// Whether an operation only moves elements, or makes none.
bool onlyMoves(mlir::Operation *op);

/// Adds that the result, of this type, is rounded, which exact arithmetic does not.
void addRounding(Known &known, mlir::Type element);

/// The results of any operation, arrays in tuples depth first, whose operands are known: how far
/// they may be from what exact arithmetic gives, where the operands' errors are from that, too.
Leaves boundAgainstExact(mlir::Operation *op, llvm::ArrayRef<Leaves> operands,
                         const Observations &observations);

} // namespace hloc

#endif
