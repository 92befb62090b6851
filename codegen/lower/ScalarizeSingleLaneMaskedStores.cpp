// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/ScalarizeSingleLaneMaskedStores.h"
#include "codegen/lower/RewriteInstructions.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;

namespace hloc {

/// The fewest lanes of a part into which LLVM splits a vector: four of 64 bits, in AVX2's
/// registers.
static constexpr unsigned kSmallestPart = 4;

/// The lanes of a constant mask; empty if a lane is unknown.
static BitVector getLanes(Constant *mask, unsigned count) {
  BitVector lanes(count);
  for (unsigned i = 0; i < count; ++i) {
    auto *bit = dyn_cast_or_null<ConstantInt>(mask->getAggregateElement(i));
    if (!bit)
      return {};
    lanes[i] = bit->isOne();
  }
  return lanes;
}

/// Removes from `lanes` those that are alone in a part of any size, and returns them.
static SmallVector<unsigned> takeSingleLanes(BitVector &lanes) {
  SmallVector<unsigned> taken;
  unsigned count = lanes.size();
  for (unsigned part = std::min(kSmallestPart, count); part <= count; part *= 2)
    for (unsigned begin = 0; begin < count; begin += part) {
      int first = lanes.find_first_in(begin, begin + part);
      if (first < 0 || lanes.find_first_in(first + 1, begin + part) >= 0)
        continue;
      taken.push_back(first);
      lanes.reset(first);
    }
  return taken;
}

static bool peel(IntrinsicInst &store) {
  using namespace PatternMatch;
  Value *value, *pointer;
  Constant *mask;
  if (!match(&store, m_Intrinsic<Intrinsic::masked_store>(m_Value(value), m_Value(pointer),
                                                          m_Constant(mask))))
    return false;
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  if (!type || !type->getElementType()->isIntegerTy() || type->getScalarSizeInBits() >= 64 ||
      !isPowerOf2_32(type->getNumElements()))
    return false;
  BitVector lanes = getLanes(mask, type->getNumElements());
  SmallVector<unsigned> single = takeSingleLanes(lanes);
  if (single.empty())
    return false;
  IRBuilder<> builder(&store);
  Type *element = type->getElementType();
  Align alignment = store.getParamAlign(1).valueOrOne();
  unsigned bytes = type->getScalarSizeInBits() / 8;
  for (unsigned lane : single)
    builder.CreateAlignedStore(builder.CreateExtractElement(value, uint64_t(lane)),
                               builder.CreateConstInBoundsGEP1_64(element, pointer, lane),
                               commonAlignment(alignment, uint64_t(lane) * bytes));
  SmallVector<Constant *> rest;
  for (unsigned i = 0; i < lanes.size(); ++i)
    rest.push_back(builder.getInt1(lanes[i]));
  if (lanes.any())
    builder.CreateMaskedStore(value, pointer, alignment, ConstantVector::get(rest));
  return true;
}

PreservedAnalyses ScalarizeSingleLaneMaskedStores::run(Function &function,
                                                       FunctionAnalysisManager &) {
  return rewriteInstructions(function, [](Instruction &instruction) {
    auto *store = dyn_cast<IntrinsicInst>(&instruction);
    if (!store || !peel(*store))
      return false;
    store->eraseFromParent();
    return true;
  });
}

} // namespace hloc
