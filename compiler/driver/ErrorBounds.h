// SPDX-License-Identifier: Apache-2.0
// How far the results of compiled code may be from the evaluator's, derived from the module.
//
// Both compute what the module says, but floats are rounded in other places: functions are within
// some units in the last place (ulp) of the true value, sums are added in another order, products
// may go into sums unrounded. What that may do to each array is followed through the module to its
// results, to first order, with the sizes of values that the evaluator met:
// - Operations that only move, choose or negate pass on the error of their operands. Integers, and
//   floats that no operation has rounded yet, have none.
// - Products and quotients add the relative errors of their operands, sums the absolute ones; both
//   round once more.
// - Functions add the ulp of the table in ErrorRules.cpp to what their slope makes of the
//   operand's error.
// - A sum of n terms is off by 4 sqrt(n min(n, 512)) roundings of its largest term: compiled code
//   adds in blocks, and roundings fall either way; but of equal terms they may all fall the same
//   way, which makes a quarter of a unit of the sum for each of the min(n, 512) products or
//   elements of a window in a block and, in f64, for each of the n terms, which the evaluator adds
//   in order.
// - Loops add the error of an iteration as often as the evaluator ran them.
// Comparisons of inexact values are taken to come out alike: where they do not, because the values
// are as near as their errors, results differ by more. Test: test/driver/ErrorBoundsTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_ERRORBOUNDS_H
#define HLOC_COMPILER_DRIVER_ERRORBOUNDS_H

#include "compiler/driver/ArrayReport.h"
#include "compiler/evaluator/core/Value.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>
#include <string>

namespace hloc {

/// The sizes of the elements of an array that are numbers: the largest, and the smallest that is
/// not zero.
struct Magnitude {
  double largest = 0, smallest = INFINITY;

  void add(double element);
  void add(const Magnitude &other);
};

/// What an evaluation met of each operation's results, arrays in tuples depth first.
struct Observation {
  llvm::SmallVector<Magnitude, 2> results;
  int64_t runs = 0;
};
using Observations = llvm::DenseMap<mlir::Operation *, Observation>;

/// The sizes of an array's elements.
Magnitude measure(const evaluator::Array &array);

/// Adds one run of an operation.
void observe(Observations &observations, mlir::Operation *op,
             llvm::ArrayRef<evaluator::Value> results);

/// What adds all runs of an evaluation, before which `observations` must not end.
inline auto makeObserver(Observations &observations) {
  return [&observations](mlir::Operation *op, llvm::ArrayRef<evaluator::Value> results) {
    observe(observations, op, results);
  };
}

/// How far the elements of one result may be off: by a number times their own size, or by a number
/// for all; each of them is a bound, and may be infinite.
struct ErrorBound {
  double relative = 0, absolute = 0;
  /// Whether the first of them is what follows from the operations, and the other from it: what
  /// results are then held to; else to the second one.
  bool isRelative = false;
  /// What contributes most, for people; empty if the result is exact.
  std::string reason;

  bool isExact() const { return relative == 0 || absolute == 0; }
};

/// Bounds of the arrays that `entry` gives, depth first. `arguments` are the sizes of its arrays.
std::vector<ErrorBound> deriveErrorBounds(hlo::ComputationOp entry,
                                          llvm::ArrayRef<Magnitude> arguments,
                                          const Observations &observations);

/// One unit in the last place of 1 in an element type; of a part, if it is complex; 0 for integers.
double getUlp(mlir::Type element);

/// The same of an array of the host's.
Magnitude measure(const HostArray &array);

/// What the bound allows two arrays of an element type to differ by.
Tolerance toTolerance(const ErrorBound &bound, mlir::Type element);

/// The bound in words: "exact", "within 4 ulp (tanh)", "within 1e-05 (dot of 512)".
std::string describe(const ErrorBound &bound, mlir::Type element);

} // namespace hloc

#endif
