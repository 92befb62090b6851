// SPDX-License-Identifier: Apache-2.0
// Sorts rows with vectors (codegen/emit/VectorSorter.h), as integers of the same order: the
// elements' own keys (WholeKeys.h), or entries of a key above a position. Test:
// test/codegen/SortKernelTest.cpp.

#ifndef HLOC_CODEGEN_KERNELS_SORT_VECTORROW_H
#define HLOC_CODEGEN_KERNELS_SORT_VECTORROW_H

#include "codegen/emit/VectorSorter.h"
#include "codegen/kernels/sort/WholeKeys.h"
#include "passes/schedule/SortProblem.h"

namespace hloc {

class VectorRow {
public:
  /// How the kernel reads and writes the current row: elements of its only operand if there are
  /// whole keys, otherwise entries.
  struct RowAccess {
    WholeKeys::Read read;
    WholeKeys::Write write;
    std::function<mlir::Value(VectorIndex position, Mask mask)> makeEntry;
    std::function<void(mlir::Value entry, VectorIndex position, Mask mask)> writeEntry;
  };

  /// With segments of up to `vectors` vectors sorted in registers.
  VectorRow(KernelContext &context, const SortProblem &problem, int64_t vectors, RowAccess access);

  // Both functions return false if keys cannot be emitted.

  /// Sorts the current row by means of `buffer`.
  bool sort(mlir::Value buffer);
  /// Makes a kernel of a single row, which several units sort together in `parts`; they tell each
  /// other what they need in the memory `shared`.
  bool sortInParts(mlir::Value buffer, mlir::Value shared, int64_t parts);

private:
  using Loop = WholeKeys::Loop;
  mlir::Value fill(mlir::Value buffer, Loop loop);
  void put(mlir::Value buffer, Loop loop);
  mlir::Value turnSign(mlir::Value entry);
  MemoryArray entriesAt(mlir::Value buffer);
  void addDivision(class Phases &phases, mlir::Value buffer, int64_t parts, int64_t bounds);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  const SortProblem &problem;
  mlir::IntegerType type;
  RowAccess access;
  VectorSorter sorter;
  std::optional<WholeKeys> whole;
};

} // namespace hloc

#endif
