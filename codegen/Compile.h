// SPDX-License-Identifier: Apache-2.0
// A program on memory, compiled: the whole of codegen in one call.

#ifndef HLOC_CODEGEN_COMPILE_H
#define HLOC_CODEGEN_COMPILE_H

#include "codegen/program/Program.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/IR/Module.h"

namespace hloc {

class CompileCache;

enum class CodeForm { LlvmIr, Assembly, Object };

struct CompiledProgram {
  ProgramMemory memory;
  /// Of each kernel; of the last target's program, if there are several.
  llvm::StringMap<KernelSchedule> schedules;
  /// The relocatable object, or the text in the form asked for.
  llvm::SmallVector<char, 0> code;
  /// With a time budget: LLVM's level for the kernels that it does less for, and, without a name,
  /// for the program itself.
  llvm::StringMap<int> levels;
  /// Bytes of machine code and of constants.
  int64_t codeBytes = 0, constantBytes = 0;
  /// Bytes of machine code of each function that was not inlined everywhere, by symbol.
  llvm::StringMap<int64_t> functionBytes;
};

struct CodeOptions {
  /// What symbols begin with.
  std::string name;
  CodeForm form = CodeForm::Object;
  /// Threads that compile kernels. The code is the same for any number.
  unsigned jobs = 1;
  /// Where objects of kernels are kept for later compilations, or null. The code is the same with
  /// and without.
  CompileCache *cache = nullptr;
  /// Seconds that compiling may take, as it is predicted: LLVM does less for kernels where that
  /// costs least, which remarks say. 0: as much as there is to do.
  double timeBudget = 0;
  /// With a budget: nanoseconds that each kernel takes in one call of the program.
  llvm::StringMap<double> runTimes;
  /// Adds to the LLVM module that holds the entry function, before it is optimized.
  std::function<void(llvm::Module &, const ProgramMemory &)> finish;
  /// Called before passes run, to add printing.
  std::function<void(mlir::PassManager &)> configure;
  /// Where the stages are timed, or null.
  mlir::TimingScope *timing = nullptr;
};

/// Compiles `program` (func.func @main on memory and its kernel functions) for each of its
/// targets (compiler/target/TargetAttribute.h); the program itself stays as it is. With several,
/// from the lowest to the highest, the object holds a program for each and picks one at run time
/// (Dispatch.h). Errors are reported at their places.
mlir::FailureOr<CompiledProgram> compileProgram(mlir::ModuleOp program, const CodeOptions &options);

/// Assembly of what compileProgram makes for one of the program's targets, for people to read: with
/// line tables that point into the .hlo file, and without constants. Of `options` only the name and
/// the timing count.
mlir::FailureOr<std::string> printAssembly(mlir::ModuleOp program, const CodeOptions &options,
                                           int64_t target);

} // namespace hloc

#endif
