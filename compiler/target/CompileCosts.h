// SPDX-License-Identifier: Apache-2.0
// Predicted compile times, so that a plan for a time budget (--time-budget) does not depend on the
// machine or the moment. The figures are for one thread of a common processor: a least-squares fit
// to the times of a dozen programs, all of which are within a third of it. Test:
// test/codegen/BudgetTest.cpp.

#ifndef HLOC_COMPILER_TARGET_COMPILECOSTS_H
#define HLOC_COMPILER_TARGET_COMPILECOSTS_H

#include <cstdint>

namespace hloc {

/// Costs of LLVM's passes and code generator at one of its levels.
struct EffortCosts {
  int level;
  /// Nanoseconds for each instruction that a kernel was emitted as, and for each object.
  double instruction, unit;
  /// By what factor code is slower than at the highest level.
  double slowdown;
};

struct CompileCosts {
  /// From the highest level to the lowest. To LLVM, levels 2 and 3 are the same.
  EffortCosts efforts[3] = {{2, 31000, 1e5, 1}, {1, 25000, 1e5, 1.1}, {0, 9700, 1e5, 4}};
  /// Nanoseconds for each operation of the program on memory, and for everything else.
  double operation = 100000, start = 18e6;
  /// Assumed trip count of loops where it is known only at run time.
  double unknownRounds = 100;
};

inline constexpr CompileCosts kCompileCosts;

} // namespace hloc

#endif
