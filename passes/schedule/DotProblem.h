// SPDX-License-Identifier: Apache-2.0
// A dot as a product of matrices: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n]. What
// its schedules are chosen by (DotStrategies.cpp) and its code is made of (codegen/kernels/dot).

#ifndef HLOC_PASSES_SCHEDULE_DOTPROBLEM_H
#define HLOC_PASSES_SCHEDULE_DOTPROBLEM_H

#include "passes/schedule/MaskedRange.h"

namespace hloc {

struct DotProblem {
  explicit DotProblem(hlo::DotOp dot);

  hlo::DotOp dot;
  mlir::Value result;
  /// The operands and which of their dimensions are what. `swapped` says that they changed sides: a
  /// single column is a single row of the problem with the operands exchanged, which has the large
  /// operand on the side that is streamed; so are a few columns, too few for lanes, if lanes can
  /// lie along k.
  mlir::Value lhs, rhs;
  llvm::SmallVector<int64_t> lhsBatch, rhsBatch, lhsDepth, rhsDepth, lhsRows, rhsColumns;
  bool swapped = false;
  mlir::RankedTensorType lhsType, rhsType, resultType;
  llvm::SmallVector<int64_t> batchSizes, rowSizes, columnSizes, depthSizes;
  int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  /// Of accumulators.
  mlir::Type element;
  bool depthIsMinorOfRhs = false;
  /// Whether rows of the left operand lie side by side, so that each k of a row is far from the
  /// next.
  bool lhsIsTransposed = false;
  /// Whether an operand is multiplied as it lies in memory.
  bool lhsInPlace = false, rhsIsPlain = false;
  /// The argument that the right operand is, or is a part of; null if it is computed.
  mlir::BlockArgument rhsWhole;
  /// Rows outside of which the result's memory keeps what it holds, if the kernel says so; and k
  /// outside of which both operands are zero, by masks of their own. The others need no work.
  MaskedRange liveRows, liveDepth;

  bool isEmpty() const { return batches * rows * columns == 0; }
  /// Both factors are bf16.
  bool factorIsBf16() const;
  /// Bits of a real number of the accumulators.
  int64_t getPartBits() const;
  /// Bytes of an accumulator.
  int64_t getElementBytes() const;
  /// Bytes of what is read of the right operand for a batch, and of the array that holds it where
  /// it is a part of one.
  double getRhsBytes() const;
  double getRhsWholeBytes() const;
};

/// Sizes of a packed block of the left operand as [tile][k][row], for blocks of `rows` and `depth`
/// in tiles of `tileRows`: whole vectors of rows, and tiles a line of the cache apart from where
/// they would push each other out of it.
llvm::SmallVector<int64_t> getPackedLeftSizes(const DotProblem &dot, int64_t rows, int64_t depth,
                                              int64_t tileRows, int64_t lineBytes);

/// The operand of which `value` is a part, with the same rows or pieces of them; null if it is
/// something else.
mlir::Value getLarger(mlir::Value value);
/// The argument of which `value` is a part that begins somewhere, its rows rows of that one or
/// pieces of them: what is loaded as if it were an array itself, such as the weights of one of
/// several layers. Null if it is nothing of the kind.
mlir::BlockArgument findWhole(mlir::Value value);

/// The array that `value` is a part of, moved or computed element by element, with the same
/// neighbours: of several operands the first that is none of repeated elements. Null if there is
/// none.
mlir::Value getSource(mlir::Value value);
/// The argument that these steps lead to; null if they do not.
mlir::BlockArgument findOrigin(mlir::Value value);
/// The least size of what reshapes joined on this way (fuse::getRun): of blocks of weights that
/// have a scale each, for one. `fuse::kView` if there are none.
int64_t getRun(mlir::Value value);

/// Type in which products of elements are summed into `result`: f32 for narrow floats, else the
/// result's own.
mlir::Type getAccumulatorType(mlir::Type result);

} // namespace hloc

#endif
