// SPDX-License-Identifier: Apache-2.0
// The program around the kernels: `func.func @main` on memory becomes the module's entry function.
//
//   int32_t NAME_run(hlort_context *context, const void *const *arguments, void *const *results,
//                    void *arena, hlort_status *status);
//
// and, if it has a preparation (passes/prepare), that one's too:
//
//   int32_t NAME_prepare(hlort_context *context, const void *const *arguments, void *prepared,
//                        void *arena, hlort_status *status);
//
// Control flow is native code; a launch is a call, or a parallel loop over the kernel's units on
// the context's threads. Buffers that only the program itself knows of are on the stack, so that
// LLVM can keep small state in registers.

#ifndef HLOC_CODEGEN_PROGRAM_H
#define HLOC_CODEGEN_PROGRAM_H

#include "codegen/KernelEmission.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

/// Alignment of the memory that a call is given, and of its parts that belong to one function.
inline constexpr int64_t kArenaAlignment = 64;

/// Endings of the functions that hosts call.
inline constexpr llvm::StringLiteral kRunEnding = "_run", kPrepareEnding = "_prepare";

/// What the symbols of a program begin with.
struct ProgramNames {
  ProgramNames(llvm::StringRef module) : module(module), prefix(module) {}
  ProgramNames(llvm::StringRef module, llvm::StringRef prefix) : module(module), prefix(prefix) {}

  /// The module's: of its constants, and what messages call it.
  std::string module;
  /// Of everything else: that too, unless several programs for different processors share an
  /// object.
  std::string prefix;
  bool isVariant() const { return prefix != module; }
};

/// What a call of the program needs.
struct ProgramMemory {
  int64_t arenaBytes = 0;
  /// Of these, bytes for functions that run beside main.
  int64_t asyncBytes = 0;
  /// What a call of its preparation needs.
  int64_t prepareBytes = 0;
};

/// Name of the emitted function of a kernel. No C identifier: the host's names are other ones.
std::string getKernelSymbol(const ProgramNames &names, llvm::StringRef kernel);

/// Emits the entry function and the parallel loops' bodies beside `program`, into its module, which
/// holds the kernels' functions. `schedules` has each kernel's. The program stays.
llvm::LogicalResult emitProgram(mlir::ModuleOp program,
                                const llvm::StringMap<KernelSchedule> &schedules,
                                const ProgramNames &names, const Target &target);

/// Of a program that was emitted.
ProgramMemory getProgramMemory(mlir::ModuleOp program);

/// The elements of a constant of the program; null if `global` is something else.
mlir::ElementsAttr getProgramConstant(mlir::LLVM::GlobalOp global);
/// Leaves its declaration: it is defined in another object.
void dropProgramConstant(mlir::LLVM::GlobalOp global);
/// Its bytes in memory.
int64_t getConstantBytes(mlir::LLVM::GlobalOp global);

/// The bytes of a literal as arrays lie in memory: as in Literal.h, but elements of fewer than
/// eight bits packed.
void getMemoryBytes(mlir::ElementsAttr value, llvm::SmallVectorImpl<char> &bytes);

} // namespace hloc

#endif
