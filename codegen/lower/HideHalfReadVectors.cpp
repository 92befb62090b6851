// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/HideHalfReadVectors.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

/// Bytes of an AVX-512 register.
static constexpr unsigned kRegisterBytes = 64;

/// True if `shuffle` makes more than half a register of bytes from at most half of another.
static bool readsHalf(ShuffleVectorInst &shuffle) {
  auto *type = dyn_cast<FixedVectorType>(shuffle.getOperand(0)->getType());
  if (!type || type != shuffle.getType() || type->getNumElements() != kRegisterBytes ||
      !type->getElementType()->isIntegerTy(8) || !isa<UndefValue>(shuffle.getOperand(1)) ||
      !isa<Instruction>(shuffle.getOperand(0)))
    return false;
  int first = kRegisterBytes, last = -1;
  unsigned known = 0;
  for (int from : shuffle.getShuffleMask())
    if (from >= 0) {
      first = std::min(first, from);
      last = std::max(last, from);
      ++known;
    }
  return known > kRegisterBytes / 2 && unsigned(last - first) < kRegisterBytes / 2;
}

PreservedAnalyses HideHalfReadVectors::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    if (!shuffle || !readsHalf(*shuffle))
      continue;
    Value *operand = shuffle->getOperand(0);
    auto *type = FunctionType::get(operand->getType(), {operand->getType()}, /*isVarArg=*/false);
    IRBuilder<> builder(shuffle);
    shuffle->setOperand(0, builder.CreateCall(InlineAsm::get(type, "", "=v,0",
                                                             /*hasSideEffects=*/false),
                                              {operand}));
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace hloc
