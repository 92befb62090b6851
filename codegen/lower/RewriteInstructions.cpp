// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses preserveControlFlow(bool changed) {
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses rewriteInstructions(Function &function,
                                      function_ref<bool(Instruction &)> rewrite) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    changed |= rewrite(instruction);
  return preserveControlFlow(changed);
}

} // namespace hloc
