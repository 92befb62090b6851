// SPDX-License-Identifier: Apache-2.0
// Emits a scatter kernel. ScatterKernel.cpp applies windows, ScatterRanges.cpp finds those of a
// unit, and ScatterStages.cpp computes indices and updates in advance.

#ifndef HLOC_CODEGEN_KERNELS_SCATTER_SCATTERKERNEL_H
#define HLOC_CODEGEN_KERNELS_SCATTER_SCATTERKERNEL_H

#include "codegen/KernelEmission.h"
#include "codegen/emit/Compress.h"
#include "passes/schedule/ScatterProblem.h"

namespace hloc {

class ScatterKernel {
public:
  ScatterKernel(KernelContext &context, hlo::ScatterOp op, hlo::ComputationOp computation)
      : context(context), b(context.b), index(context.index), op(op), computation(computation),
        problem(op), operandType(problem.operandType), indicesType(problem.indicesType),
        updateType(problem.updateType), scatterSizes(problem.scatterSizes),
        windowSizes(problem.windowSizes), operandDims(problem.operandDims) {}

  llvm::LogicalResult emit();

private:
  llvm::LogicalResult analyze();
  void planUnits();
  mlir::Value isInRange(mlir::Value start);
  mlir::Value findWindows(llvm::ArrayRef<VectorIndex> outer, mlir::Value start, mlir::Value end);
  void emitRanges();
  void planStages();
  void fillStages(llvm::ArrayRef<VectorIndex> outer, mlir::Value start, mlir::Value end);
  void emitStagedWindows();
  void emitStages(mlir::Value first, mlir::Value last);
  void emitStagedUnits(int64_t units);
  void applyWindows(llvm::ArrayRef<VectorIndex> outer, mlir::Value start, mlir::Value end);
  void planCopies();
  void addCopies();
  void addTables(mlir::Value unit, int64_t units);
  void clear(const MemoryArray &table);
  void forEachVector(llvm::function_ref<void(VectorIndex at, Mask mask)> body);
  MemoryArray getUnitTable(mlir::Value unit);
  VectorValue emitScalar(mlir::Value array, llvm::ArrayRef<VectorIndex> place,
                         llvm::ArrayRef<VectorIndex> scatter, int64_t component);
  ElementIndex indicesPlace(llvm::ArrayRef<VectorIndex> scatter, int64_t component);
  void emitWindow(llvm::ArrayRef<VectorIndex> scatter);
  void emitWindowElements(llvm::ArrayRef<VectorIndex> scatter, llvm::ArrayRef<VectorIndex> starts);
  /// What windows are combined into at present: operand number `i`, the unit's table, or a copy.
  MemoryArray getTable(size_t i) const {
    MemoryArray output = context.getOutput(outputOf[i]);
    return copy        ? MemoryArray{copies[*copy].pointer, output.type}
           : unitTable ? MemoryArray{unitTable->pointer, output.type}
                       : output;
  }
  void combineAt(llvm::ArrayRef<VectorIndex> scatter, llvm::ArrayRef<VectorIndex> starts,
                 llvm::ArrayRef<VectorIndex> within, Mask mask);

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  hlo::ScatterOp op;
  hlo::ComputationOp computation;
  ScatterProblem problem;
  mlir::RankedTensorType operandType, indicesType, updateType;
  llvm::ArrayRef<int64_t> scatterSizes, windowSizes, operandDims;

  llvm::SmallVector<unsigned> outputOf; // of each operand
  int64_t lanes = 1;
  /// The range of the split dimension that the task owns; null if it owns all of it.
  mlir::Value splitLower, splitUpper;
  /// With ranges: that of the operand's dimension, the numbers of the windows that begin in it, and
  /// how to collect these in vectors, if there are instructions for it.
  mlir::Value rangeLower, rangeUpper;
  MemoryArray found;
  std::optional<Compress> compress;

  /// The elements of `array`, which is the indices or an update, for some windows along the minor
  /// scatter dimension: [component][window].
  struct Stage {
    mlir::Value array;
    MemoryArray memory;
  };
  llvm::SmallVector<Stage> stages;
  mlir::Value stageStart; ///< the first window of the stages

  /// Copies of the operand, without its dimensions, and the number of the one to which windows are
  /// added at present; none if that is the operand itself.
  llvm::SmallVector<MemoryArray> copies;
  std::optional<size_t> copy;
  /// With copies and several units: what a unit counts, in the operand's place.
  std::optional<MemoryArray> unitTable;
};

} // namespace hloc

#endif
