// SPDX-License-Identifier: Apache-2.0
// The ways to make a module smaller that hlo-reduce tries. Test: test/tools/hlo-reduce.test.

#ifndef HLOC_COMPILER_REDUCE_STEPS_H
#define HLOC_COMPILER_REDUCE_STEPS_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc::reduce {

/// Something that can be done at one or more places of a module. What comes out may be no valid
/// module: the caller verifies it.
struct Step {
  llvm::StringLiteral name;
  /// The operations at which it can be tried, in the order of the module; the same for a clone.
  llvm::SmallVector<mlir::Operation *> (*places)(mlir::ModuleOp module);
  /// Does it at one of them. Other places stay what they are, though perhaps without users.
  void (*apply)(mlir::Operation *place);
};

/// From those that take away the most to those that take away the least.
llvm::ArrayRef<Step> getSteps();

/// Of the entry's result, only the parts with the numbers `kept`; the whole if it is no tuple.
/// Without their aliases, which count the parts.
void keepResults(mlir::ModuleOp module, llvm::ArrayRef<unsigned> kept);

/// How many parts the entry's result has: 1 if it is no tuple that the entry itself makes.
unsigned getResultCount(mlir::ModuleOp module);

/// The entry ends after its first `count` operations, and returns what the rest would have read.
/// False if nothing was read or some of it cannot be returned.
bool cutAfter(mlir::ModuleOp module, unsigned count);

/// How many operations the entry has before its return.
unsigned getEntrySize(mlir::ModuleOp module);

/// How many operations the module has in all its computations, parameters counted as operations.
unsigned countInstructions(mlir::ModuleOp module);

/// Removes what nothing needs: operations without effects, computations, and, unless aliases count
/// them, parameters of the entry.
void removeUnused(mlir::ModuleOp module);

} // namespace hloc::reduce

#endif
