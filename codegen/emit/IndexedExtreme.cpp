// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/IndexedExtreme.h"
#include "codegen/emit/Elementwise.h"
#include "compiler/hlo/ElementType.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// How the earlier value is related to the later one. With the order of the indices, this decides
/// what a computation of comparisons, logic and selections gives.
enum class Relation { Less, Equal, Greater, EarlierIsNaN, LaterIsNaN, BothAreNaN };

/// The parameters of a computation: value and index of the earlier pair and of the later one.
enum Parameter : unsigned { EarlierValue, EarlierIndex, LaterValue, LaterIndex };

/// What is known of an operation's result: that it is one of the parameters, or a truth value.
struct Known {
  std::optional<unsigned> parameter;
  std::optional<bool> truth;
};

/// Follows a computation for values in one relation.
class Trial {
public:
  Trial(Block &body, Relation relation) : relation(relation) {
    for (BlockArgument argument : body.getArguments())
      known[argument] = {argument.getArgNumber(), std::nullopt};
    for (Operation &op : body.without_terminator())
      if (op.getNumResults() == 1)
        known[op.getResult(0)] = follow(&op);
  }

  Known get(Value value) const { return known.lookup(value); }

private:
  Known follow(Operation *op) {
    using Truth = std::optional<bool>;
    auto truthOf = [&](unsigned i) { return get(op->getOperand(i)).truth; };
    auto join = [&](auto combine) -> Known {
      Truth x = truthOf(0), y = truthOf(1);
      return {std::nullopt, x && y ? Truth(combine(*x, *y)) : std::nullopt};
    };
    return llvm::TypeSwitch<Operation *, Known>(op)
        .Case([&](hlo::CompareOp compare) { return Known{std::nullopt, follow(compare)}; })
        .Case<hlo::AndOp>([&](auto) { return join([](bool x, bool y) { return x && y; }); })
        .Case<hlo::OrOp>([&](auto) { return join([](bool x, bool y) { return x || y; }); })
        .Case<hlo::NotOp>([&](auto) {
          Truth x = truthOf(0);
          return Known{std::nullopt, x ? Truth(!*x) : std::nullopt};
        })
        .Case([&](hlo::SelectOp select) {
          Truth condition = truthOf(0);
          return condition ? get(*condition ? select.getOnTrue() : select.getOnFalse()) : Known();
        })
        .Case<hlo::MinimumOp, hlo::MaximumOp>([&](Operation *extreme) {
          Known x = get(extreme->getOperand(0)), y = get(extreme->getOperand(1));
          bool areIndices = x.parameter && y.parameter && isIndex(*x.parameter) &&
                            isIndex(*y.parameter) && *x.parameter != *y.parameter;
          unsigned kept = isa<hlo::MinimumOp>(extreme) ? EarlierIndex : LaterIndex;
          return areIndices ? Known{kept, std::nullopt} : Known();
        })
        .Default([](Operation *) { return Known(); });
  }

  static bool isIndex(unsigned parameter) {
    return parameter == EarlierIndex || parameter == LaterIndex;
  }
  bool isNaN(unsigned parameter) const {
    return relation == Relation::BothAreNaN ||
           (parameter == EarlierValue && relation == Relation::EarlierIsNaN) ||
           (parameter == LaterValue && relation == Relation::LaterIsNaN);
  }

  std::optional<bool> follow(hlo::CompareOp op) {
    std::optional<unsigned> x = get(op.getLhs()).parameter, y = get(op.getRhs()).parameter;
    if (!x || !y || isIndex(*x) != isIndex(*y) || op.getType() == hlo::ComparisonType::TOTALORDER)
      return std::nullopt;
    hlo::Direction direction = op.getDirection();
    if (!isIndex(*x) && (isNaN(*x) || isNaN(*y)))
      return direction == hlo::Direction::NE;
    int order = *x == *y                      ? 0
                : isIndex(*x)                 ? -1
                : relation == Relation::Less  ? -1
                : relation == Relation::Equal ? 0
                                              : 1;
    if (*x > *y)
      order = -order;
    switch (direction) {
    case hlo::Direction::EQ:
      return order == 0;
    case hlo::Direction::NE:
      return order != 0;
    case hlo::Direction::GE:
      return order >= 0;
    case hlo::Direction::GT:
      return order > 0;
    case hlo::Direction::LE:
      return order <= 0;
    case hlo::Direction::LT:
      return order < 0;
    }
    llvm_unreachable("every direction is handled");
  }

  Relation relation;
  llvm::DenseMap<Value, Known> known;
};

/// Whether value and index of the later pair replace the earlier ones.
struct Outcome {
  bool value, index;
  bool operator==(const Outcome &) const = default;
};

std::optional<Outcome> tryOut(hlo::ComputationOp computation, Relation relation) {
  Block &body = computation.getBody().front();
  Trial trial(body, relation);
  Operation *results = body.getTerminator();
  std::optional<unsigned> value = trial.get(results->getOperand(0)).parameter,
                          index = trial.get(results->getOperand(1)).parameter;
  if (!value || !index || (*value != EarlierValue && *value != LaterValue) ||
      (*index != EarlierIndex && *index != LaterIndex))
    return std::nullopt;
  return Outcome{*value == LaterValue, *index == LaterIndex};
}

