// SPDX-License-Identifier: Apache-2.0
// Emits a kernel function of the hlo dialect as a function on plain pointers. The pass emit-kernels
// (Passes.td), which documents the arguments, does so for each kernel.

#ifndef HLOC_CODEGEN_KERNELEMISSION_H
#define HLOC_CODEGEN_KERNELEMISSION_H

#include "codegen/emit/ElementEmitter.h"
#include "compiler/target/Cost.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/kernels/ArraySizes.h"

namespace hloc {

struct KernelProblem;

/// How units access arrays, for kernels whose units traverse their arrays in order: batch by batch,
/// each an equal part of every output, and possibly block by block of the rows within a batch.
/// Launches of such kernels that use each other's results can run tile by tile (FusedTileGroup.h).
struct TileAccess {
  int64_t batches = 0, batchUnits = 0;
  /// Rows of a batch, rows of a block, and units of a block; no rows if units do not follow them.
  int64_t rows = 0, blockRows = 0, blockUnits = 0;
  /// True if the rows are also those of the outputs; false if they are rows of an operand only.
  bool writesRows = true;
  /// Inputs of which the units of a batch read only that batch; and inputs of which the units of a
  /// block read only that block.
  llvm::SmallVector<unsigned> batchInputs, rowInputs;
};

/// How a launch runs an emitted kernel.
struct KernelSchedule {
  /// The number of units of work; 0 if there is nothing to do.
  int64_t units = 1;
  /// How many phases of equally many units these are: the units of a phase begin when all those of
  /// the phases before are complete.
  int64_t phases = 1;
  /// The number of tasks that the units of a phase form if a launch is divided; 1 if it cannot be.
  int64_t tasks = 1;
  /// Predicted nanoseconds on one core, rounded up; 0 if the kernel cannot be divided.
  int64_t time = 0;
  /// Bytes that a launch accesses of each input and of each output; none if that is not known.
  llvm::SmallVector<int64_t> accessed;
  /// Bytes of scratch memory that a launch must provide.
  int64_t scratchBytes = 0;
  /// True if the kernel is straight-line code, to be inlined where it is launched.
  bool isUnrolled = false;
  /// The number of operations that the kernel was made of; and true if it is so small that its code
  /// is kept in the program's object.
  int64_t operations = 0;
  bool isSmall = false;
  /// True if the kernel uses matrix registers, which the system must have permitted.
  bool usesMatrices = false;
  /// No batches if units traverse the arrays in another order.
  TileAccess blocks;
};

/// What kernels of every kind need while their loops are built.
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
  /// The kernel's schedule (passes/schedule); null if it lacks the operation that its kind names.
  hlo::ScheduleAttr chosen;

  hlo::ReturnOp getReturn() {
    return llvm::cast<hlo::ReturnOp>(kernel.getBody().front().getTerminator());
  }
  mlir::Block &getBody() { return kernel.getBody().front(); }
  MemoryArray getOutput(unsigned which);
  /// For each result of `op` the number of the output that it is, -1 if it is none. Fails with an
  /// error if the kernel returns anything else.
  llvm::FailureOr<llvm::SmallVector<int64_t>> findOutputs(mlir::Operation *op);
  MemoryArray getInput(unsigned which);
  /// Scratch memory, shared by all units of a launch; its size is in `chosen`.
  mlir::Value getScratch();
  /// The range of units, as index values.
  mlir::Value getBegin(), getEnd();

