// SPDX-License-Identifier: Apache-2.0
// A radix sort of one row by several units together. Test: test/codegen/sort-parts.hlo.

#ifndef HLOC_CODEGEN_KERNELS_SORT_DIGITPARTS_H
#define HLOC_CODEGEN_KERNELS_SORT_DIGITPARTS_H

#include "codegen/emit/Phases.h"
#include "passes/schedule/SortProblem.h"

namespace hloc {

class DigitParts {
public:
  /// For a row of 64-bit entries in two buffers that follow each other from `buffers` on, in
  /// `parts` and with digits of `values` values. Units tell each other what they need in the memory
  /// `shared`.
  DigitParts(KernelContext &context, const SortProblem &problem, int64_t values, int64_t parts,
             mlir::Value shared, mlir::Value buffers);

  /// Builds a loop over a part of the row.
  using Loop = llvm::function_ref<void(
      llvm::function_ref<void(VectorIndex position, Mask mask)> elementsAt)>;

  /// Adds a phase in which each unit visits its share of the entries, in whichever buffer they are.
  void visit(llvm::function_ref<void(mlir::Value buffer, Loop loop)> body);
  /// Adds the phases that sort the entries by the lowest `bits` bits of their upper halves.
  void sort(int64_t bits);
  void finish() { phases.finish(); }

private:
  mlir::Value getBuffer(mlir::Value pass, bool isOther);
  mlir::Value digitOf(mlir::Value entry, mlir::Value pass);
  VectorIndex countAt(mlir::Value part, mlir::Value digit);
  void forEachEntry(mlir::Value part, llvm::function_ref<void(mlir::Value position)> body);
  void count(mlir::Value from, mlir::Value pass, mlir::Value part);
  mlir::Value findStarts(mlir::Value part);
  void move(mlir::Value from, mlir::Value to, mlir::Value pass, mlir::Value part);
  mlir::Value countUp(MemoryArray counters, VectorIndex at);
  mlir::Value constant(mlir::Type type, int64_t value);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  int64_t size, values, parts, share;
  Phases phases;
  int64_t places;   ///< of the numbers of the buffers that hold the entries before each pass
  int64_t done = 0; ///< passes that were added
  mlir::Value buffers;
  MemoryArray counts; ///< [part][value], of the present pass
  MemoryArray starts; ///< of this unit: where the next entry with a value goes
};

} // namespace hloc

#endif
