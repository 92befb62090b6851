// SPDX-License-Identifier: Apache-2.0
// From a kernel function of the hlo dialect to a function over plain pointers, which the pass
// emit-kernels (Passes.td) makes of each; there stands what its arguments are.

#ifndef HLOC_CODEGEN_KERNELEMISSION_H
#define HLOC_CODEGEN_KERNELEMISSION_H

#include "codegen/emit/ElementEmitter.h"
#include "compiler/target/Cost.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/kernels/ArraySizes.h"

namespace hloc {

struct KernelProblem;

/// Kernels whose units go through their arrays in order: batch by batch, every one an equal part of
/// each output, and perhaps within a batch block by block of its rows. Launches of such kernels
/// that work on each other's results can run tile by tile (FusedTileGroup.h).
struct TileAccess {
  int64_t batches = 0, batchUnits = 0;
  /// Rows of a batch, those of a block and the units of one; no rows if units do not go by them.
  int64_t rows = 0, blockRows = 0, blockUnits = 0;
  /// Whether the rows are the outputs' too, or those of an operand alone.
  bool writesRows = true;
  /// Inputs of which the units of a batch read that batch alone, and of those of a block that block
  /// alone.
  llvm::SmallVector<unsigned> batchInputs, rowInputs;
};

/// How a launch runs an emitted kernel.
struct KernelSchedule {
  /// Units of work; 0 if there is nothing to do.
  int64_t units = 1;
  /// Units worth a task of their own; a launch of no more than this stays serial.
  int64_t grain = 1;
  /// What its launch is to give it of scratch memory.
  int64_t scratchBytes = 0;
  /// Whether it is straight-line code, to be inlined wherever it is launched.
  bool isUnrolled = false;
  /// Operations that the kernel was made of, and whether it does so little that its code belongs
  /// beside the program's.
  int64_t operations = 0;
  bool isSmall = false;
  /// No batches if units go in another order.
  TileAccess blocks;
};

/// What every kind of kernel needs while its loops are being built.
struct KernelContext {
  KernelContext(hlo::KernelFunctionOp kernel, mlir::ModuleOp program, const Target &target,
                mlir::LLVM::LLVMFuncOp function);

  hlo::KernelFunctionOp kernel;
  mlir::ModuleOp program;
  const Target &target;
  CostModel costs;
  mlir::LLVM::LLVMFuncOp function;
  mlir::ImplicitLocOpBuilder b;
  IndexBuilder index;
  ElementEmitter emitter;
  KernelSchedule schedule;
  /// How the kernel is done (passes/schedule); null if it does not hold what its kind says.
  hlo::ScheduleAttr chosen;

  hlo::ReturnOp getReturn() {
    return llvm::cast<hlo::ReturnOp>(kernel.getBody().front().getTerminator());
  }
  mlir::Block &getBody() { return kernel.getBody().front(); }
  MemoryArray getOutput(unsigned which);
  /// For each result of `op` the output that it is, -1 if it is none. Fails with an error if the
  /// kernel gives anything else.
  llvm::FailureOr<llvm::SmallVector<int64_t>> findOutputs(mlir::Operation *op);
  MemoryArray getInput(unsigned which);
  /// Scratch memory, shared by all units of a launch; as much as `chosen` says.
  mlir::Value getScratch();
  /// The range of units, as index values.
  mlir::Value getBegin(), getEnd();

