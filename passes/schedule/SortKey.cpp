// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/SortKey.h"
#include "passes/Build.h"
#include "passes/simplify/Match.h"

using namespace mlir;

namespace hloc {

bool isNegativeZeroNan(Type element) {
  return isa<Float8E5M2FNUZType, Float8E4M3FNUZType, Float8E4M3B11FNUZType>(element);
}

/// True if `x` and `y` are the same expression of the parameters `p` and `q`, which it finds.
static bool areAlike(Value x, Value y, BlockArgument &p, BlockArgument &q) {
  auto a = dyn_cast<BlockArgument>(x), c = dyn_cast<BlockArgument>(y);
  if (a || c) {
    if (!a || !c || a == c || (p && (p != a || q != c)))
      return false;
    p = a;
    q = c;
    return true;
  }
  Operation *f = x.getDefiningOp(), *g = y.getDefiningOp();
  if (f->getName() != g->getName() || f->getAttrDictionary() != g->getAttrDictionary() ||
      x.getType() != y.getType() || f->getNumOperands() != g->getNumOperands() ||
      f->getNumRegions() || f->getNumResults() != 1)
    return false;
  for (auto [i, k] : llvm::zip(f->getOperands(), g->getOperands()))
    if (!areAlike(i, k, p, q))
      return false;
  return true;
}

/// True if `x` and `y` are the same expression of the same parameters.
static bool areEqual(Value x, Value y) {
  if (x == y)
    return true;
  Operation *f = x.getDefiningOp(), *g = y.getDefiningOp();
  return f && g && f->getName() == g->getName() &&
         f->getAttrDictionary() == g->getAttrDictionary() && x.getType() == y.getType() &&
         f->getNumOperands() == g->getNumOperands() && !f->getNumRegions() &&
         llvm::all_of(llvm::zip(f->getOperands(), g->getOperands()),
                      [](auto pair) { return areEqual(std::get<0>(pair), std::get<1>(pair)); });
}

bool SortKey::matchCompare(Value less, SmallVectorImpl<SortKey> &keys) {
  auto compare = less.getDefiningOp<hlo::CompareOp>();
  if (!compare || (compare.getDirection() != hlo::Direction::LT &&
                   compare.getDirection() != hlo::Direction::GT))
    return false;
  BlockArgument p, q;
  if (!areAlike(compare.getLhs(), compare.getRhs(), p, q) || !p)
    return false;
  unsigned first = std::min(p.getArgNumber(), q.getArgNumber());
  if (first % 2 || std::max(p.getArgNumber(), q.getArgNumber()) != first + 1)
    return false;
  SortKey key;
  key.operand = first / 2;
  key.expression = compare.getLhs();
  key.parameter = p;
  key.descending =
      (compare.getDirection() == hlo::Direction::GT) != (p.getArgNumber() > q.getArgNumber());
  Type element = arrayType(compare.getLhs()).getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64)
    return false;
  key.width = element.getIntOrFloatBitWidth();
  key.total = compare.getType() == hlo::ComparisonType::TOTALORDER;
  key.isFloat = isa<FloatType>(element);
  bool hasInfinity = element.isF64() || element.isF32() || element.isBF16() || element.isF16();
  if (key.isFloat && (key.total ? isNegativeZeroNan(element) : !hasInfinity))
    return false;
  keys.push_back(key);
  if (key.width > 32) {
    key.isLowHalf = true;
    keys.push_back(key);
  }
  return true;
}

bool SortKey::matchChain(Value less, SmallVectorImpl<SortKey> &keys) {
  if (matchCompare(less, keys))
    return true;
  auto either = less.getDefiningOp<hlo::OrOp>();
  if (!either)
    return false;
  size_t before = keys.size();
  // The operands of `or` and of `and` may be in either order.
  for (auto [first, rest] :
       {std::pair(either.getLhs(), either.getRhs()), std::pair(either.getRhs(), either.getLhs())}) {
    auto compare = first.getDefiningOp<hlo::CompareOp>();
    auto both = rest.getDefiningOp<hlo::AndOp>();
    if (!compare || !both)
      continue;
    for (auto [equal, next] :
         {std::pair(both.getLhs(), both.getRhs()), std::pair(both.getRhs(), both.getLhs())}) {
      auto same = equal.getDefiningOp<hlo::CompareOp>();
      if (!same || same.getDirection() != hlo::Direction::EQ)
        continue;
      bool alike =
          (areEqual(same.getLhs(), compare.getLhs()) &&
           areEqual(same.getRhs(), compare.getRhs())) ||
          (areEqual(same.getLhs(), compare.getRhs()) && areEqual(same.getRhs(), compare.getLhs()));
      if (alike && matchCompare(first, keys) && matchChain(next, keys))
        return true;
      keys.truncate(before);
    }
  }
  return false;
}

/// True if `x` is `parameter`, except that zeros may become one zero and NaNs one NaN.
static bool keepsNumbers(Value x, Value parameter) {
  if (x == parameter)
    return true;
  auto choice = x.getDefiningOp<hlo::SelectOp>();
  auto test = choice ? choice.getPred().getDefiningOp<hlo::CompareOp>() : hlo::CompareOp();
  if (!test || test.getLhs() != parameter || !keepsNumbers(choice.getOnFalse(), parameter))
    return false;
  std::optional<APFloat> instead = getSplatFloat(choice.getOnTrue());
  if (!instead || test.getType() == hlo::ComparisonType::TOTALORDER)
    return false;
  if (test.getDirection() == hlo::Direction::NE)
    return test.getRhs() == parameter && instead->isNaN();
  return test.getDirection() == hlo::Direction::EQ && isSplatOf(test.getRhs(), 0) &&
         instead->isZero();
}

bool SortKey::isReversible() const { return keepsNumbers(expression, parameter); }

SmallVector<SortKey, 2> SortKey::match(hlo::ComputationOp comparator) {
  auto result = comparator.getBody().front().getTerminator();
  SmallVector<SortKey, 2> keys;
  if (result->getNumOperands() != 1 || !matchChain(result->getOperand(0), keys))
    keys.clear();
  return keys;
}

SortKey SortKey::ofElements(Value array, bool descending) {
  SortKey key;
  Type element = arrayType(array).getElementType();
  key.width = element.getIntOrFloatBitWidth();
  key.descending = descending;
  key.total = true;
  key.isFloat = isa<FloatType>(element);
  key.expression = key.parameter = array;
  return key;
}

} // namespace hloc
