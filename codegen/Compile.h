// SPDX-License-Identifier: Apache-2.0
// Compiles a program on memory: all of code generation in one call.

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
  /// The schedule of each kernel; that of the last target's program, if there are several.
  llvm::StringMap<KernelSchedule> schedules;
  /// The relocatable object, or the text in the requested form.
  llvm::SmallVector<char, 0> code;
  /// With a time budget: LLVM's optimization level for the kernels that get a lower one and, under
  /// the empty name, for the program itself.
  llvm::StringMap<int> levels;
  /// Bytes of machine code and of constants.
  int64_t codeBytes = 0, constantBytes = 0;
  /// Bytes of machine code of each function that was not inlined everywhere, by symbol.
  llvm::StringMap<int64_t> functionBytes;
};

struct CodeOptions {
  /// The prefix of symbols.
  std::string name;
  CodeForm form = CodeForm::Object;
  /// Threads that compile kernels. The code does not depend on their number.
  unsigned jobs = 1;
  /// The cache of kernels' objects for later compilations, or null. The code does not depend on it.
  CompileCache *cache = nullptr;
  /// Seconds that compiling may take, by prediction. LLVM's level is lowered for kernels where that
  /// costs least run time, and remarks say so. 0: no limit.
  double timeBudget = 0;
  /// With a budget: nanoseconds that each kernel takes per call of the program.
  llvm::StringMap<double> runTimes;
  /// Adds to the LLVM module that contains the entry function, before it is optimized.
  std::function<void(llvm::Module &, const ProgramMemory &)> finish;
  /// Called before passes run, to configure printing.
  std::function<void(mlir::PassManager &)> configure;
  /// Where the stages are timed, or null.
  mlir::TimingScope *timing = nullptr;
};

/// Compiles `program` (func.func @main on memory and its kernel functions) for each of its targets
/// (compiler/target/TargetAttribute.h), without changing it. With several targets, ordered from the
/// lowest to the highest, the object contains a program for each and selects one at run time
/// (Dispatch.h). Errors are reported at their locations.
mlir::FailureOr<CompiledProgram> compileProgram(mlir::ModuleOp program, const CodeOptions &options);

/// Readable assembly of the code that compileProgram makes for one of the program's targets: with
/// line tables that refer to the .hlo file, and without constants. Only the name and the timing of
/// `options` are used.
mlir::FailureOr<std::string> printAssembly(mlir::ModuleOp program, const CodeOptions &options,
                                           int64_t target);

} // namespace hloc

#endif
