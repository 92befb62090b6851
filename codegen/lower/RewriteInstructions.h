// SPDX-License-Identifier: Apache-2.0
// What the passes on LLVM IR that rewrite single instructions share.

#ifndef HLOC_CODEGEN_LOWER_REWRITEINSTRUCTIONS_H
#define HLOC_CODEGEN_LOWER_REWRITEINSTRUCTIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Analysis.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace hloc {

/// What stays valid after a pass that leaves the control flow as it is: everything if it changed
/// nothing.
llvm::PreservedAnalyses preserveControlFlow(bool changed);

/// Calls `rewrite` for each instruction of `function`. It returns true if it changed something, and
/// may erase or move its instruction, but no other. The control flow stays as it is.
llvm::PreservedAnalyses
rewriteInstructions(llvm::Function &function,
                    llvm::function_ref<bool(llvm::Instruction &instruction)> rewrite);

} // namespace hloc

#endif
