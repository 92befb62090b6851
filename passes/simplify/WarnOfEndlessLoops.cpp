// SPDX-License-Identifier: Apache-2.0
// Warns of loops whose counters never reach their bounds. Test:
// test/passes/simplify/warn-of-endless-loops.hlo.
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/text/Shape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/simplify/LoopCounter.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_WARNOFENDLESSLOOPS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

bool isUpTo(Direction direction) {
  return direction == Direction::LT || direction == Direction::LE;
}

/// The number that a float counter never exceeds (or, counting down, never falls below) although
/// the loop goes on there; none if that cannot be shown. Rounding keeps the order of sums: if
/// limit + step rounds to the limit, no number below it gets beyond it either.
std::optional<APFloat> findLimit(const LoopCounter &counter) {
  std::optional<APFloat> init = getSplatFloat(counter.init), bound = getSplatFloat(counter.bound),
                         step = getSplatFloat(counter.step);
  if (!init || !bound || !step || init->isNaN() || bound->isNaN() || step->isNaN())
    return std::nullopt;
  Direction direction = counter.direction;
  if (counter.subtracts)
    step->changeSign();
  if (direction == Direction::NE)
    direction = init->compare(*bound) == APFloat::cmpLessThan ? Direction::LT : Direction::GT;
  if (direction == Direction::EQ)
    return std::nullopt;
  bool isMirrored = !isUpTo(direction);
  if (isMirrored) { // so that it counts up
    init->changeSign(), bound->changeSign(), step->changeSign();
    direction = swapOperands(direction);
  }
  // Of two adjacent numbers, one keeps its value where the step is half their distance.
  APFloat limit = *bound;
  if (direction == Direction::LT)
    limit.next(/*nextDown=*/true);
  for (int i = 0; i < 2; ++i, limit.next(/*nextDown=*/true)) {
    APFloat next = limit;
    next.add(*step, APFloat::rmNearestTiesToEven);
    if (init->compare(limit) != APFloat::cmpGreaterThan && !next.isNaN() &&
        next.compare(limit) != APFloat::cmpGreaterThan) {
      if (isMirrored)
        limit.changeSign();
      return limit;
    }
  }
  return std::nullopt;
}

/// True if an integer counter, which wraps around, starts the loop and takes no value that ends it:
/// its values are all that differ from the first by multiples of a power of two.
bool missesEnd(const LoopCounter &counter) {
  std::optional<APSInt> init = getSplatInteger(counter.init),
                        bound = getSplatInteger(counter.bound),
                        step = getSplatInteger(counter.step);
  if (!init || !bound || !step || isPred(counter.type.getElementType()))
    return false;
  unsigned width = init->getBitWidth(), zeros = std::min(step->countr_zero(), width);
  auto isTaken = [&](const APInt &value) { return (value - *init).countr_zero() >= zeros; };
  // The taken value nearest to an end of the type's range.
  APInt offset = zeros == 0 ? APInt(width, 0) : APInt::getLowBitsSet(width, zeros);
  APSInt greatest = APSInt::getMaxValue(width, init->isUnsigned()),
         least = APSInt::getMinValue(width, init->isUnsigned());
  APSInt last(greatest - ((greatest - *init) & offset), init->isUnsigned()),
      first(least + ((*init - least) & offset), init->isUnsigned());
  switch (counter.direction) {
  case Direction::LT:
    return *init < *bound && last < *bound;
  case Direction::LE:
    return *init <= *bound && last <= *bound;
  case Direction::GT:
    return *init > *bound && first > *bound;
  case Direction::GE:
    return *init >= *bound && first >= *bound;
  case Direction::NE:
    return !isTaken(*bound);
  case Direction::EQ:
    return *init == *bound && step->isZero();
  }
  llvm_unreachable("every direction");
}

std::string print(const APFloat &number) {
  SmallString<24> text;
  number.toString(text);
  return std::string(text);
}

struct WarnOfEndlessLoops : hloc::impl::WarnOfEndlessLoopsBase<WarnOfEndlessLoops> {
  void runOnOperation() override {
    getOperation()->walk([](scf::WhileOp loop) {
      std::optional<LoopCounter> counter = findCounter(loop);
      if (!counter)
        return;
      std::string type = text::getElementName(counter->type.getElementType()).str();
      if (std::optional<APFloat> limit = findLimit(*counter))
        emitWarning(loop.getLoc()) << "this loop never ends: its counter of type " << type
                                   << " does not get beyond " << print(*limit);
      else if (missesEnd(*counter))
        emitWarning(loop.getLoc()) << "this loop never ends: its counter of type " << type
                                   << " takes no value that ends it";
    });
  }
};

} // namespace
