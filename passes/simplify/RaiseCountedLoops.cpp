// SPDX-License-Identifier: Apache-2.0
// Turns counting scf.while loops into scf.for. Test: test/passes/simplify/raise-counted-loops.mlir.
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/simplify/LoopCounter.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_RAISECOUNTEDLOOPS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// `for (i = init; i <direction> bound; i += step)` with an integer counter.
struct IntegerCounter : LoopCounter {
  int64_t step;
};

std::optional<IntegerCounter> findIntegerCounter(scf::WhileOp loop) {
  std::optional<LoopCounter> counter = findCounter(loop);
  std::optional<APSInt> step = counter ? getSplatInteger(counter->step) : std::nullopt;
  if (!step || isPred(counter->type.getElementType()))
    return std::nullopt;
  // Steps of unsigned counters are taken as signed too: adding 2^n - 1 counts down.
  int64_t value = step->getSExtValue();
  return IntegerCounter{*counter, counter->subtracts ? -value : value};
}

/// The trip count, if both ends are constant and the counter does not wrap.
std::optional<int64_t> getTripCount(const IntegerCounter &counter) {
  std::optional<APSInt> init = getSplatInteger(counter.init),
                        bound = getSplatInteger(counter.bound);
  if (!init || !bound || counter.step == 0)
    return std::nullopt;
  auto toWide = [](const APSInt &value) {
    return value.isUnsigned() ? __int128(value.getZExtValue()) : __int128(value.getSExtValue());
  };
  __int128 first = toWide(*init), end = toWide(*bound), step = counter.step;
  Direction direction = counter.direction;
  if (step < 0) { // mirrored, so that it counts up
    first = -first, end = -end, step = -step;
    direction = swapOperands(direction);
  }
  if (direction == Direction::LE)
    end += 1;
  else if (direction == Direction::NE && (end < first || (end - first) % step != 0))
    return std::nullopt;
  else if (direction != Direction::LT && direction != Direction::NE)
    return std::nullopt;
  __int128 trips = end > first ? (end - first + step - 1) / step : 0;
  // The final value must be representable in the counter's type.
  __int128 last = toWide(*init) + trips * counter.step;
  unsigned width = init->getBitWidth();
  __int128 least = init->isUnsigned() ? 0 : -(__int128(1) << (width - 1));
  __int128 greatest = (__int128(1) << (init->isUnsigned() ? width : width - 1)) - 1;
  if (last < least || last > greatest || trips > INT64_MAX)
    return std::nullopt;
  return int64_t(trips);
}

/// The counter as a tensor: init + iv * step.
Value makeCounterValue(Build build, const IntegerCounter &counter, Value init, Value iv) {
  OpBuilder &b = build.builder;
  Location loc = build.loc;
  Value scaled = iv;
  if (counter.step != 1)
    scaled =
        arith::MulIOp::create(b, loc, iv, arith::ConstantIndexOp::create(b, loc, counter.step));
  Type element = counter.type.getElementType();
  Type signless = b.getIntegerType(element.getIntOrFloatBitWidth());
  Value value = arith::IndexCastOp::create(b, loc, signless, scaled);
  Value array = tensor::FromElementsOp::create(b, loc, RankedTensorType::get({}, signless), value);
  array = build.convert(array, element);
  return isSplatOf(init, 0) ? array : build.add(array, init);
}

bool raise(scf::WhileOp loop) {
  std::optional<IntegerCounter> counter = findIntegerCounter(loop);
  if (!counter)
    return false;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Build build(builder, loc);
  Value upper, final;
  std::optional<int64_t> trips = getTripCount(*counter);
  if (trips) {
    upper = arith::ConstantIndexOp::create(builder, loc, *trips);
    APSInt last = *getSplatInteger(counter->init);
    last += APSInt(APInt(64, *trips * counter->step).sextOrTrunc(last.getBitWidth()),
                   last.isUnsigned());
    final = build.scalar(counter->type.getElementType(), APInt(last));
  } else {
    // With ends known only at run time, narrow signed counters that count up by one do not wrap.
    Type element = counter->type.getElementType();
    if (counter->step != 1 || counter->direction != Direction::LT || !element.isSignlessInteger() ||
        element.getIntOrFloatBitWidth() > 32)
      return false;
    Value bound = counter->bound;
    if (auto constant = bound.getDefiningOp<ConstantOp>())
      bound = builder.clone(*constant)->getResult(0);
    auto toIndex = [&](Value value) -> Value {
      value = tensor::ExtractOp::create(builder, loc, value, ValueRange());
      return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
    };
    upper = arith::SubIOp::create(builder, loc, toIndex(bound), toIndex(counter->init));
    final = build.binary<MaximumOp>(counter->init, bound);
  }

  unsigned position = counter->position;
  SmallVector<Value> inits(loop.getInits());
  inits.erase(inits.begin() + position);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto forOp = scf::ForOp::create(builder, loc, zero, upper, one, inits,
                                  [](OpBuilder &, Location, Value, ValueRange) {});
  Block *body = forOp.getBody();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> arguments(forOp.getRegionIterArgs());
  Value current =
      makeCounterValue(Build(builder, loc), *counter, counter->init, forOp.getInductionVar());
  arguments.insert(arguments.begin() + position, current);

  Block &after = loop.getAfter().front();
  for (auto [old, value] : llvm::zip(after.getArguments(), arguments))
    old.replaceAllUsesWith(value);
  body->getOperations().splice(body->end(), after.getOperations());
  body->getTerminator()->eraseOperand(position);

  SmallVector<Value> results(forOp.getResults());
  results.insert(results.begin() + position, final);
  loop.replaceAllUsesWith(results);
  loop.erase();
  return true;
}

struct RaiseCountedLoops : hloc::impl::RaiseCountedLoopsBase<RaiseCountedLoops> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation()->walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    for (scf::WhileOp loop : loops)
      if (raise(loop))
        ++raised;
  }
};

} // namespace
