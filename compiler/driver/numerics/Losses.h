// SPDX-License-Identifier: Apache-2.0
// What each instruction loses compared with f64, and whether that is more than it should.
//
// An instruction must satisfy two conditions:
// - Its error is within what its operation may add (ErrorRules.h), given the measured errors of its
//   operands. An instruction that exceeds this overflows, is ill-conditioned, or is computed
//   incorrectly.
// - Half of the digits remain that its type and the types of the values before it can have:
//   relative to the largest element, the largest error is at most the square root of the largest
//   rounding error of these types. Fewer digits remain after cancellation and after long chains of
//   roundings.
//
// A violation is a fault if it affects the module's results; a violation of the first condition is
// also a fault if the evaluator does better in the same types. Conversions to narrower types are
// what the program asks for. If inexact values are compared, rounded to integers or sorted, the
// outcome may differ, and the consequences are not a fault. Test: test/tools/numeric-report.test.

#ifndef HLOC_COMPILER_DRIVER_NUMERICS_LOSSES_H
#define HLOC_COMPILER_DRIVER_NUMERICS_LOSSES_H

#include "compiler/driver/ErrorRules.h"
#include "compiler/driver/RunFiles.h"
#include "compiler/driver/numerics/Probes.h"

namespace hloc {

/// The difference between an array and its f64 counterpart, over all participants.
struct Loss {
  /// The largest error of an element: in ulps of the larger of the two in its type, absolute, and
  /// relative; infinite where only one is finite. For integers, the absolute error.
  double ulps = 0, absolute = 0, relative = 0;
  /// The magnitude of the elements in f64.
  Magnitude size;
  /// The number of elements that differ at all.
  int64_t different = 0, count = 0;
  /// The element with the largest error: "element [3,5] is 0.5 instead of 0.4999".
  std::string worst;
  /// A finite number became infinite or NaN.
  bool overflows = false;

  /// The largest error relative to the largest element.
  double ofLargest() const;
};

/// Adds the elements of one participant's array.
void measureLoss(const HostArray &array, const HostArray &wide, Loss &loss);

enum class Verdict {
  Fine,
  AskedFor,    // a conversion to a narrower type
  OtherChoice, // inexact values were compared
  Beyond,      // exceeds what the operation may add
  Lost         // too few digits remain
};

/// One array among an instruction's results.
struct LossRow {
  LossRow(mlir::Operation *op, size_t leaf, size_t leaves, mlir::RankedTensorType type)
      : op(op), leaf(leaf), leaves(leaves), type(type) {}

  mlir::Operation *op;
  size_t leaf, leaves; // of its results, depth first
  mlir::RankedTensorType type;
  Loss loss, interpreted; // of compiled code, and of the evaluator in the same types
  ErrorBound allowed;
  Verdict verdict = Verdict::Fine;
  /// Because of this instruction, the module's result also loses more than its type implies. If
  /// false, other instructions are not affected by the loss, such as a selection between two
  /// values.
  bool isSeen = false;
  /// In the same types, the evaluator loses no more than allowed.
  bool isCompilers = false;
  /// Bits of the least accurate operand; bits that should remain; bits that do.
  double bitsBefore = 0, bitsNeeded = 0, bitsLeft = 0;

  bool isFault() const {
    return (verdict == Verdict::Beyond && (isSeen || isCompilers)) ||
           (verdict == Verdict::Lost && isSeen);
  }
};

/// The values of the probes' module: results first, then those of each probed instruction.
struct ProbedValues {
  const ParticipantArrays &inputs;
  const ParticipantArrays &compiled, &interpreted, &wide;
  /// The magnitudes of values in the module's own types, as the evaluator observed them.
  const Observations &observations;
};

/// Judges every probed instruction, in program order.
std::vector<LossRow> judgeLosses(const Probes &probes, const ProbedValues &values);

/// The number of correct bits of a type's elements if the error is this fraction of them.
double countBits(mlir::Type element, double share);

} // namespace hloc

#endif
