// SPDX-License-Identifier: Apache-2.0
// A dot as a batched matrix product: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n].
// Schedules are chosen from this description (DotStrategies.cpp), and code is generated from it
// (codegen/kernels/dot).

#ifndef HLOC_PASSES_SCHEDULE_DOTPROBLEM_H
#define HLOC_PASSES_SCHEDULE_DOTPROBLEM_H

#include "passes/schedule/MaskedRange.h"

namespace hloc {

/// Attribute of a dot of which DotProblem::hasNoSubnormals holds (CheckBf16Dots.cpp).
inline constexpr llvm::StringLiteral kNoSubnormals = "hlo.no_subnormals";

struct DotProblem {
  explicit DotProblem(hlo::DotOp dot);

  hlo::DotOp dot;
  mlir::Value result;
  /// The operands, and the role of each of their dimensions. `swapped` says that the operands were
  /// exchanged: a product with a single column becomes one with a single row, so that the large
  /// operand is on the side that is streamed. Operands are also exchanged if there are a few
  /// columns, fewer than a vector has lanes, and lanes can lie along k.
  mlir::Value lhs, rhs;
  llvm::SmallVector<int64_t> lhsBatch, rhsBatch, lhsDepth, rhsDepth, lhsRows, rhsColumns;
  bool swapped = false;
  mlir::RankedTensorType lhsType, rhsType, resultType;
  llvm::SmallVector<int64_t> batchSizes, rowSizes, columnSizes, depthSizes;
  int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  /// Type of the accumulators.
  mlir::Type element;
  bool depthIsMinorOfRhs = false;
  /// True if a few columns, at most `kMostInterleaved`, are the right operand's minor dimension and
  /// the depth is the next: vectors along the depth can be loaded whole and taken apart.
  bool columnsInterleaveDepth = false;
  /// True if the row dimension is the left operand's minor one: rows are contiguous, and successive
  /// k of a row are a stride apart.
  bool lhsIsTransposed = false;
  /// True if an operand's elements can be multiplied directly as they are stored.
  bool lhsInPlace = false, rhsIsPlain = false;
  /// The kernel argument that the right operand is, or is a slice of; null if the operand is
  /// computed.
  mlir::BlockArgument rhsWhole;
  /// Masks that make part of the work unnecessary. Outside of the rows `liveRows`, the kernel
  /// leaves the result's memory unchanged; outside of the range `liveDepth` of k, both operands are
  /// zero.
  MaskedRange liveRows, liveDepth;

  bool isEmpty() const { return batches * rows * columns == 0; }
  /// Both factors are bf16.
  bool factorIsBf16() const;
  /// The program has found out that no factor and no sum of products is subnormal.
  bool hasNoSubnormals() const { return dot->hasAttr(kNoSubnormals); }
  /// Bits of an accumulator's element; of its real part if it is complex.
  int64_t getPartBits() const;
  /// Bytes of an accumulator.
  int64_t getElementBytes() const;
  /// Bytes of the right operand that one batch reads, and bytes of the array that contains them if
  /// the operand is a slice.
  double getRhsBytes() const;
  double getRhsWholeBytes() const;
};

/// Shape [tile][k][row] of a packed block of the left operand of `rows` rows and `depth` k, in
/// tiles of `tileRows` rows. Rows are padded to a power of two, and tiles are a cache line apart so
/// that they do not map to the same sets of the cache.
llvm::SmallVector<int64_t> getPackedLeftSizes(const DotProblem &dot, int64_t rows, int64_t depth,
                                              int64_t tileRows, int64_t lineBytes);

/// The operand of a dynamic slice, or of a reshape that adds or drops dimensions of size one; null
/// for any other operation.
mlir::Value getLarger(mlir::Value value);
/// The argument of which `value` is a slice at some offset, so that it can be loaded like an array
/// of its own: for instance the weights of one of several layers. Null if there is none.
mlir::BlockArgument findWhole(mlir::Value value);

/// The array that `value` is a slice of or is computed from element by element, in the same order
/// in memory. Of several operands it is the first that is not a broadcast, an iota or a constant.
/// Null if there is none.
mlir::Value getSource(mlir::Value value);
/// The argument that repeated `getSource` leads to; null if it leads to none.
mlir::BlockArgument findOrigin(mlir::Value value);
/// The smallest run (fuse::getRun) of the reshapes on the way to that argument, for example the
/// length of blocks of weights that share a scale. `fuse::kView` if there is no such reshape.
int64_t getRun(mlir::Value value);

/// Type of the accumulators of products with element type `result`: f32 for narrower floats, else
/// the same type.
mlir::Type getAccumulatorType(mlir::Type result);

} // namespace hloc

#endif