  /// Memory of `bytes` on the stack, allocated once at the function's entry.
  mlir::Value allocateOnStack(int64_t bytes);
  /// A function beside the kernel, for code that would stand in several places: `body` builds it
  /// from its arguments, all pointers and integers, and gives its only result.
  mlir::LLVM::LLVMFuncOp buildFunction(llvm::StringRef suffix, llvm::ArrayRef<mlir::Type> arguments,
                                       llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
  KernelProblem getProblem();
  /// Nanoseconds that the kernel takes on one core, done as `chosen` says.
  double getPredictedTime();
  /// Divides the kernel's work into `units`, and those among tasks for threads: as many tasks as
  /// its predicted time is worth. Units that may write into the same byte stay on one thread: those
  /// of kernels with packed results, but where units begin `atBytes`.
  void setUnits(int64_t units, bool atBytes = false);
  /// Makes the loops that are there ask for what they read and write later of large arrays.
  void prefetchStreams();
  /// Whether elements of some output share bytes, so that a row or a tile may begin within one.
  bool packsOutputs();
};

/// Emits `kernel` as a function called `name` of `module`. The ops it uses are of the arith, math,
/// vector, scf and llvm dialects. Reports what it cannot emit at the operation's place.
llvm::FailureOr<KernelSchedule> emitKernel(hlo::KernelFunctionOp kernel, mlir::ModuleOp program,
                                           const Target &target, mlir::ModuleOp module,
                                           llvm::StringRef name);

/// Whether a kernel is small enough for straight-line code to be tried.
bool isSmall(hlo::KernelFunctionOp kernel);
/// Emits a small kernel of a kind that has such a form as straight-line code; false if it is not
/// small, or better off with its kind's loops.
bool emitUnrolledKernel(KernelContext &context);

// One function a kind: builds the loops at the context's builder and sets its schedule.
llvm::LogicalResult emitLoopKernel(KernelContext &context);
/// A loop kernel in tiles, whose results lie across an operand.
void emitTransposeLoop(KernelContext &context);
llvm::LogicalResult emitReduceKernel(KernelContext &context);
llvm::LogicalResult emitUpdateKernel(KernelContext &context);
llvm::LogicalResult emitDotKernel(KernelContext &context);
llvm::LogicalResult emitConvolutionKernel(KernelContext &context);
llvm::LogicalResult emitWindowKernel(KernelContext &context);
llvm::LogicalResult emitScanKernel(KernelContext &context);
llvm::LogicalResult emitSortKernel(KernelContext &context);
llvm::LogicalResult emitScatterKernel(KernelContext &context);
/// A sort kernel that holds a topk.
llvm::LogicalResult emitTopkKernel(KernelContext &context, hlo::TopkOp op);

//===-- Loops --------------------------------------------------------------------------------===//

/// Whether a loop may have no round at all; if it has bounds that are not constants, only its
/// builder knows.
enum class Rounds { Any, Some };

/// Builds `for (i = lower; i < upper; i += step)` carrying `values`; `body` gets the index and the
/// carried values and gives the next ones. The emitter's memory of values ends with the body.
llvm::SmallVector<mlir::Value>
buildFor(KernelContext &context, mlir::Value lower, mlir::Value upper, int64_t step,
         mlir::ValueRange values,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body,
         Rounds rounds = Rounds::Any);

/// The same without carried values.
void buildFor(KernelContext &context, mlir::Value lower, mlir::Value upper, int64_t step,
              llvm::function_ref<void(mlir::Value)> body, Rounds rounds = Rounds::Any);

/// The same index, of which LLVM knows nothing.
mlir::Value hideConstant(mlir::ImplicitLocOpBuilder &b, mlir::Value index);

/// Loops over the row-major elements of `sizes`, one loop a dimension.
llvm::SmallVector<mlir::Value>
buildNest(KernelContext &context, llvm::ArrayRef<int64_t> sizes, mlir::ValueRange values,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<VectorIndex>,
                                                            mlir::ValueRange)>
              body);

/// Loops over `size` elements, as many lanes at a time; what is left over is done with a mask.
llvm::SmallVector<mlir::Value> buildLanes(
    KernelContext &context, int64_t size, mlir::ValueRange values,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(VectorIndex, Mask, mlir::ValueRange)> body);

/// Loops over an array of `shape` (of one dimension at least, and not empty), lanes along the minor
/// dimension. Units of `context` become the indices into the leading dimensions, or, unless it is
/// `parallel`, one.
void buildRows(KernelContext &context, llvm::ArrayRef<int64_t> shape, bool parallel,
               llvm::function_ref<void(llvm::ArrayRef<VectorIndex>, Mask)> body);

/// The mask of the first `count` lanes.
Mask firstLanes(IndexBuilder &index, int64_t count);

} // namespace hloc

#endif
