// SPDX-License-Identifier: Apache-2.0
// The program around the kernels: `func.func @main` on memory becomes the module's entry function.
//
//   int32_t NAME_run(hlort_context *context, const void *const *arguments, void *const *results,
//                    void *arena, hlort_status *status);
//
// and, if it has a preparation (passes/prepare), to a second one:
//
//   int32_t NAME_prepare(hlort_context *context, const void *const *arguments, void *prepared,
//                        void *arena, hlort_status *status);
//
// Control flow is native code. A launch is a call, or a parallel loop over the kernel's units on
// the context's threads. Buffers that only the program uses are on the stack, so that LLVM can keep
// small state in registers.

#ifndef HLOC_CODEGEN_PROGRAM_H
#define HLOC_CODEGEN_PROGRAM_H

#include "codegen/KernelEmission.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

/// Alignment of the memory that a call is given, and of the parts of it that each function gets.
inline constexpr int64_t kArenaAlignment = 64;

/// Endings of the names of the functions that hosts call.
inline constexpr llvm::StringLiteral kRunEnding = "_run", kPrepareEnding = "_prepare";

/// Prefixes of the symbols of a program.
struct ProgramNames {
  ProgramNames(llvm::StringRef module) : module(module), prefix(module) {}
  ProgramNames(llvm::StringRef module, llvm::StringRef prefix) : module(module), prefix(prefix) {}

  /// The module's name: the prefix of its constants, and its name in messages.
  std::string module;
  /// The prefix of all other symbols: the same, unless several programs for different processors
  /// share an object.
  std::string prefix;
  bool isVariant() const { return prefix != module; }
};

/// The memory that a call of the program needs.
struct ProgramMemory {
  int64_t arenaBytes = 0;
  /// The part of `arenaBytes` that is for functions that run concurrently with main.
  int64_t asyncBytes = 0;
  /// Bytes of the arena of the preparation.
  int64_t prepareBytes = 0;
};

/// The symbol of a kernel's function. It is not a C identifier, so it does not collide with the
/// host's symbols.
std::string getKernelSymbol(const ProgramNames &names, llvm::StringRef kernel);

/// Emits the entry function and the bodies of parallel loops into the module of `program`, which
/// contains the kernels' functions. `schedules` has the schedule of each kernel. `program` itself
/// is kept.
llvm::LogicalResult emitProgram(mlir::ModuleOp program,
                                const llvm::StringMap<KernelSchedule> &schedules,
                                const ProgramNames &names, const Target &target);

/// The memory of a program that was emitted.
ProgramMemory getProgramMemory(mlir::ModuleOp program);

/// The elements of a constant of the program; null if `global` is something else.
mlir::ElementsAttr getProgramConstant(mlir::LLVM::GlobalOp global);
/// Turns the constant into a declaration: it is defined in another object.
void dropProgramConstant(mlir::LLVM::GlobalOp global);
/// Its bytes in memory.
int64_t getConstantBytes(mlir::LLVM::GlobalOp global);

/// The bytes of a literal in the layout of arrays in memory: as in Literal.h, except that elements
/// of fewer than eight bits are packed.
void getMemoryBytes(mlir::ElementsAttr value, llvm::SmallVectorImpl<char> &bytes);

} // namespace hloc

#endif
