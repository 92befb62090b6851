// SPDX-License-Identifier: Apache-2.0
// Chooses LLVM's optimization level for each unit so that all of them together compile within a
// given time: the level is lowered where that saves most compile time per additional run time. The
// plan depends only on predictions, never on measured times. Results have the same bits with every
// plan: units in which LLVM may choose between different arithmetic, which could depend on the
// level, keep their level. Test: test/codegen/BudgetTest.cpp, test/tools/time-budget.test.

#ifndef HLOC_CODEGEN_UNITS_BUDGET_H
#define HLOC_CODEGEN_UNITS_BUDGET_H

#include "compiler/target/CompileCosts.h"
#include "compiler/target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace hloc {

struct UnitWork {
  /// Instructions that LLVM gets.
  int64_t instructions = 0;
  /// Nanoseconds that the unit's code takes per call of the program.
  double runTime = 0;
  /// True if its level must not change.
  bool isFixed = false;
};

struct BudgetPlan {
  /// LLVM's level for each unit.
  std::vector<int> levels;
  /// Nanoseconds to compile all units, one after the other.
  double time = 0;
};

/// Nanoseconds to compile a unit.
double getTime(const UnitWork &unit, const EffortCosts &effort);
/// The costs of LLVM's level `level`.
const EffortCosts &getEffort(const CompileCosts &costs, int level);

/// The levels of `units`, at most `level`, with which they compile in `budget` nanoseconds; the
/// lowest levels if that is impossible.
BudgetPlan planLevels(llvm::ArrayRef<UnitWork> units, int level, double budget,
                      const CompileCosts &costs = kCompileCosts);

/// The number of instructions of the code in `module`, before it is lowered: operations on vectors
/// count once per register.
int64_t countInstructions(mlir::ModuleOp module, const Target &target);

/// True if LLVM may choose how to compute something in the code of `module`, before it is lowered:
/// which products and sums become fused multiply-adds, or the order in which elements are added.
bool leavesChoices(mlir::ModuleOp module, const Target &target);

} // namespace hloc

#endif
