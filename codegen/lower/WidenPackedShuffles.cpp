// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/WidenPackedShuffles.h"
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses WidenPackedShuffles::run(Function &function, FunctionAnalysisManager &) {
  return rewriteInstructions(function, [](Instruction &instruction) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    unsigned bits = shuffle ? shuffle->getType()->getScalarSizeInBits() : 0;
    if (bits < 2 || bits >= 8) // those of one bit are masks
      return false;
    IRBuilder<> builder(shuffle);
    auto widen = [&](Value *operand) {
      Type *bytes = cast<VectorType>(operand->getType())->getWithNewType(builder.getInt8Ty());
      return builder.CreateZExt(operand, bytes);
    };
    Value *shuffled = builder.CreateShuffleVector(
        widen(shuffle->getOperand(0)), widen(shuffle->getOperand(1)), shuffle->getShuffleMask());
    shuffle->replaceAllUsesWith(builder.CreateTrunc(shuffled, shuffle->getType()));
    shuffle->eraseFromParent();
    return true;
  });
}

} // namespace hloc
