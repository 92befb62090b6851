// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/MoveShufflesBehindOperands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses MoveShufflesBehindOperands::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &join : make_early_inc_range(block)) {
      if (!isa<ShuffleVectorInst, CastInst>(join))
        continue;
      Instruction *last = &join;
      for (Value *operand : join.operands())
        if (auto *source = dyn_cast<Instruction>(operand);
            source && source->getParent() == &block && last->comesBefore(source))
          last = source;
      if (last == &join)
        continue;
      join.moveAfter(last);
      changed = true;
    }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace hloc
