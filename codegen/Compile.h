// SPDX-License-Identifier: Apache-2.0
// A program on memory, compiled: the whole of codegen in one call.

#ifndef HLOC_CODEGEN_COMPILE_H
#define HLOC_CODEGEN_COMPILE_H

#include "codegen/program/Program.h"
#include "mlir/Support/Timing.h"
#include "llvm/IR/Module.h"

namespace hloc {

enum class CodeForm { LlvmIr, Assembly, Object };

struct CompiledProgram {
  ProgramInfo info;
  /// Of each kernel; of the last target's program, if there are several.
  llvm::StringMap<KernelSchedule> schedules;
  /// The relocatable object, or the text in the form asked for.
  llvm::SmallVector<char, 0> code;
  /// Bytes of machine code and of constants.
  int64_t codeBytes = 0, constantBytes = 0;
  /// Bytes of machine code of each function that was not inlined everywhere, by symbol.
  llvm::StringMap<int64_t> functionBytes;
};

/// Adds to the LLVM module that holds the entry function, before it is optimized.
using FinishModule = std::function<void(llvm::Module &, const ProgramInfo &)>;

/// Compiles `program` (func.func @main on memory and its kernel functions) for each of `targets`.
/// With several, from the lowest to the highest, the object holds a program for each and picks one
/// at run time (Dispatch.h). Symbols begin with `name`. Kernels are compiled on `jobs` threads.
/// Errors are reported at their places.
mlir::FailureOr<CompiledProgram> compileProgram(mlir::ModuleOp program, llvm::StringRef name,
                                                llvm::ArrayRef<Target> targets, CodeForm form,
                                                unsigned jobs, const FinishModule &finish = {},
                                                mlir::TimingScope *timing = nullptr);

} // namespace hloc

#endif
