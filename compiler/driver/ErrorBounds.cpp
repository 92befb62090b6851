// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ErrorBounds.h"
#include "compiler/driver/ErrorRules.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

void Magnitude::add(double element) {
  double size = std::fabs(element);
  if (!std::isfinite(size) || size == 0)
    return;
  largest = std::max(largest, size);
  smallest = std::min(smallest, size);
}

void Magnitude::add(const Magnitude &other) {
  largest = std::max(largest, other.largest);
  smallest = std::min(smallest, other.smallest);
}

Magnitude measure(const evaluator::Array &array) {
  Magnitude size;
  if (evaluator::isComplex(array.type) || evaluator::isFloat(array.type))
    for (int64_t i = 0, count = array.getCount(); i < count; ++i) {
      evaluator::Scalar value = array.get(i);
      size.add(evaluator::isComplex(array.type) ? std::hypot(value.c.re, value.c.im) : value.f);
    }
  else
    for (int64_t i = 0, count = array.getCount(); i < count; ++i)
      size.add(double(array.get(i).i));
  return size;
}

void observe(Observations &observations, Operation *op, ArrayRef<evaluator::Value> results) {
  SmallVector<evaluator::Value> leaves;
  for (const evaluator::Value &result : results)
    result.flatten(leaves);
  Observation &met = observations[op];
  ++met.runs;
  met.results.resize(std::max(met.results.size(), leaves.size()));
  for (auto [size, leaf] : llvm::zip(met.results, leaves))
    size.add(measure(leaf.getArray()));
}

double getUlp(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  auto part = dyn_cast<FloatType>(complex ? complex.getElementType() : element);
  return part ? std::ldexp(1.0, 1 - int(part.getFPMantissaWidth())) : 0;
}

namespace {

/// Iterations whose error is followed to see how it grows in a loop.
constexpr int kLoopRounds = 2;

/// The element types of the arrays in a type, depth first.
void collectElements(Type type, SmallVectorImpl<Type> &elements) {
  if (auto tuple = dyn_cast<TupleType>(type))
    for (Type element : tuple.getTypes())
      collectElements(element, elements);
  else if (auto array = dyn_cast<RankedTensorType>(type))
    elements.push_back(array.getElementType());
}

int64_t countLeaves(Type type) {
  SmallVector<Type> elements;
  collectElements(type, elements);
  return int64_t(elements.size());
}

class Analysis {
public:
  /// The errors are relative to exact arithmetic, or to the evaluator, which rounds, too.
  Analysis(const Observations &observations, bool againstExact, bool flushes)
      : observations(observations), againstExact(againstExact), flushes(flushes) {}

  Leaves run(ComputationOp computation, ArrayRef<Known> arguments);
  Leaves visit(Operation *op, ArrayRef<Leaves> operands);

private:
  Leaves visitArrays(Operation *op, ArrayRef<Leaves> operands);
  Leaves visitReduction(Operation *op, ArrayRef<Leaves> operands);
  Leaves visitLoop(WhileOp loop, const Leaves &state);
  Leaves call(FlatSymbolRefAttr symbol, Operation *from, ArrayRef<Leaves> operands);
  Magnitude sizeOf(Operation *op, size_t leaf) const;

  const Observations &observations;
  bool againstExact, flushes;
};

/// Adds what is lost if subnormal numbers of an array are taken for zero.
void addFlushing(Known &known, Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  Type part = complex ? complex.getElementType() : element;
  if (!part.isF32() && !part.isF64())
    return;
  double normal =
      part.isF32() ? double(std::numeric_limits<float>::min()) : std::numeric_limits<double>::min();
  if (known.size.smallest >= normal) // infinite if all are zero
    return;
  known.error.absolute = (known.error.isExact() ? 0 : known.error.absolute) + normal;
  known.error.relative = INFINITY;
  known.error.reason = "subnormal numbers taken for zero";
  settle(known, known.size);
}

} // namespace

Magnitude Analysis::sizeOf(Operation *op, size_t leaf) const {
  Magnitude size;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    SmallVector<evaluator::Value> leaves;
    evaluator::fromAttribute(constant.getValue()).flatten(leaves);
    return leaf < leaves.size() ? measure(leaves[leaf].getArray()) : size;
  }
  auto found = observations.find(op);
  return found != observations.end() && leaf < found->second.results.size()
             ? found->second.results[leaf]
             : size;
}

Leaves Analysis::run(ComputationOp computation, ArrayRef<Known> arguments) {
  DenseMap<Value, Leaves> known;
  for (BlockArgument argument : computation.getArguments()) {
    int64_t count = std::min<int64_t>(countLeaves(argument.getType()), arguments.size());
    known[argument] = Leaves(arguments.take_front(count));
    arguments = arguments.drop_front(count);
  }
  Leaves results;
  for (Operation &op : computation.getBody().front()) {
    SmallVector<Leaves> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known[operand]);
    if (&op == computation.getBody().front().getTerminator()) {
      for (const Leaves &leaves : operands)
        llvm::append_range(results, leaves);
      break;
    }
    Leaves all = visit(&op, operands);
    size_t next = 0;
    for (Value result : op.getResults()) {
      size_t count = countLeaves(result.getType());
      all.resize(std::max(all.size(), next + count));
      known[result] = Leaves(ArrayRef(all).slice(next, count));
      next += count;
    }
  }
  return results;
}

