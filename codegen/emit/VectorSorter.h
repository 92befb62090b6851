// SPDX-License-Identifier: Apache-2.0
// Emits code that sorts a row of integers in memory with vectors: a quicksort that partitions by
// compressing vectors, and sorts short segments in registers. Not stable. Test:
// test/codegen/SortKernelTest.cpp.

#ifndef HLOC_CODEGEN_EMIT_VECTORSORTER_H
#define HLOC_CODEGEN_EMIT_VECTORSORTER_H

#include "codegen/emit/Compress.h"
#include "codegen/emit/UnitAccess.h"

namespace hloc {

class VectorSorter {
public:
  /// For rows of `size` signed integers of type `element`, with segments of up to `vectors` vectors
  /// sorted in registers. Rows must have room for `vectors` more vectors after them, unless they
  /// are `exact`. Emits code that is shared by all rows at the builder's insertion point.
  VectorSorter(KernelContext &context, mlir::IntegerType element, int64_t size, int64_t vectors,
               bool exact);

  /// Sorts the row at `row`.
  void sort(mlir::Value row);

  // For rows that are sorted in parts, one after the other or at the same time. Such rows are
  // `exact`, and too long for registers.

  /// Sorts kPartSamples elements of the row at `row`; returns them, in memory on the stack.
  MemoryArray sample(mlir::Value row);
  /// Moves the elements from `begin` to `end` that are less than `pivot` to the front; returns
  /// where the others begin.
  mlir::Value divide(mlir::Value row, mlir::Value begin, mlir::Value end, mlir::Value pivot);
  /// Sorts the elements from `begin` to `end`.
  void sort(mlir::Value row, mlir::Value begin, mlir::Value end);

private:
  /// A segment of the row, and how often it may still be partitioned by a sampled pivot.
  struct Segment {
    mlir::Value begin, count, budget;
  };
  struct Pivot {
    mlir::Value value, divides;
  };

  void sortFew(const Segment &segment, int64_t vectors);
  void sortEither(const Segment &segment);
  Pivot choosePivot(const Segment &segment);
  Pivot chooseByExtremes(const Segment &segment, mlir::Value least);
  mlir::Value divide(const Segment &segment, mlir::Value pivot);
  mlir::Value getBudget();
  llvm::SmallVector<mlir::Value> divideEnds(const Segment &segment, mlir::Value wide);
  void move(mlir::Value to, mlir::Value at, mlir::Value from, mlir::Value first, mlir::Value count);
  llvm::SmallVector<mlir::Value> push(const Segment &segment, mlir::Value low, mlir::Value top);
  llvm::SmallVector<mlir::Value> pop(mlir::Value top);
  mlir::Value segmentAt(mlir::Value top, int64_t field);

  UnitAccess access(mlir::Value memory);
  mlir::Value load(mlir::Value memory, mlir::Value at);
  mlir::Value loadFirst(mlir::Value memory, mlir::Value at, mlir::Value live);
  void store(mlir::Value memory, mlir::Value at, mlir::Value value);
  void storeFirst(mlir::Value memory, mlir::Value at, mlir::Value value, mlir::Value count);
  mlir::Value downToWhole(mlir::Value count);
  mlir::Value invert(mlir::Value mask);
  mlir::Value firstLanes(mlir::Value count);
  mlir::Value splat(mlir::Value scalar);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value subtract(mlir::Value x, mlir::Value y);
  mlir::Value isLess(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  mlir::IntegerType element;
  int64_t lanes, size, vectors;
  bool exact;
  mlir::VectorType type;
  std::optional<Compress> compress; // unless a row fits into registers
  int64_t chunk = 0;                // elements of a segment for which `aside` has room
  mlir::Value segments, aside; // on the stack: pending segments, and elements not less than a pivot
  mlir::Value row;
};

} // namespace hloc

#endif
