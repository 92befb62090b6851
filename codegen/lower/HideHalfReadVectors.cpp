// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/HideHalfReadVectors.h"
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hloc {

/// Bytes of an AVX-512 register.
static constexpr unsigned kRegisterBytes = 64;

/// True if a register of results, which `mask` describes, has more than half of its bytes from at
/// most half of one of the `size / kRegisterBytes` registers of the first operand.
static bool readsHalf(ArrayRef<int> mask, int size) {
  int first = size, last = -1;
  unsigned known = 0;
  for (int from : mask)
    if (from >= 0) {
      first = std::min(first, from);
      last = std::max(last, from);
      ++known;
    }
  return known > kRegisterBytes / 2 && last < size && unsigned(last - first) < kRegisterBytes / 2 &&
         first / int(kRegisterBytes) == last / int(kRegisterBytes);
}

static bool readsHalf(ShuffleVectorInst &shuffle) {
  auto *type = dyn_cast<FixedVectorType>(shuffle.getOperand(0)->getType());
  if (!type || type != shuffle.getType() || type->getNumElements() % kRegisterBytes != 0 ||
      !type->getElementType()->isIntegerTy(8) || !isa<Instruction>(shuffle.getOperand(0)))
    return false;
  ArrayRef<int> mask = shuffle.getShuffleMask();
  for (; !mask.empty(); mask = mask.drop_front(kRegisterBytes))
    if (readsHalf(mask.take_front(kRegisterBytes), int(type->getNumElements())))
      return true;
  return false;
}

/// The same vector, of which LLVM does not know where each register comes from.
static Value *hide(IRBuilder<> &builder, Value *vector) {
  unsigned size = cast<FixedVectorType>(vector->getType())->getNumElements();
  SmallVector<Value *> parts;
  for (unsigned begin = 0; begin < size; begin += kRegisterBytes) {
    Value *part = vector;
    if (size > kRegisterBytes)
      part =
          builder.CreateShuffleVector(vector, to_vector(seq<int>(begin, begin + kRegisterBytes)));
    auto *type = FunctionType::get(part->getType(), {part->getType()}, /*isVarArg=*/false);
    parts.push_back(
        builder.CreateCall(InlineAsm::get(type, "", "=v,0", /*hasSideEffects=*/false), {part}));
  }
  return concatenateVectors(builder, parts);
}

PreservedAnalyses HideHalfReadVectors::run(Function &function, FunctionAnalysisManager &) {
  return rewriteInstructions(function, [](Instruction &instruction) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
    if (!shuffle || !readsHalf(*shuffle))
      return false;
    IRBuilder<> builder(shuffle);
    shuffle->setOperand(0, hide(builder, shuffle->getOperand(0)));
    return true;
  });
}

} // namespace hloc