Leaves Analysis::call(FlatSymbolRefAttr symbol, Operation *from, ArrayRef<Leaves> operands) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<ComputationOp>(from, symbol);
  Leaves arguments;
  for (const Leaves &leaves : operands)
    llvm::append_range(arguments, leaves);
  return callee ? run(callee, arguments) : Leaves();
}

/// Structure and control; all other operations give arrays.
Leaves Analysis::visit(Operation *op, ArrayRef<Leaves> operands) {
  auto all = [&] {
    Leaves joined;
    for (const Leaves &leaves : operands)
      llvm::append_range(joined, leaves);
    return joined;
  };
  auto getElement = [&](size_t index) { // of the first operand
    auto types = cast<TupleType>(op->getOperand(0).getType()).getTypes();
    int64_t first = 0;
    for (Type type : types.take_front(index))
      first += countLeaves(type);
    ArrayRef<Known> leaves = operands[0];
    int64_t count = countLeaves(types[index]);
    return first + count <= int64_t(leaves.size()) ? Leaves(leaves.slice(first, count))
                                                   : Leaves(count);
  };
  return llvm::TypeSwitch<Operation *, Leaves>(op)
      .Case<TupleOp, OptBarrierOp>([&](Operation *) { return all(); })
      .Case([&](GetTupleElementOp get) { return getElement(get.getIndex()); })
      .Case([&](AsyncStartOp start) { // ((operands...), result, ...)
        Leaves state = all();
        state.resize(countLeaves(cast<TupleType>(start.getType()).getType(0)));
        llvm::append_range(state, call(start.getCallsAttr(), op, operands));
        return state;
      })
      .Case([&](AsyncUpdateOp) { return operands[0]; })
      .Case([&](AsyncDoneOp) { return getElement(1); })
      .Case([&](CallOp other) { return call(other.getToApplyAttr(), op, operands); })
      .Case([&](FusionOp fusion) { return call(fusion.getCallsAttr(), op, operands); })
      .Case([&](MapOp map) {
        Leaves results = call(map.getToApplyAttr(), op, operands);
        for (auto [i, leaf] : llvm::enumerate(results)) // scalars there, all elements here
          settle(leaf, sizeOf(op, i));
        return results;
      })
      .Case([&](WhileOp loop) { return visitLoop(loop, all()); })
      .Case([&](ConditionalOp choice) {
        Leaves worst;
        for (auto [i, branch] :
             llvm::enumerate(choice.getBranchComputations().getAsRange<FlatSymbolRefAttr>())) {
          Leaves results = call(branch, op, operands.slice(i + 1, 1));
          worst.resize(std::max(worst.size(), results.size()));
          for (auto [mine, its] : llvm::zip(worst, results)) {
            Known both = passOn({Leaves{mine}, Leaves{its}});
            both.size = mine.size;
            both.size.add(its.size);
            mine = both;
          }
        }
        return worst;
      })
      .Default([&](Operation *) { return visitArrays(op, operands); });
}

Leaves Analysis::visitArrays(Operation *op, ArrayRef<Leaves> operands) {
  Leaves results = visitReduction(op, operands);
  SmallVector<Type> elements;
  for (Type type : op->getResultTypes())
    collectElements(type, elements);
  if (againstExact && !onlyMoves(op))
    for (auto [result, element] : llvm::zip(results, elements))
      addRounding(result, element);
  if (flushes && (isa<ConstantOp>(op) || !onlyMoves(op)))
    for (auto [result, element] : llvm::zip(results, elements))
      addFlushing(result, element);
  return results;
}

/// The error after the number of iterations that the evaluator ran, extrapolated from the increase
/// in one more iteration.
Leaves Analysis::visitLoop(WhileOp loop, const Leaves &state) {
  auto body = SymbolTable::lookupNearestSymbolFrom<ComputationOp>(loop, loop.getBodyAttr());
  auto runsOf = [&](Operation *op) {
    auto found = observations.find(op);
    return found == observations.end() ? int64_t(1) : std::max<int64_t>(found->second.runs, 1);
  };
  Leaves before = state, after = state;
  int64_t runs = 0;
  for (Operation &op : body.getBody().front().without_terminator())
    if (observations.contains(&op))
      runs = std::max(runs, runsOf(&op) / runsOf(loop));
  for (int i = 0; i < kLoopRounds && i < runs; ++i) {
    before = after;
    after = call(loop.getBodyAttr(), loop, {after});
    after.resize(before.size());
    for (auto [now, last] : llvm::zip(after, before))
      now.size.add(last.size);
  }
  double rest = double(std::max<int64_t>(runs - kLoopRounds, 0));
  for (auto [now, last] : llvm::zip(after, before)) {
    now.error.absolute += rest * std::max(now.error.absolute - last.error.absolute, 0.0);
    now.error.relative += rest * std::max(now.error.relative - last.error.relative, 0.0);
    settle(now, now.size);
  }
  return after;
}

