// SPDX-License-Identifier: Apache-2.0
// What compiling takes, predicted: so that a plan of how much to spend on what (--time-budget) is
// the same on every machine and at every time. The figures are of one thread of a usual processor:
// least squares of the times of a dozen programs, from which none is off by more than a third.
// Test: test/codegen/BudgetTest.cpp.

#ifndef HLOC_COMPILER_TARGET_COMPILECOSTS_H
#define HLOC_COMPILER_TARGET_COMPILECOSTS_H

#include <cstdint>

namespace hloc {

/// LLVM's passes and its code generator at one of its levels.
struct EffortCosts {
  int level;
  /// Nanoseconds for each instruction that a kernel was emitted as, and for each object.
  double instruction, unit;
  /// How many times longer code takes than that of the highest level.
  double slowdown;
};

struct CompileCosts {
  /// From the most effort to the least. Levels 2 and 3 are one to LLVM.
  EffortCosts efforts[3] = {{2, 31000, 1e5, 1}, {1, 25000, 1e5, 1.1}, {0, 9700, 1e5, 4}};
  /// Nanoseconds for each operation of the program on memory, from reading on, and for the rest.
  double operation = 100000, start = 18e6;
  /// How often a loop goes round of which that is known at run time alone.
  double unknownRounds = 100;
};

inline constexpr CompileCosts kCompileCosts;

} // namespace hloc

#endif
