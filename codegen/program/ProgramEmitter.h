// SPDX-License-Identifier: Apache-2.0
// Turns the program on memory into the body of the entry function: what the parts share.
// Program.cpp visits operations; ProgramLaunches.cpp launches kernels, alone and in groups that run
// tile by tile; Copies.cpp copies arrays; ProgramFunctions.cpp makes the functions, main's and
// those of asynchronous computations.

#ifndef HLOC_CODEGEN_PROGRAM_PROGRAMEMITTER_H
#define HLOC_CODEGEN_PROGRAM_PROGRAMEMITTER_H

#include "codegen/program/AsyncCalls.h"
#include "codegen/program/FusedTileGroup.h"
#include "codegen/program/Globals.h"
#include "codegen/program/Program.h"
#include "codegen/program/Trace.h"
#include "mlir/IR/IRMapping.h"

namespace hloc {

/// Slots of the frame that a copy uses.
constexpr size_t kCopyFrame = 4;

class ProgramEmitter {
public:
  ProgramEmitter(mlir::ModuleOp program, const llvm::StringMap<KernelSchedule> &schedules,
                 const ProgramNames &names, const Target &target)
      : program(program), schedules(schedules), names(names), target(target),
        b(program.getLoc(), program.getContext()), globals(b, program, names.prefix),
        tracer(b, globals, target.trace),
        asyncCalls(b, globals, tracer, program, names, target.singleThreaded), functions(program) {
    pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  }

  llvm::LogicalResult emit();

private:
  void declareConstants();
  void declareFunctions();
  /// Bytes of the function's own temporaries, including its kernels' scratch memory.
  static int64_t getOwnBytes(mlir::func::FuncOp function);
  int64_t getArenaBytes(mlir::func::FuncOp function);
  mlir::LogicalResult emitBody(mlir::func::FuncOp function);
  mlir::LogicalResult emitOperations(mlir::Block &block);
  mlir::LogicalResult emitOperation(mlir::Operation &op);
  std::optional<FusedTileGroup> findGroup(mlir::Operation &op);
  mlir::LogicalResult emitGroup(const FusedTileGroup &group);
  mlir::LLVM::LLVMFuncOp getGroupTask(const FusedTileGroup &group, int64_t grain);
  mlir::LogicalResult emitScalar(mlir::Operation *op);
  mlir::LogicalResult emitLaunch(hlo::LaunchOp launch);
  mlir::LogicalResult emitCall(hlo::RuntimeCallOp call);
  void emitCopy(mlir::memref::CopyOp copy);
  mlir::Value locate(mlir::Value buffer);
  void declareNoAlias(mlir::func::FuncOp function, mlir::LLVM::LLVMFuncOp body);
  /// Which results of `function` may share the memory of which arguments.
  mlir::ArrayAttr getAliases(mlir::func::FuncOp function);
  mlir::LLVM::LLVMFuncOp beginTask(llvm::StringRef symbol);
  mlir::LLVM::LLVMFuncOp getTask(hlo::LaunchOp launch, const KernelSchedule &schedule);
  mlir::LLVM::LLVMFuncOp getCopyTask();
  /// Runs a `task` made by beginTask for `tasks` tasks, with `frame` as its table.
  void callParallel(int64_t tasks, mlir::LLVM::LLVMFuncOp task);

  mlir::Value constant(mlir::Type type, int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  mlir::Value offset(mlir::Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    return mlir::LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{int32_t(bytes)});
  }
  mlir::Value offset64(mlir::Value base, int64_t bytes) {
    if (bytes < int64_t(1) << 28) // a constant index of the operation has 29 bits
      return offset(base, bytes);
    return mlir::LLVM::GEPOp::create(
        b, pointer, b.getI8Type(), base,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{constant(b.getI64Type(), bytes)});
  }
  /// Memory on the stack that lasts for the whole call.
  mlir::Value stack(int64_t bytes, int64_t alignment) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    auto type = mlir::LLVM::LLVMArrayType::get(b.getI8Type(), std::max<int64_t>(bytes, 1));
    return mlir::LLVM::AllocaOp::create(b, pointer, type, constant(b.getI64Type(), 1), alignment);
  }
  static unsigned getResultCount(mlir::func::FuncOp main) {
    return main->getAttrOfType<mlir::IntegerAttr>("hlo.results").getInt();
  }
  static int64_t bytesOf(mlir::Type type) {
    auto memory = llvm::cast<mlir::MemRefType>(type);
    return getByteSize(mlir::RankedTensorType::get(memory.getShape(), memory.getElementType()));
  }
  mlir::Value addressOf(llvm::StringRef symbol) {
    return mlir::LLVM::AddressOfOp::create(b, pointer, symbol);
  }
  mlir::LLVM::LLVMFuncOp getKernel(hlo::LaunchOp launch) {
    return functions.lookup<mlir::LLVM::LLVMFuncOp>(getKernelSymbol(names, launch.getKernel()));
  }

  mlir::ModuleOp program;
  const llvm::StringMap<KernelSchedule> &schedules;
  const ProgramNames &names;
  const Target &target;
  mlir::ImplicitLocOpBuilder b;
  Globals globals;
  Tracer tracer;
  AsyncCalls asyncCalls;
  /// Symbols of the kernels, and the functions that parallel loops call.
  mlir::SymbolTable functions;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> tasks;
  mlir::LLVM::LLVMFuncOp copyTask;
  mlir::Type pointer;

  mlir::Block *entry = nullptr;
  mlir::Value context, arena, status, frame;
  /// The address of the mapped weights, in functions that read them; and the offsets of constants
  /// in the file.
  mlir::Value weights;
  llvm::StringMap<int64_t> weightsOffsets;
  /// Table and index of the addresses of arguments and results, if the body takes the host's
  /// tables.
  llvm::SmallDenseMap<mlir::Value, std::pair<mlir::Value, int64_t>> tableEntries;
  mlir::IRMapping values;
};

} // namespace hloc

#endif