/// Operations that combine elements by a computation: sums, products, or selections.
Leaves Analysis::visitReduction(Operation *op, ArrayRef<Leaves> operands) {
  SmallVector<Type> elements;
  for (Type type : op->getResultTypes())
    collectElements(type, elements);
  Leaves results;
  auto applied = op->getAttrOfType<FlatSymbolRefAttr>("to_apply");
  if (auto scatter = dyn_cast<SelectAndScatterOp>(op))
    applied = scatter.getScatterAttr();
  auto computation =
      applied ? SymbolTable::lookupNearestSymbolFrom<ComputationOp>(op, applied) : ComputationOp();
  if (!computation || isa<SortOp>(op)) {
    for (auto [i, element] : llvm::enumerate(elements))
      results.push_back(boundArray(op, element, operands, sizeOf(op, i)));
    return results;
  }
  bool adds = false, multiplies = false;
  computation.walk([&](Operation *inner) {
    adds |= !isa<MultiplyOp, MaximumOp, MinimumOp, SelectOp, CompareOp, AndOp, OrOp, XorOp,
                 ConstantOp, TupleOp, ConvertOp, ReturnOp, ComputationOp>(inner);
    multiplies |= isa<MultiplyOp>(inner);
  });
  Known all = passOn(operands);
  Magnitude given;
  for (const Leaves &leaves : operands)
    for (const Known &leaf : leaves)
      given.add(leaf.size);
  double terms = countTerms(op);
  for (auto [i, element] : llvm::enumerate(elements)) {
    Magnitude size = sizeOf(op, i);
    if (adds && getUlp(element) > 0) {
      results.push_back(
          boundSum(op, element, terms, given.largest, terms * all.error.absolute, size));
      continue;
    }
    Known result = all;
    if (multiplies && getUlp(element) > 0) {
      result.error.relative = terms * (all.error.relative + getUlp(element));
      result.error.absolute = INFINITY;
      result.error.reason = "product of " + std::to_string(int64_t(terms));
    }
    settle(result, size);
    results.push_back(result);
  }
  return results;
}

Leaves boundAgainstExact(Operation *op, ArrayRef<Leaves> operands,
                         const Observations &observations) {
  return Analysis(observations, /*againstExact=*/true, /*flushes=*/false).visit(op, operands);
}

std::vector<ErrorBound> deriveErrorBounds(ComputationOp entry, ArrayRef<Magnitude> arguments,
                                          const Observations &observations, bool flushes) {
  Leaves known;
  for (const Magnitude &size : arguments)
    known.push_back({{}, size});
  SmallVector<Type> elements;
  for (Type type : entry.getArgumentTypes())
    collectElements(type, elements);
  if (flushes)
    for (auto [leaf, element] : llvm::zip(known, elements))
      addFlushing(leaf, element);
  std::vector<ErrorBound> bounds;
  for (const Known &leaf :
       Analysis(observations, /*againstExact=*/false, flushes).run(entry, known))
    bounds.push_back(leaf.error);
  return bounds;
}

Magnitude measure(const HostArray &array) {
  Magnitude size;
  Type element = array.getElementType();
  for (int64_t i = 0, count = array.getCount(); i < count; ++i) {
    ElementValue value = array.get(i);
    size.add(isa<IntegerType>(element) ? double(value.integer)
                                       : std::hypot(value.real, value.imaginary));
  }
  return size;
}

Tolerance toTolerance(const ErrorBound &bound, Type element) {
  double ulp = getUlp(element);
  if (bound.isExact())
    return {};
  if (ulp == 0 || !bound.isRelative)
    return {.atol = bound.absolute};
  return {.ulp = int64_t(std::min(std::ceil(bound.relative / ulp), 1e18))};
}

std::string describe(const ErrorBound &bound, Type element) {
  if (bound.isExact())
    return "exact";
  std::string text;
  llvm::raw_string_ostream out(text);
  double ulp = getUlp(element);
  if (!std::isfinite(bound.relative) && !std::isfinite(bound.absolute))
    out << "anything";
  else if (bound.isRelative && ulp > 0)
    out << "within " << llvm::format("%g", std::ceil(bound.relative / ulp)) << " ulp";
  else
    out << "within " << llvm::format("%.3g", bound.absolute);
  if (!bound.reason.empty())
    out << " (" << bound.reason << ")";
  return text;
}

} // namespace hloc
