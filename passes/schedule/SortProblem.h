// SPDX-License-Identifier: Apache-2.0
// The rows that a sort puts in order, and what they are ordered by. What its schedules are chosen
// by (SortStrategies.cpp) and its code is made of (codegen/kernels/sort).

#ifndef HLOC_PASSES_SCHEDULE_SORTPROBLEM_H
#define HLOC_PASSES_SCHEDULE_SORTPROBLEM_H

#include "compiler/target/Target.h"
#include "passes/schedule/SortKey.h"

namespace hloc {

struct SortProblem {
  /// `comparator` is the computation that the sort names, which it may not have.
  SortProblem(hlo::SortOp op, hlo::ComputationOp comparator);

  /// Bytes of a buffer for one row: of entries, if there are keys, else of all operands' elements.
  int64_t getBufferBytes() const;
  /// The types of a buffer's columns.
  llvm::SmallVector<mlir::Type> getColumns() const;

  llvm::ArrayRef<int64_t> shape;
  /// The sorted dimension, its size, and the sizes of the others.
  int64_t dimension, size, rows = 1;
  llvm::SmallVector<int64_t> rowShape;
  llvm::SmallVector<mlir::Type> elements; // of each operand
  /// Whether an operand has elements of less than a byte.
  bool sharesBytes = false;
  /// What the comparator orders by, the most significant first; none if no keys can be told from
  /// it.
  llvm::SmallVector<SortKey, 2> keys;

  /// Whether the only operand's elements are sorted as integers of their own width, at least 32
  /// bits, of which they can be made again.
  bool hasWholeKeys() const;
  /// Bits of the integers that vectors sort: of whole keys, or of keys above positions; 0 if the
  /// order cannot be told from one such integer.
  int64_t getVectorBits() const;
  /// Whether vectors sort such integers where the result will be: its rows have room for them, one
  /// after the other.
  bool sortsInResult() const;
  /// Bytes of a buffer for one row of such integers with so many vectors behind it; none if they
  /// are sorted in the result.
  int64_t getVectorBufferBytes(int64_t vectors, const Target &target) const;
};

/// Whether lanes of a vector can be brought together with few instructions
/// (codegen/emit/Compress.h).
bool canCompress(const Target &target);

/// Bytes of what a division of a row by a pivot puts aside before it makes room for that in the
/// row: they stay in the first cache.
int64_t getAsideBytes(const Target &target);

/// Bytes of a buffer that holds columns of `size` elements of these types.
int64_t getColumnBytes(int64_t size, llvm::ArrayRef<mlir::Type> columns);

} // namespace hloc

#endif
