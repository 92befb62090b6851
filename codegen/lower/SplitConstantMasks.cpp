// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/SplitConstantMasks.h"
#include "codegen/lower/RewriteInstructions.h"
#include "compiler/target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hloc {

namespace {

/// Bits of elements of which a vector has few.
constexpr unsigned kWideElement = 32;

/// A power of two of adjacent active elements.
struct Part {
  unsigned begin, count;

  FixedVectorType *getType(FixedVectorType *whole) const {
    return FixedVectorType::get(whole->getElementType(), count);
  }
};

} // namespace

/// The parts of a constant mask; none if an element of it is unknown.
static std::optional<SmallVector<Part>> findParts(Constant *mask, unsigned size) {
  SmallVector<bool> takesPart(size + 1, false);
  for (unsigned i = 0; i < size; ++i) {
    auto *bit = dyn_cast_or_null<ConstantInt>(mask->getAggregateElement(i));
    if (!bit)
      return std::nullopt;
    takesPart[i] = bit->isOne();
  }
  SmallVector<Part> parts;
  for (unsigned i = 0; i < size; ++i) {
    unsigned end = i;
    while (takesPart[end])
      ++end;
    for (; i < end; i += parts.back().count)
      parts.push_back({i, unsigned(bit_floor(end - i))});
  }
  return parts;
}

static Value *advance(IRBuilder<> &builder, Value *pointer, FixedVectorType *type, Part part) {
  return builder.CreateConstInBoundsGEP1_64(type->getElementType(), pointer, part.begin);
}

static Align alignAt(MaybeAlign alignment, FixedVectorType *type, Part part) {
  uint64_t offset = uint64_t(part.begin) * type->getScalarSizeInBits() / 8;
  return commonAlignment(alignment.valueOrOne(), offset);
}

/// `value` with the elements of `part` replaced by those of `loaded`.
static Value *insertPart(IRBuilder<> &builder, Value *value, Value *loaded, Part part,
                         unsigned size) {
  SmallVector<int> widened(size, PoisonMaskElem), blended(size);
  for (unsigned i = 0; i < part.count; ++i)
    widened[part.begin + i] = i;
  for (unsigned i = 0; i < size; ++i)
    blended[i] = i >= part.begin && i < part.begin + part.count ? size + i : i;
  return builder.CreateShuffleVector(value, builder.CreateShuffleVector(loaded, widened), blended);
}

static bool splitLoad(IntrinsicInst &load) {
  Value *pointer, *otherwise;
  Constant *mask;
  if (!match(&load, m_Intrinsic<Intrinsic::masked_load>(m_Value(pointer), m_Constant(mask),
                                                        m_Value(otherwise))))
    return false;
  auto *type = cast<FixedVectorType>(load.getType());
  auto parts = findParts(mask, type->getNumElements());
  if (!parts)
    return false;
  IRBuilder<> builder(&load);
  Value *result = otherwise;
  for (Part part : *parts) {
    Value *loaded =
        builder.CreateAlignedLoad(part.getType(type), advance(builder, pointer, type, part),
                                  alignAt(load.getParamAlign(0), type, part));
    result = part.count == type->getNumElements()
                 ? loaded
                 : insertPart(builder, result, loaded, part, type->getNumElements());
  }
  load.replaceAllUsesWith(result);
  return true;
}

/// True if masked stores of `type` are to be split. With mask registers such a store is one fast
/// instruction, but loads of what lies behind it, even in inactive lanes, wait until it has reached
/// the cache: rows that are changed in place would wait for each other. Vectors of narrow elements
/// have too many parts.
static bool paysToSplit(const Target &target, FixedVectorType *type) {
  return !target.hasMaskRegisters || type->getScalarSizeInBits() >= kWideElement;
}

static bool splitStore(IntrinsicInst &store, const Target &target) {
  Value *value, *pointer;
  Constant *mask;
  if (!match(&store, m_Intrinsic<Intrinsic::masked_store>(m_Value(value), m_Value(pointer),
                                                          m_Constant(mask))))
    return false;
  auto *type = cast<FixedVectorType>(value->getType());
  if (!paysToSplit(target, type))
    return false;
  auto parts = findParts(mask, type->getNumElements());
  if (!parts)
    return false;
  IRBuilder<> builder(&store);
  for (Part part : *parts) {
    SmallVector<int> taken = to_vector(seq<int>(part.begin, part.begin + part.count));
    builder.CreateAlignedStore(builder.CreateShuffleVector(value, taken),
                               advance(builder, pointer, type, part),
                               alignAt(store.getParamAlign(1), type, part));
  }
  return true;
}

PreservedAnalyses SplitConstantMasks::run(Function &function, FunctionAnalysisManager &) {
  return rewriteInstructions(function, [this](Instruction &instruction) {
    auto *access = dyn_cast<IntrinsicInst>(&instruction);
    if (!access)
      return false;
    bool isLoad = access->getIntrinsicID() == Intrinsic::masked_load &&
                  access->getType()->getScalarSizeInBits() < target.narrowestMaskedBits;
    if (!(isLoad ? splitLoad(*access) : splitStore(*access, target)))
      return false;
    access->eraseFromParent();
    return true;
  });
}

} // namespace hloc
