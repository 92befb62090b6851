// SPDX-License-Identifier: Apache-2.0
// The rows that a sort orders, and the keys. Schedules are chosen from this description
// (SortStrategies.cpp), and code is generated from it (codegen/kernels/sort).

#ifndef HLOC_PASSES_SCHEDULE_SORTPROBLEM_H
#define HLOC_PASSES_SCHEDULE_SORTPROBLEM_H

#include "compiler/target/Target.h"
#include "passes/schedule/SortKey.h"

namespace hloc {

struct SortProblem {
  /// `comparator` is the computation that the sort names, or null.
  SortProblem(hlo::SortOp op, hlo::ComputationOp comparator);

  /// Bytes of a buffer for one row: of entries, if there are keys, else of all operands' elements.
  int64_t getBufferBytes() const;
  /// Passes over a row to sort it by all keys, with digits of `values` values.
  int64_t countDigitPasses(int64_t values) const;
  /// Bytes of what the units that sort a row in `parts` with such digits tell each other.
  int64_t getDigitsSharedBytes(int64_t values, int64_t parts) const;
  /// The types of a buffer's columns.
  llvm::SmallVector<mlir::Type> getColumns() const;

  llvm::ArrayRef<int64_t> shape;
  /// The sorted dimension, its size, and the sizes of the others.
  int64_t dimension, size, rows = 1;
  llvm::SmallVector<int64_t> rowShape;
  llvm::SmallVector<mlir::Type> elements; // of each operand
  /// True if an operand has elements of less than a byte.
  bool sharesBytes = false;
  /// The keys that the comparator orders by, the most significant first; none if it is not
  /// recognized.
  llvm::SmallVector<SortKey, 2> keys;

  /// True if there is one operand, and its elements can be sorted as integers of their own width
  /// (at least 32 bits) and recovered from these.
  bool hasWholeKeys() const;
  /// Width of the integers that sort.vectors sorts: whole keys, or keys above positions; 0 if one
  /// such integer does not determine the order.
  int64_t getVectorBits() const;
  /// True if sort.vectors sorts these integers in the memory of the result: its rows are
  /// contiguous, and its elements as wide as the integers.
  bool sortsInResult() const;
  /// Bytes of a buffer for one row of such integers, with `vectors` vectors of padding at its end;
  /// 0 if they are sorted in the result.
  int64_t getVectorBufferBytes(int64_t vectors, const Target &target) const;
};

/// True if the selected lanes of a vector can be compressed with few instructions
/// (codegen/emit/Compress.h).
bool canCompress(const Target &target);

/// Choice of topk.select: candidates are sorted in vector registers.
inline constexpr llvm::StringLiteral kInRegisters = "registers";

/// Bytes of the temporary memory in which sort.vectors collects one side while it partitions a
/// segment by a pivot: it stays in the L1 cache. Longer segments are first partitioned from both
/// ends, as many vectors at a time.
int64_t getAsideBytes(const Target &target);
inline constexpr int64_t kVectorsAtOnce = 8;

/// Elements of a long row that are sorted to find where its parts begin, and those of the runs in
/// which that starts.
inline constexpr int64_t kPartSamples = 256, kSampleRun = 8;
/// Bytes of what the units that sort a row in `parts` with vectors tell each other.
int64_t getSharedBytes(int64_t parts);

/// Bytes of a buffer that holds columns of `size` elements of these types.
int64_t getColumnBytes(int64_t size, llvm::ArrayRef<mlir::Type> columns);

} // namespace hloc

#endif
