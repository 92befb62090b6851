// SPDX-License-Identifier: Apache-2.0
// How much LLVM is to do for each unit, so that all of them together take a given time to compile:
// less where that saves most for what the code then takes longer. The plan follows from predictions
// alone, never from the clock. Results have the same bits with every plan: where code leaves LLVM a
// choice of arithmetic, which it may make in another way at another level, its level stays. Test:
// test/codegen/BudgetTest.cpp, test/tools/time-budget.test.

#ifndef HLOC_CODEGEN_UNITS_BUDGET_H
#define HLOC_CODEGEN_UNITS_BUDGET_H

#include "compiler/target/CompileCosts.h"
#include "compiler/target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace hloc {

struct UnitWork {
  /// Instructions that LLVM is given.
  int64_t instructions = 0;
  /// Nanoseconds that the unit's code takes in one call of the program.
  double runTime = 0;
  /// Whether its level stays what it is.
  bool isFixed = false;
};

struct BudgetPlan {
  /// LLVM's level for each unit.
  std::vector<int> levels;
  /// Nanoseconds that all units take to compile, one after the other.
  double time = 0;
};

/// Nanoseconds that a unit takes to compile.
double getTime(const UnitWork &unit, const EffortCosts &effort);
/// The row of LLVM's level.
const EffortCosts &getEffort(const CompileCosts &costs, int level);

/// The levels of `units`, `level` or lower, so that they take `budget` nanoseconds to compile, or,
/// if that is less than can be, the least.
BudgetPlan planLevels(llvm::ArrayRef<UnitWork> units, int level, double budget,
                      const CompileCosts &costs = kCompileCosts);

/// Instructions of the code in `module`, before it is lowered: operations on vectors count as many
/// times as there are registers in one.
int64_t countInstructions(mlir::ModuleOp module, const Target &target);

/// Whether LLVM may choose how to compute in the code of `module`, before it is lowered: which
/// products and sums become fused multiply-adds, or in which order elements are added.
bool leavesChoices(mlir::ModuleOp module, const Target &target);

} // namespace hloc

#endif
