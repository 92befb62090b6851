// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/numerics/Losses.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

//===- One array ------------------------------------------------------------===//

static FloatType getPart(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return dyn_cast<FloatType>(complex ? complex.getElementType() : element);
}

/// The spacing of the type's numbers near `value`; near 0 that of subnormal ones.
static double getSpacing(FloatType type, double value) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int least = llvm::APFloat::semanticsMinExponent(semantics);
  int exponent = std::isfinite(value) && value != 0 ? std::max(std::ilogb(value), least) : least;
  return std::ldexp(1.0, exponent + 1 - int(llvm::APFloat::semanticsPrecision(semantics)));
}

/// |a - b|; 0 if both are the same infinity or NaN.
static double getDistance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  return std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : INFINITY;
}

static std::string getText(const HostArray &array, int64_t position) {
  if (!isa<FloatType>(array.getElementType()))
    return array.getText(position);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", array.get(position).real);
  return text;
}

static std::string describeElement(const HostArray &array, const HostArray &wide,
                                   int64_t position) {
  std::string index, text;
  ArrayRef<int64_t> shape = array.type.getShape();
  for (size_t d = shape.size(), rest = position; d-- > 0; rest /= shape[d])
    index = std::to_string(rest % shape[d]) + (index.empty() ? "" : ",") + index;
  llvm::raw_string_ostream(text) << (shape.empty() ? "it" : "element [" + index + "]") << " is "
                                 << getText(array, position) << " instead of "
                                 << getText(wide, position);
  return text;
}

double Loss::ofLargest() const {
  return absolute == 0 ? 0 : size.largest == 0 ? INFINITY : absolute / size.largest;
}

void measureLoss(const HostArray &array, const HostArray &wide, Loss &loss) {
  Type element = array.getElementType();
  FloatType part = getPart(element);
  loss.count += array.getCount();
  loss.size.add(measure(wide));
  if (array.type.getShape() != wide.type.getShape()) { // its size is computed
    loss.absolute = loss.relative = loss.ulps = INFINITY;
    loss.different += array.getCount();
    return;
  }
  double unit = part ? getSpacing(part, 0) : 0;
  for (int64_t i = 0, count = array.getCount(); i < count; ++i) {
    ElementValue mine = array.get(i), exact = wide.get(i);
    double apart = 0, size = std::hypot(exact.real, exact.imaginary);
    double larger = std::max(size, std::hypot(mine.real, mine.imaginary));
    if (!part)
      apart = mine.integer == exact.integer
                  ? 0
                  : std::max(1.0, std::fabs(double(mine.integer) - double(exact.integer)));
    else
      apart = std::hypot(getDistance(mine.real, exact.real),
                         getDistance(mine.imaginary, exact.imaginary));
    if (apart == 0)
      continue;
    ++loss.different;
    loss.overflows |= !std::isfinite(apart) && std::isfinite(size);
    double ulps = part ? apart / getSpacing(part, larger) : apart;
    if (apart > loss.absolute || loss.worst.empty())
      loss.worst = describeElement(array, wide, i);
    loss.ulps = std::max(loss.ulps, ulps);
    loss.absolute = std::max(loss.absolute, apart);
    // The smallest numbers of a type have few digits: their unit does not count as an error.
    double rest = std::max(apart - unit, 0.0);
    if (rest > 0)
      loss.relative = std::max(loss.relative, size > 0 ? rest / size : INFINITY);
  }
}

double countBits(Type element, double share) {
  FloatType part = getPart(element);
  if (!part)
    return 0;
  double all = llvm::APFloat::semanticsPrecision(part.getFloatSemantics());
  return std::clamp(share > 0 ? -std::log2(share) : all, 0.0, all);
}

//===- Instructions ---------------------------------------------------------===//

namespace {

/// The state of an array: its measured error, and the fractions of it that may be lost.
struct Followed {
  Known known;
  /// The fraction by the types that it went through.
  double byTypes = 0;
  /// That, and the fraction by causes found before.
  double asked = 0;
  bool isInteger = false;
  /// More is lost than the types imply.
  bool isBad = false;
};
using FollowedLeaves = SmallVector<Followed, 2>;

/// True if a small error of an operand may change the result by a large amount.
bool hasSteps(Operation *op) {
  return isa<CeilOp, CompareOp, FloorOp, RemainderOp, RoundNearestAfzOp, RoundNearestEvenOp, SignOp,
             TopkOp>(op) ||
         (isa<SortOp, ReduceOp, ReduceWindowOp, SelectAndScatterOp>(op) &&
          (isa<TupleType>(op->getResult(0).getType()) || isa<SelectAndScatterOp>(op)));
}

/// True if the purpose of the operation is to round.
bool isAskedFor(Operation *op) {
  if (isa<ReducePrecisionOp, StochasticConvertOp>(op))
    return true;
  if (!isa<ConvertOp>(op))
    return false;
  FloatType from = getPart(getElementTypeOrSelf(op->getOperand(0)));
  FloatType to = getPart(getElementTypeOrSelf(op->getResult(0)));
  return from && to &&
         !llvm::APFloat::isRepresentableBy(from.getFloatSemantics(), to.getFloatSemantics());
}

class Judge {
public:
  Judge(const Probes &probes, const ProbedValues &values) : probes(probes), values(values) {}

