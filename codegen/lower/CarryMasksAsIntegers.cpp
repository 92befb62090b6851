// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/CarryMasksAsIntegers.h"
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hloc {

/// How far masks that are computed from other masks are followed.
static constexpr unsigned kMaxDepth = 4;
/// The width for masks whose use is unknown, and the least width: preds are bytes in memory.
static constexpr unsigned kFewestBits = 8;

static bool isMask(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getNumElements() > 1 && vector->getElementType()->isIntegerTy(1);
}

static unsigned getBits(Value *value) {
  Type *element = value->getType()->getScalarType();
  return element->isPointerTy() ? 64 : element->getPrimitiveSizeInBits().getFixedValue();
}

/// Bits of the elements that `mask` selects; 0 if unknown.
static unsigned getUsedBits(Value *mask, unsigned depth = 0) {
  for (User *user : mask->users()) {
    auto *choice = dyn_cast<SelectInst>(user);
    if (choice && choice->getCondition() == mask && !isMask(choice->getType()))
      return getBits(choice);
    if (isa<ZExtInst, SExtInst>(user))
      return getBits(user);
    auto *access = dyn_cast<IntrinsicInst>(user);
    if (access && access->getIntrinsicID() == Intrinsic::masked_load)
      return getBits(access);
    if (access && access->getIntrinsicID() == Intrinsic::masked_store)
      return getBits(access->getArgOperand(0));
  }
  for (User *user : mask->users())
    if (depth < kMaxDepth && isMask(user->getType()))
      if (unsigned bits = getUsedBits(user, depth + 1))
        return bits;
  return 0;
}

/// Bits of the elements that were compared to make `mask`; 0 if unknown.
static unsigned getComparedBits(Value *mask, unsigned depth = 0) {
  auto *made = dyn_cast<Instruction>(mask);
  if (!made)
    return 0;
  if (isa<CmpInst>(made))
    return getBits(made->getOperand(0));
  for (Value *operand : made->operands())
    if (depth < kMaxDepth && isMask(operand->getType()))
      if (unsigned bits = getComparedBits(operand, depth + 1))
        return bits;
  return 0;
}

static bool isUsedElsewhere(Instruction &mask) {
  return any_of(mask.users(), [&](User *user) {
    return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != mask.getParent();
  });
}

namespace {

class MaskCarrier {
public:
  explicit MaskCarrier(Function &function) {
    for (Instruction &instruction : instructions(function))
      if (isMask(instruction.getType()) &&
          (isa<PHINode>(instruction) || isUsedElsewhere(instruction)))
        wide[&instruction] = nullptr;
  }

  bool run() {
    for (auto &[mask, integers] : wide)
      integers = widen(*mask);
    for (auto &[mask, integers] : wide)
      if (auto *phi = dyn_cast<PHINode>(mask))
        connect(*phi, *cast<PHINode>(integers));
    for (auto &[mask, integers] : wide)
      narrowUses(*mask, *integers);
    for (auto &[mask, integers] : wide)
      if (isa<PHINode>(mask)) {
        mask->replaceAllUsesWith(PoisonValue::get(mask->getType())); // only used by others of these
        mask->eraseFromParent();
      }
    return !wide.empty();
  }

private:
  static Instruction *widen(Instruction &mask) {
    unsigned bits = getUsedBits(&mask);
    if (bits == 0)
      bits = getComparedBits(&mask);
    bits = std::max(bits, kFewestBits);
    Type *type = VectorType::get(IntegerType::get(mask.getContext(), bits),
                                 cast<VectorType>(mask.getType()));
    if (auto *phi = dyn_cast<PHINode>(&mask))
      return PHINode::Create(type, phi->getNumIncomingValues(), "", phi->getIterator());
    return new SExtInst(&mask, type, "", std::next(mask.getIterator()));
  }

  /// Adds the incoming values of `phi` to `integers`, from each predecessor.
  void connect(PHINode &phi, PHINode &integers) {
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      BasicBlock *before = phi.getIncomingBlock(i);
      if (int known = integers.getBasicBlockIndex(before); known >= 0) {
        integers.addIncoming(integers.getIncomingValue(known), before);
        continue;
      }
      IRBuilder<> builder(before->getTerminator());
      Value *value = phi.getIncomingValue(i);
      auto found = wide.find(dyn_cast<Instruction>(value));
      value = found == wide.end() ? builder.CreateSExt(value, integers.getType())
                                  : builder.CreateSExtOrTrunc(found->second, integers.getType());
      integers.addIncoming(value, before);
    }
  }

  /// Recreates the mask in each block that uses it.
  static void narrowUses(Instruction &mask, Instruction &integers) {
    DenseMap<BasicBlock *, Value *> narrow;
    SmallVector<Use *> uses;
    for (Use &use : mask.uses())
      uses.push_back(&use);
    for (Use *use : uses) {
      auto *user = cast<Instruction>(use->getUser());
      BasicBlock *block = user->getParent();
      if (isa<PHINode>(user) || user == &integers ||
          (block == mask.getParent() && !isa<PHINode>(mask)))
        continue;
      Value *&again = narrow[block];
      if (!again) {
        IRBuilder<> builder(block, block->getFirstInsertionPt());
        again = builder.CreateICmpSLT(&integers, Constant::getNullValue(integers.getType()));
      }
      use->set(again);
    }
  }

  MapVector<Instruction *, Instruction *> wide;
};

} // namespace

PreservedAnalyses CarryMasksAsIntegers::run(Function &function, FunctionAnalysisManager &) {
  return preserveControlFlow(MaskCarrier(function).run());
}

} // namespace hloc
