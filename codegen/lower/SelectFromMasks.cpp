// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/SelectFromMasks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses SelectFromMasks::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    bool isSigned = isa<SIToFPInst>(instruction);
    if (!(isSigned || isa<UIToFPInst>(instruction)) || !instruction.getType()->isVectorTy() ||
        !instruction.getOperand(0)->getType()->isIntOrIntVectorTy(1))
      continue;
    IRBuilder<> builder(&instruction);
    Type *type = instruction.getType();
    instruction.replaceAllUsesWith(builder.CreateSelect(instruction.getOperand(0),
                                                        ConstantFP::get(type, isSigned ? -1 : 1),
                                                        ConstantFP::get(type, 0)));
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace hloc