  /// Allocates `bytes` on the stack, once at the function's entry.
  mlir::Value allocateOnStack(int64_t bytes);
  /// Emits a function next to the kernel, for code that would otherwise be repeated: `body` builds
  /// it from its arguments, all pointers and integers, and returns its only result.
  mlir::LLVM::LLVMFuncOp buildFunction(llvm::StringRef suffix, llvm::ArrayRef<mlir::Type> arguments,
                                       llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
  KernelProblem getProblem();
  /// Divides the kernel's work into `units`. Units that may write to the same byte stay in one
  /// task: those of kernels with packed results, unless units begin `atBytes`.
  void setUnits(int64_t units, bool atBytes = false);
  /// Sets the number of tasks from the predicted time, once the units are known, and what a launch
  /// accesses.
  void finishTasks();
  /// Makes the loops emitted so far prefetch the large arrays that they read and write, if the
  /// schedule says so.
  void prefetchStreams();
  /// Computes the elements of all results at index `at`, then stores them: in this order because a
  /// result may overwrite an input. Index `at` is in `shape`, to which each result can be reshaped.
  void storeResults(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<VectorIndex> at, Mask mask);
  /// True if elements of some output share bytes, so that a row or a tile may begin within a byte.
  bool packsOutputs();
};

/// Emits `kernel` as a function `name` of `module`, in the arith, math, vector, scf and llvm
/// dialects. Reports what it cannot emit at the location of the operation.
llvm::FailureOr<KernelSchedule> emitKernel(hlo::KernelFunctionOp kernel, mlir::ModuleOp program,
                                           const Target &target, mlir::ModuleOp module,
                                           llvm::StringRef name);

/// True if a kernel is so small that straight-line code is tried.
bool isSmall(hlo::KernelFunctionOp kernel);
/// Emits a small kernel as straight-line code, if its kind has such a form. Returns false if the
/// kernel is not small or if loops are better.
bool emitUnrolledKernel(KernelContext &context);

// One function per kind: builds the loops at the context's builder and sets its schedule.
llvm::LogicalResult emitLoopKernel(KernelContext &context);
/// A loop kernel in tiles, with an operand that is transposed.
void emitTransposeLoop(KernelContext &context);
/// A loop kernel in blocks of a transposed operand that are staged in L1.
void emitStagedLoop(KernelContext &context);
/// A loop kernel with a loop for each piece of a concatenation.
void emitPiecesLoop(KernelContext &context);
llvm::LogicalResult emitReduceKernel(KernelContext &context);
llvm::LogicalResult emitUpdateKernel(KernelContext &context);
llvm::LogicalResult emitDotKernel(KernelContext &context);
llvm::LogicalResult emitConvolutionKernel(KernelContext &context);
llvm::LogicalResult emitWindowKernel(KernelContext &context);
llvm::LogicalResult emitScanKernel(KernelContext &context);
llvm::LogicalResult emitSortKernel(KernelContext &context);
llvm::LogicalResult emitScatterKernel(KernelContext &context);
/// A sort kernel that contains a topk.
llvm::LogicalResult emitTopkKernel(KernelContext &context, hlo::TopkOp op);

//===-- Loops --------------------------------------------------------------------------------===//

/// Whether a loop may have no iterations (Any) or has at least one (Some); this matters if its
/// bounds are not constant.
enum class Rounds { Any, Some };

/// Builds `for (i = lower; i < upper; i += step)` carrying `values`. `body` gets the index and the
/// carried values and returns the next ones. Values that the emitter computes in the body are not
/// reused after it.
llvm::SmallVector<mlir::Value>
buildFor(KernelContext &context, mlir::Value lower, mlir::Value upper, int64_t step,
         mlir::ValueRange values,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body,
         Rounds rounds = Rounds::Any);

/// Likewise without carried values.
void buildFor(KernelContext &context, mlir::Value lower, mlir::Value upper, int64_t step,
              llvm::function_ref<void(mlir::Value)> body, Rounds rounds = Rounds::Any);

/// The same index, whose value is hidden from LLVM.
mlir::Value hideConstant(mlir::ImplicitLocOpBuilder &b, mlir::Value index);

/// Loops over the elements of `sizes` in row-major order, one loop per dimension.
llvm::SmallVector<mlir::Value>
buildNest(KernelContext &context, llvm::ArrayRef<int64_t> sizes, mlir::ValueRange values,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<VectorIndex>,
                                                            mlir::ValueRange)>
              body);

/// Loops over `size` elements, one vector at a time; the remainder uses a mask.
llvm::SmallVector<mlir::Value> buildLanes(
    KernelContext &context, int64_t size, mlir::ValueRange values,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(VectorIndex, Mask, mlir::ValueRange)> body);

/// Builds a loop over the whole vectors of the row at the index `row`: those that begin at `lower`,
/// a multiple of the lanes, and so on up to `upper`. `vectorAt` emits the code of one.
using BuildVectors =
    llvm::function_ref<void(llvm::ArrayRef<VectorIndex> row, mlir::Value lower, mlir::Value upper,
                            llvm::function_ref<void(VectorIndex)> vectorAt)>;
void buildVectors(KernelContext &context, mlir::Value lower, mlir::Value upper,
                  llvm::function_ref<void(VectorIndex)> vectorAt);

/// Loops over a non-empty array of `shape` (of rank at least one) with lanes along the minor
/// dimension. If `parallel`, the units of `context` are the indices into the leading dimensions;
/// otherwise there is one unit. `vectors` builds the loops over whole vectors, if it is not null.
void buildRows(KernelContext &context, llvm::ArrayRef<int64_t> shape, bool parallel,
               llvm::function_ref<void(llvm::ArrayRef<VectorIndex>, Mask)> body,
               BuildVectors vectors = nullptr);

/// The mask of the first `count` lanes.
Mask firstLanes(IndexBuilder &index, int64_t count);

} // namespace hloc

#endif
