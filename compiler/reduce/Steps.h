// SPDX-License-Identifier: Apache-2.0
// The steps by which hlo-reduce makes a module smaller. Test: test/tools/hlo-reduce.test.

#ifndef HLOC_COMPILER_REDUCE_STEPS_H
#define HLOC_COMPILER_REDUCE_STEPS_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc::reduce {

/// A change that is possible at one or more places of a module. The result may be invalid: the
/// caller verifies it.
struct Step {
  llvm::StringLiteral name;
  /// The operations that it can be applied to, in the order of the module; the same for a clone.
  llvm::SmallVector<mlir::Operation *> (*places)(mlir::ModuleOp module);
  /// Applies it to one of them. The others stay valid, though possibly without users.
  void (*apply)(mlir::Operation *place);
};

/// Ordered from those that remove the most to those that remove the least.
llvm::ArrayRef<Step> getSteps();

/// Keeps only the parts of the entry's result with the numbers `kept`; the whole if it is not a
/// tuple. Removes aliases, which count the parts.
void keepResults(mlir::ModuleOp module, llvm::ArrayRef<unsigned> kept);

/// Number of parts of the entry's result: 1 if it is not a tuple that the entry itself makes.
unsigned getResultCount(mlir::ModuleOp module);

/// Ends the entry after its first `count` operations; it returns the values that the rest would
/// have read. False if there are none or some cannot be returned.
bool cutAfter(mlir::ModuleOp module, unsigned count);

/// Number of operations of the entry before its return.
unsigned getEntrySize(mlir::ModuleOp module);

/// Number of operations in all computations of the module, including parameters.
unsigned countInstructions(mlir::ModuleOp module);

/// Removes what is not needed: operations without effects, computations, and, unless aliases refer
/// to them by number, parameters of the entry.
void removeUnused(mlir::ModuleOp module);

} // namespace hloc::reduce

#endif
