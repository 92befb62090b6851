// SPDX-License-Identifier: Apache-2.0
// Emits code that sorts one row in memory: columns of equal length that are permuted together.

#ifndef HLOC_CODEGEN_EMIT_ROWSORTER_H
#define HLOC_CODEGEN_EMIT_ROWSORTER_H

#include "codegen/KernelEmission.h"

namespace hloc {

class RowSorter {
public:
  /// An i1: true if the elements `x`, one per column, go before `y`.
  using Less =
      std::function<mlir::Value(llvm::ArrayRef<VectorValue> x, llvm::ArrayRef<VectorValue> y)>;

  /// For rows of `size` elements in columns of these types. A buffer holds one row.
  RowSorter(KernelContext &context, int64_t size, llvm::ArrayRef<mlir::Type> columns);

  int64_t getBufferBytes() const { return bufferBytes; }
  /// Column `which` of the row in `buffer`.
  MemoryArray getColumn(mlir::Value buffer, size_t which);

  /// Sorts the row in `buffer`, using `other` as temporary memory; returns the one that holds the
  /// sorted row. Stable. Runs of `run` elements are sorted by insertion, then merged.
  mlir::Value mergeSort(mlir::Value buffer, mlir::Value other, int64_t run, const Less &less);
  /// Likewise for a single column of i64 that is ordered by its upper half.
  mlir::Value mergeHighHalves(mlir::Value buffer, mlir::Value other, int64_t run);
  /// Likewise by a radix sort with digits of `values` values (a power of two), where the upper half
  /// has `bits` bits. There is a pass over the row for each digit, except for digits that are equal
  /// in all elements.
  mlir::Value radixSort(mlir::Value buffer, mlir::Value other, int64_t bits, int64_t values);

private:
  llvm::SmallVector<VectorValue> load(mlir::Value buffer, mlir::Value at);
  void store(mlir::Value buffer, mlir::Value at, llvm::ArrayRef<VectorValue> elements);
  void sortRuns(mlir::Value buffer, int64_t run, const Less &less);
  void merge(mlir::Value from, mlir::Value to, mlir::Value low, mlir::Value middle,
             mlir::Value high, const Less &less);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  int64_t size, bufferBytes = 0;
  llvm::SmallVector<mlir::Type> columns;
  llvm::SmallVector<int64_t> offsets;
  mlir::Value countMemory; // counters of radixSort, allocated when first needed
};

/// Sorts several rows at once with a sorting network: `rows` holds `size` (a power of two) vectors
/// of 64-bit integers, with one row in each lane. Not stable.
void emitSortNetwork(KernelContext &context, MemoryArray rows, int64_t size);

/// Builds `while (condition(values)) values = body(values)`.
llvm::SmallVector<mlir::Value>
buildWhile(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange values,
           llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body);

} // namespace hloc

#endif
