// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/WidenPackedShuffles.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

PreservedAnalyses WidenPackedShuffles::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    unsigned bits = shuffle ? shuffle->getType()->getScalarSizeInBits() : 0;
    if (bits < 2 || bits >= 8) // those of one bit are masks
      continue;
    IRBuilder<> builder(shuffle);
    auto widen = [&](Value *operand) {
      Type *bytes = cast<VectorType>(operand->getType())->getWithNewType(builder.getInt8Ty());
      return builder.CreateZExt(operand, bytes);
    };
    Value *shuffled = builder.CreateShuffleVector(
        widen(shuffle->getOperand(0)), widen(shuffle->getOperand(1)), shuffle->getShuffleMask());
    shuffle->replaceAllUsesWith(builder.CreateTrunc(shuffled, shuffle->getType()));
    shuffle->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace hloc
