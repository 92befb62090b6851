// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/SelectFromMasks.h"
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses SelectFromMasks::run(Function &function, FunctionAnalysisManager &) {
  return rewriteInstructions(function, [](Instruction &instruction) {
    bool isSigned = isa<SIToFPInst>(instruction);
    if (!(isSigned || isa<UIToFPInst>(instruction)) || !instruction.getType()->isVectorTy() ||
        !instruction.getOperand(0)->getType()->isIntOrIntVectorTy(1))
      return false;
    IRBuilder<> builder(&instruction);
    Type *type = instruction.getType();
    instruction.replaceAllUsesWith(builder.CreateSelect(instruction.getOperand(0),
                                                        ConstantFP::get(type, isSigned ? -1 : 1),
                                                        ConstantFP::get(type, 0)));
    instruction.eraseFromParent();
    return true;
  });
}

} // namespace hloc