  std::vector<LossRow> run();

private:
  FollowedLeaves follow(Operation *op, ArrayRef<FollowedLeaves> operands, bool isProbed);
  void findEffects(Value result);
  void judge(LossRow &row, const Known &bound, ArrayRef<FollowedLeaves> operands);
  Loss measureLeaf(const ParticipantArrays &arrays, size_t leaf) const;

  const Probes &probes;
  const ProbedValues &values;
  /// The index of the next probed value's first array.
  size_t next = 0;
  DenseMap<Value, FollowedLeaves> followed;
  std::vector<LossRow> rows;
};

/// The position of the element's first array among those of the tuple.
size_t getFirstLeaf(GetTupleElementOp get) {
  size_t first = 0;
  for (Type type :
       cast<TupleType>(get.getOperand().getType()).getTypes().take_front(get.getIndex()))
    first += flattenType(type).size();
  return first;
}

/// True if an error is more than allowed, if the operands have errors of this fraction.
bool isBeyond(const Loss &loss, const ErrorBound &allowed, double operandShare) {
  // The bounds are first-order approximations.
  double slack = 1 + 1e-6 + operandShare;
  return allowed.isRelative ? loss.relative > slack * allowed.relative
                            : loss.absolute > slack * allowed.absolute;
}

Loss Judge::measureLeaf(const ParticipantArrays &arrays, size_t leaf) const {
  Loss loss;
  for (auto [mine, wide] : llvm::zip(arrays, values.wide))
    measureLoss(mine[leaf], wide[leaf], loss);
  return loss;
}

void Judge::judge(LossRow &row, const Known &bound, ArrayRef<FollowedLeaves> operands) {
  Type element = row.type.getElementType();
  double unit = getUlp(element) / 2, share = row.loss.ofLargest(), asked = unit, before = 0;
  bool isExact = true, otherChoice = false;
  for (const FollowedLeaves &leaves : operands)
    for (const Followed &leaf : leaves) {
      double mine = leaf.known.error.absolute;
      asked = std::max(asked, leaf.asked);
      if (mine == 0)
        continue;
      isExact = false;
      otherChoice |= leaf.isInteger;
      before = std::max(before, leaf.known.size.largest > 0 ? mine / leaf.known.size.largest : 1);
    }
  otherChoice |= isa<CustomCallOp, RngOp>(row.op) || (!isExact && (unit == 0 || hasSteps(row.op)));
  row.allowed = bound.error;
  row.bitsBefore = countBits(element, before);
  row.bitsNeeded = countBits(element, std::sqrt(asked));
  row.bitsLeft = countBits(element, share);
  row.isCompilers = !isBeyond(row.interpreted, row.allowed, before);
  bool goesBeyond = isBeyond(row.loss, row.allowed, before);
  bool isLost = unit > 0 && share > std::sqrt(asked) && share > before;
  bool asksForIt = isAskedFor(row.op);
  if (asksForIt && (!goesBeyond || row.loss.overflows || !isa<ConvertOp>(row.op)))
    row.verdict = row.loss.absolute > 0 ? Verdict::AskedFor : Verdict::Fine;
  else if (otherChoice)
    row.verdict = goesBeyond || isLost ? Verdict::OtherChoice : Verdict::Fine;
  else if (goesBeyond)
    row.verdict = Verdict::Beyond;
  else if (isLost)
    row.verdict = Verdict::Lost;
}

/// Follows the results of an instruction; those that were probed are measured and judged.
FollowedLeaves Judge::follow(Operation *op, ArrayRef<FollowedLeaves> operands, bool isProbed) {
  if (auto get = dyn_cast<GetTupleElementOp>(op))
    return FollowedLeaves(
        ArrayRef(operands[0]).slice(getFirstLeaf(get), flattenType(get.getType()).size()));
  SmallVector<Leaves> known;
  double byTypes = 0, asked = 0;
  FollowedLeaves all;
  for (const FollowedLeaves &leaves : operands) {
    Leaves &mine = known.emplace_back();
    for (const Followed &leaf : leaves) {
      mine.push_back(leaf.known);
      byTypes = std::max(byTypes, leaf.byTypes);
      asked = std::max(asked, leaf.asked);
      all.push_back(leaf);
    }
  }
  if (isa<TupleOp>(op))
    return all;
  Leaves bounds = boundAgainstExact(op, known, values.observations);
  auto types = flattenType(op->getResult(0).getType());
  bounds.resize(types.size());
  FollowedLeaves results;
  for (auto [leaf, type, bound] : llvm::enumerate(types, bounds)) {
    double unit = getUlp(type.getElementType()) / 2;
    Followed &result = results.emplace_back();
    result = {bound, std::max(byTypes, unit), std::max(asked, unit),
              isa<IntegerType>(type.getElementType()), false};
    if (!isProbed) {
      for (const Followed &operand : all)
        result.isBad |= operand.isBad;
      continue;
    }
    LossRow row(op, leaf, types.size(), type);
    row.loss = measureLeaf(values.compiled, next);
    row.interpreted = measureLeaf(values.interpreted, next++);
    judge(row, bound, operands);
    double share = row.loss.ofLargest();
    result.known.size = row.loss.size;
    // One part of a complex number may be much smaller than the other.
    result.known.error = {isa<ComplexType>(type.getElementType()) && share > 0 ? INFINITY
                                                                               : row.loss.relative,
                          row.loss.absolute, false, ""};
    if (row.verdict == Verdict::OtherChoice) // the consequences are not judged
      result.byTypes = result.asked = INFINITY;
    if (row.verdict == Verdict::AskedFor)
      result.byTypes = std::max(result.byTypes, share);
    if (row.verdict != Verdict::Fine) // later instructions are not to blame
      result.asked = std::max(result.asked, share);
    result.isBad = unit > 0 && share > std::sqrt(result.byTypes);
    rows.push_back(std::move(row));
  }
  return results;
}

/// Marks the rows whose loss is visible in the module's result, and those in between.
void Judge::findEffects(Value result) {
  DenseMap<std::pair<Operation *, size_t>, LossRow *> rowOf;
  for (LossRow &row : rows)
    rowOf[{row.op, row.leaf}] = &row;
  DenseSet<std::pair<Value, size_t>> seen;
  SmallVector<std::pair<Value, size_t>> open;
  auto add = [&](Value value, size_t leaf) {
    if (followed[value][leaf].isBad && seen.insert({value, leaf}).second)
      open.push_back({value, leaf});
  };
  for (size_t leaf = 0, count = flattenType(result.getType()).size(); leaf < count; ++leaf)
    add(result, leaf);
  while (!open.empty()) {
    auto [value, leaf] = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op)
      continue;
    if (auto get = dyn_cast<GetTupleElementOp>(op)) {
      add(get.getOperand(), getFirstLeaf(get) + leaf);
      continue;
    }
    if (LossRow *row = rowOf.lookup({op, leaf}))
      row->isSeen = true;
    for (Value operand : op->getOperands()) {
      size_t count = followed[operand].size();
      if (!isa<TupleOp>(op))
        for (size_t i = 0; i < count; ++i)
          add(operand, i);
      else if (leaf < count)
        add(operand, leaf);
      if (isa<TupleOp>(op) && leaf < count)
        break;
      leaf -= isa<TupleOp>(op) ? count : 0;
    }
  }
}

