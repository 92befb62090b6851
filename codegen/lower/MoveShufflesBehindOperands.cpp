// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/MoveShufflesBehindOperands.h"
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses MoveShufflesBehindOperands::run(Function &function, FunctionAnalysisManager &) {
  return rewriteInstructions(function, [](Instruction &join) {
    if (!isa<ShuffleVectorInst, CastInst>(join))
      return false;
    Instruction *last = &join;
    for (Value *operand : join.operands())
      if (auto *source = dyn_cast<Instruction>(operand);
          source && source->getParent() == join.getParent() && last->comesBefore(source))
        last = source;
    if (last == &join)
      return false;
    join.moveAfter(last);
    return true;
  });
}

} // namespace hloc
