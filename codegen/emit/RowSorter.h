// SPDX-License-Identifier: Apache-2.0
// Code that sorts one row in memory: columns of equal length, permuted together.

#ifndef HLOC_CODEGEN_EMIT_ROWSORTER_H
#define HLOC_CODEGEN_EMIT_ROWSORTER_H

#include "codegen/KernelEmission.h"

namespace hloc {

class RowSorter {
public:
  /// Whether the elements `x` (one a column) go before `y`; an i1.
  using Less =
      std::function<mlir::Value(llvm::ArrayRef<VectorValue> x, llvm::ArrayRef<VectorValue> y)>;

  /// Rows of `size` elements in columns of these types. A buffer holds one row.
  RowSorter(KernelContext &context, int64_t size, llvm::ArrayRef<mlir::Type> columns);

  int64_t getBufferBytes() const { return bufferBytes; }
  /// Column `which` of the row in `buffer`.
  MemoryArray getColumn(mlir::Value buffer, size_t which);

  /// Sorts the row in `buffer` with the help of `other`; gives the one of them that holds it then.
  /// Stable. Runs of `run` elements are sorted by insertion, then merged.
  mlir::Value mergeSort(mlir::Value buffer, mlir::Value other, int64_t run, const Less &less);
  /// The same for a single column of i64 ordered by its upper half.
  mlir::Value mergeHighHalves(mlir::Value buffer, mlir::Value other, int64_t run);
  /// The same by digits of `values` values (a power of two), if the upper half has `bits` bits: one
  /// pass over the row for each digit, none for those that are alike everywhere.
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
  mlir::Value countMemory; // of radixSort, made when first asked for
};

/// Sorts rows that lie side by side: `rows` holds `size` (a power of two) vectors of 64-bit
/// integers, one row a lane. Not stable.
void emitSortNetwork(KernelContext &context, MemoryArray rows, int64_t size);

/// Builds `while (condition(values)) values = body(values)`.
llvm::SmallVector<mlir::Value>
buildWhile(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange values,
           llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body);

/// `pointer` moved by a number of bytes, of type index or known.
mlir::Value movePointer(IndexBuilder &index, mlir::Value pointer, mlir::Value bytes);

} // namespace hloc

#endif
