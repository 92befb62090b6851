// SPDX-License-Identifier: Apache-2.0
// What each instruction loses against f64, and whether that is more than it should.
//
// An instruction is held to two things:
// - Its error is within what its operation may do (ErrorRules.h), given the errors that its
//   operands are measured to have. What is beyond has overflowed, is ill-conditioned, or is
//   computed wrongly.
// - Of the digits that its type has, and that the types of the values before it have left, half are
//   there: the largest error is, as a share of the largest element, at most the square root of the
//   greatest that one rounding to one of these types makes. Less is what cancellation leaves, and
//   long chains of roundings.
// Either is a fault where it is seen in the module's results; what an operation does beyond what it
// may is one, too, if the evaluator does better in the same types. Conversions to narrower types
// are what the program asks for. Where inexact values are compared, stepped or sorted, the outcome
// may be another one, and what follows from that is no fault. Test: test/tools/numeric-report.test.

#ifndef HLOC_COMPILER_DRIVER_NUMERICS_LOSSES_H
#define HLOC_COMPILER_DRIVER_NUMERICS_LOSSES_H

#include "compiler/driver/ErrorRules.h"
#include "compiler/driver/RunFiles.h"
#include "compiler/driver/numerics/Probes.h"

namespace hloc {

/// How far an array is from the one in f64, over all participants.
struct Loss {
  /// The greatest error of an element: in units of the last place of the larger of the two in its
  /// type, absolute, and relative; infinite where only one is finite. Of integers, the absolute
  /// one.
  double ulps = 0, absolute = 0, relative = 0;
  /// The sizes of the elements in f64.
  Magnitude size;
  /// How many elements differ at all.
  int64_t different = 0, count = 0;
  /// The element with the greatest error: "element [3,5] is 0.5 instead of 0.4999".
  std::string worst;
  /// A finite number became none.
  bool overflows = false;

  /// The greatest error as a share of the largest element.
  double ofLargest() const;
};

/// Adds the elements of one participant's array.
void measureLoss(const HostArray &array, const HostArray &wide, Loss &loss);

enum class Verdict {
  Fine,
  AskedFor,    // a conversion to a narrower type
  OtherChoice, // inexact values were compared
  Beyond,      // more than the operation may
  Lost         // too few digits are left
};

/// One array that an instruction gives.
struct LossRow {
  LossRow(mlir::Operation *op, size_t leaf, size_t leaves, mlir::RankedTensorType type)
      : op(op), leaf(leaf), leaves(leaves), type(type) {}

  mlir::Operation *op;
  size_t leaf, leaves; // of its result, depth first
  mlir::RankedTensorType type;
  Loss loss, interpreted; // of compiled code, and of the evaluator in the same types
  ErrorBound allowed;
  Verdict verdict = Verdict::Fine;
  /// In the module's result, too, more is lost than types say, because of this one. If not, another
  /// instruction takes it for what it is worth, such as a choice between two values.
  bool isSeen = false;
  /// The evaluator loses no more than it may in the same types.
  bool isCompilers = false;
  /// The bits that the operand with the fewest has, that should be left, and that are.
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
  /// What the evaluator met in the module's own types.
  const Observations &observations;
};

/// Judges every probed instruction, in program order.
std::vector<LossRow> judgeLosses(const Probes &probes, const ProbedValues &values);

/// How many bits of a type's elements are right if the error is this share of them.
double countBits(mlir::Type element, double share);

} // namespace hloc

#endif
