// SPDX-License-Identifier: Apache-2.0
// Checks that participants come to the same collectives in the same order. Test:
// test/passes/collectives/match-collectives.test.
#include "compiler/hlo/CollectiveStages.h"
#include "compiler/hlo/Location.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/collectives/MatchTransfers.h"
#include "passes/collectives/ParticipantNumbers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_MATCHCOLLECTIVES
#include "passes/Passes.h.inc"
} // namespace hloc

SmallVector<Value> hloc::getDecisions(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return {op->getOperand(0)};
  return {};
}

std::string hloc::quoteName(Operation *op) {
  StringRef name = getInstructionName(op->getLoc());
  return ("'" + (name.empty() ? op->getName().stripDialect() : name) + "'").str();
}

namespace {

class Matcher {
public:
  Matcher(const Sameness &sameness, ParticipantCounts counts)
      : sameness(sameness), counts(counts) {}

  /// Checks that all members of a group meet in `op`, and reports if not.
  LogicalResult check(Operation *op);

private:
  LogicalResult checkUnder(Operation *op, const ParticipantGroups &groups, Operation *control);

  const Sameness &sameness;
  ParticipantCounts counts;
};

} // namespace

/// The first two members of a group for which `differ` is true; none if there are none.
static std::optional<std::pair<int64_t, int64_t>>
findPair(const ParticipantGroups &groups, function_ref<bool(int64_t, int64_t)> differ) {
  for (const auto &group : groups)
    for (int64_t member : group)
      if (differ(group.front(), member))
        return std::pair(group.front(), member);
  return std::nullopt;
}

LogicalResult Matcher::checkUnder(Operation *op, const ParticipantGroups &groups,
                                  Operation *control) {
  for (Value decision : getDecisions(control)) {
    const ParticipantClasses &classes = sameness.getClasses(decision);
    auto pair = findPair(groups, [&](int64_t a, int64_t b) { return classes[a] != classes[b]; });
    if (!pair)
      continue;
    std::string what = isa<scf::IfOp, scf::IndexSwitchOp>(control) ? "which branch is taken"
                                                                   : "how often the body runs";
    if (auto numbers = getNumbers(decision, counts)) {
      pair = findPair(groups, [&](int64_t a, int64_t b) { return (*numbers)[a] != (*numbers)[b]; });
      if (!pair)
        continue;
      InFlightDiagnostic error = emitError(op->getLoc());
      error << "participants " << pair->first << " and " << pair->second << " do not both reach "
            << quoteName(op) << ": it is under " << quoteName(control)
            << ", which they execute differently";
      error.attachNote(control->getLoc()) << "the participants' numbers determine " << what;
      return error;
    }
    InFlightDiagnostic warning = emitWarning(op->getLoc());
    warning << "cannot show that participants " << pair->first << " and " << pair->second
            << " both reach " << quoteName(op) << ": it is under " << quoteName(control)
            << ", which they may execute differently";
    warning.attachNote(control->getLoc()) << "data of each participant determine " << what;
    return success(); // one is enough
  }
  return success();
}

LogicalResult Matcher::check(Operation *op) {
  FailureOr<ParticipantGroups> groups = getGroups(op, counts);
  if (failed(groups))
    return failure();
  for (Operation *control = op->getParentOp(); !isa<func::FuncOp>(control);
       control = control->getParentOp())
    if (failed(checkUnder(op, *groups, control)))
      return failure();
  return success();
}

namespace {

struct MatchCollectives : hloc::impl::MatchCollectivesBase<MatchCollectives> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    SmallVector<Operation *> nested;
    bool isValid = true, hasTransfers = false;
    ParticipantCounts counts = ParticipantCounts::of(getOperation());
    main.walk([&](Operation *op) {
      hasTransfers |= isa<CollectiveStartOp>(op);
      if (!isCollective(op))
        return;
      if (op->getParentOp() != main)
        nested.push_back(op);
      else
        isValid &= succeeded(getGroups(op, counts));
    });
    if (!isValid)
      return signalPassFailure();
    if (nested.empty() && !hasTransfers)
      return;
    FailureOr<Sameness> sameness = Sameness::compute(main, counts);
    if (failed(sameness))
      return signalPassFailure();
    isValid &= succeeded(matchTransfers(main, *sameness));
    Matcher matcher(*sameness, counts);
    for (Operation *op : nested)
      isValid &= succeeded(matcher.check(op));
    if (!isValid)
      signalPassFailure();
  }
};

} // namespace
