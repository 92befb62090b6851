// SPDX-License-Identifier: Apache-2.0
// Bounds on the difference between the results of compiled code and those of the evaluator, derived
// from the module.
//
// Both compute what the module says, but round floats in different places: functions are within a
// few units in the last place (ulp) of the exact value, sums are added in another order, and
// products may be added unrounded. The effect on each array is propagated through the module to its
// results, to first order, using the magnitudes of values that the evaluator observed:
// - Operations that only move, select or negate pass on the error of their operands. Integers, and
//   floats that no operation has rounded yet, are exact.
// - Products and quotients add the relative errors of their operands, sums the absolute ones; both
//   round once more.
// - Functions add the ulp of the table in ErrorRules.cpp to the operand's error times the
//   function's slope.
// - The error of a sum of n terms is 4 sqrt(n min(n, 512)) roundings of its largest term: compiled
//   code adds in blocks, and roundings are in either direction. With equal terms, however, they may
//   all have the same direction, which adds a quarter of an ulp of the sum for each of the min(n,
//   512) products or window elements in a block and, in f64, for each of the n terms, which the
//   evaluator adds in order.
// - Loops add the error of an iteration as often as the evaluator ran them.
// - Where subnormal numbers may be taken for zero, arrays with such numbers may be off by the
// smallest
//   normal one.
//
// Comparisons of inexact values are assumed to have the same outcome: where they do not, because
// the values are closer than their errors, results differ by more. Test:
// test/driver/ErrorBoundsTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_ERRORBOUNDS_H
#define HLOC_COMPILER_DRIVER_ERRORBOUNDS_H

#include "compiler/driver/ArrayReport.h"
#include "compiler/evaluator/core/Value.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>
#include <string>

namespace hloc {

/// The magnitudes of an array's elements that are numbers: the largest, and the smallest that is
/// not zero.
struct Magnitude {
  double largest = 0, smallest = INFINITY;

  void add(double element);
  void add(const Magnitude &other);
};

/// The observed results of an operation, with arrays in tuples depth first.
struct Observation {
  llvm::SmallVector<Magnitude, 2> results;
  int64_t runs = 0;
};
using Observations = llvm::DenseMap<mlir::Operation *, Observation>;

/// The magnitudes of an array's elements.
Magnitude measure(const evaluator::Array &array);

/// Records one run of an operation.
void observe(Observations &observations, mlir::Operation *op,
             llvm::ArrayRef<evaluator::Value> results);

/// An observer that records all runs of an evaluation in `observations`, which must outlive it.
inline auto makeObserver(Observations &observations) {
  return [&observations](mlir::Operation *op, llvm::ArrayRef<evaluator::Value> results) {
    observe(observations, op, results);
  };
}

/// Bounds on the error of the elements of one result: relative to each element, and absolute for
/// all. Both hold, and may be infinite.
struct ErrorBound {
  double relative = 0, absolute = 0;
  /// True if the relative bound was derived and the absolute one follows from it: results are then
  /// checked against the relative one; otherwise against the absolute one.
  bool isRelative = false;
  /// The largest contribution, for messages; empty if the result is exact.
  std::string reason;

  bool isExact() const { return relative == 0 || absolute == 0; }
};

/// Bounds for the arrays that `entry` returns, depth first. `arguments` are the magnitudes of its
/// arrays. `flushes`: compiled code may take subnormal numbers for zero.
std::vector<ErrorBound> deriveErrorBounds(hlo::ComputationOp entry,
                                          llvm::ArrayRef<Magnitude> arguments,
                                          const Observations &observations, bool flushes);

/// One ulp of 1 in an element type (of a part, if it is complex); 0 for integers.
double getUlp(mlir::Type element);

/// Likewise for an array of the host's.
Magnitude measure(const HostArray &array);

/// The difference that the bound allows between two arrays of an element type.
Tolerance toTolerance(const ErrorBound &bound, mlir::Type element);

/// The bound in words: "exact", "within 4 ulp (tanh)", "within 1e-05 (dot of 512)".
std::string describe(const ErrorBound &bound, mlir::Type element);

} // namespace hloc

#endif