std::optional<IndexedExtreme::NaN> tryNaNs(hlo::ComputationOp computation) {
  auto earlier = tryOut(computation, Relation::EarlierIsNaN),
       later = tryOut(computation, Relation::LaterIsNaN),
       both = tryOut(computation, Relation::BothAreNaN);
  constexpr Outcome kept{false, false}, replaced{true, true};
  if (earlier == replaced && later == replaced && both == replaced)
    return IndexedExtreme::NaN::Always;
  if (earlier == kept && later == kept && both == kept)
    return IndexedExtreme::NaN::Never;
  if (earlier == kept && later == replaced && both == kept)
    return IndexedExtreme::NaN::First;
  return std::nullopt;
}

/// True if `value` counts along the one dimension that is reduced, in a type that has room for all
/// indices, from an initial index that no element's is smaller than.
bool ascends(hlo::ReduceOp reduce, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto index = dyn_cast<IntegerType>(type.getElementType());
  APInt first;
  if (!index || reduce.getDimensions().size() != 1 ||
      !matchPattern(reduce.getInitialValues()[1], m_ConstantInt(&first)))
    return false;
  bool isUnsigned = hlo::isZeroExtended(index);
  unsigned bits = index.getWidth() - (isUnsigned ? 0 : 1);
  int64_t last = type.getDimSize(reduce.getDimensions()[0]) - 1;
  if (last < 0 || !llvm::isUIntN(bits, last) || (isUnsigned ? !first.isZero() : first.sgt(0)))
    return false;
  int64_t dimension = reduce.getDimensions()[0];
  while (auto broadcast = value.getDefiningOp<hlo::BroadcastOp>()) {
    auto found = llvm::find(broadcast.getDimensions(), dimension);
    if (found == broadcast.getDimensions().end())
      return false;
    dimension = found - broadcast.getDimensions().begin();
    value = broadcast.getOperand();
  }
  auto iota = value.getDefiningOp<hlo::IotaOp>();
  return iota && int64_t(iota.getIotaDimension()) == dimension;
}

} // namespace

std::optional<IndexedExtreme> matchIndexedExtreme(hlo::ReduceOp reduce,
                                                  hlo::ComputationOp computation) {
  if (reduce.getCount() != 2 || !ascends(reduce, reduce.getInputs()[1]))
    return std::nullopt;
  Type element = getElementTypeOrSelf(reduce.getInputs()[0].getType());
  bool isFloat = element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  if (!isFloat && !isa<IntegerType>(element))
    return std::nullopt;
  auto less = tryOut(computation, Relation::Less), equal = tryOut(computation, Relation::Equal),
       greater = tryOut(computation, Relation::Greater);
  bool decides = less && equal && greater && less->value == less->index &&
                 greater->value == greater->index && less->value != greater->value;
  if (!decides)
    return std::nullopt;
  auto nan = isFloat ? tryNaNs(computation) : IndexedExtreme::NaN::Never;
  if (!nan)
    return std::nullopt;
  // Equal values may differ in the sign of a zero.
  bool areSame = !isFloat || reduce.getResult(0).use_empty();
  return IndexedExtreme{less->value, areSame ? equal->index : equal->value, equal->index, *nan};
}

SmallVector<VectorValue> emitIndexedExtreme(IndexBuilder &index, const IndexedExtreme &extreme,
                                            Type element, ArrayRef<VectorValue> earlier,
                                            ArrayRef<VectorValue> later) {
  auto &b = index.b;
  Value x = earlier[0].re, y = later[0].re;
  bool isUnordered = extreme.nan != IndexedExtreme::NaN::Never;
  auto replaces = [&](bool ifEqual) -> Value {
    if (isa<IntegerType>(element)) {
      using P = arith::CmpIPredicate;
      static constexpr P predicates[2][2][2] = {{{P::slt, P::sle}, {P::sgt, P::sge}},
                                                {{P::ult, P::ule}, {P::ugt, P::uge}}};
      return b.createOrFold<arith::CmpIOp>(
          predicates[hlo::isZeroExtended(element)][extreme.isMaximum][ifEqual], y, x);
    }
    using P = arith::CmpFPredicate;
    static constexpr P predicates[2][2][2] = {{{P::OLT, P::OLE}, {P::OGT, P::OGE}},
                                              {{P::ULT, P::ULE}, {P::UGT, P::UGE}}};
    Value better =
        arith::CmpFOp::create(b, predicates[isUnordered][extreme.isMaximum][ifEqual], y, x);
    if (extreme.nan != IndexedExtreme::NaN::First)
      return better;
    Value isNumber = arith::CmpFOp::create(b, P::ORD, x, x);
    return arith::AndIOp::create(b, better, isNumber);
  };
  Value takesIndex = replaces(extreme.replacesEqualIndex),
        takesValue = extreme.replacesEqualValue == extreme.replacesEqualIndex
                         ? takesIndex
                         : replaces(extreme.replacesEqualValue);
  return {emitSelect(index, takesValue, later[0], earlier[0]),
          emitSelect(index, takesIndex, later[1], earlier[1])};
}

} // namespace hloc