std::vector<LossRow> Judge::run() {
  ComputationOp entry = findEntry(*probes.module);
  Block &body = entry.getBody().front();
  Value result = body.getTerminator()->getOperand(0).getDefiningOp()->getOperand(0);
  next = flattenType(result.getType()).size();
  size_t input = 0;
  for (BlockArgument argument : body.getArguments())
    for (size_t i = 0, count = flattenType(argument.getType()).size(); i < count; ++i, ++input) {
      Followed &leaf = followed[argument].emplace_back();
      for (const std::vector<HostArray> &arrays : values.inputs)
        leaf.known.size.add(measure(arrays[input]));
    }
  size_t probe = 0;
  for (Operation &op : body.without_terminator()) {
    SmallVector<FollowedLeaves> operands;
    for (Value operand : op.getOperands())
      operands.push_back(followed[operand]);
    bool isProbed = probe < probes.probed.size() && probes.probed[probe] == &op;
    probe += isProbed;
    if (op.getNumResults() == 1)
      followed[op.getResult(0)] = follow(&op, operands, isProbed);
  }
  findEffects(result);
  return std::move(rows);
}

} // namespace

std::vector<LossRow> judgeLosses(const Probes &probes, const ProbedValues &values) {
  return Judge(probes, values).run();
}

} // namespace hloc
