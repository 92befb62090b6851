// SPDX-License-Identifier: Apache-2.0
// A certain deadlock between participants is an error, a possible one a warning. Test:
// test/passes/collectives/refuse-deadlocks.test.
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Passes.h"
#include "passes/collectives/MatchTransfers.h"
#include "passes/collectives/Rehearsal.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_REFUSEDEADLOCKS
#include "passes/Passes.h.inc"
} // namespace hloc

/// Text such as "0, 1 and 2".
static std::string listParticipants(ArrayRef<Rehearsal::Wait> ring) {
  SmallVector<int64_t> numbers;
  for (const Rehearsal::Wait &wait : ring)
    numbers.push_back(wait.participant);
  llvm::sort(numbers);
  std::string text;
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(number);
  return text;
}

static void noteDecision(InFlightDiagnostic &diagnostic, Operation *choice) {
  bool isLoop = isa<LoopLikeOpInterface>(choice);
  diagnostic.attachNote(choice->getLoc())
      << "data determine " << (isLoop ? "how often the body runs" : "which branch is taken");
}

static void report(const Rehearsal::Ring &ring) {
  Location at = ring.waits.front().at->getLoc();
  InFlightDiagnostic diagnostic = ring.choice ? emitWarning(at) : emitError(at);
  diagnostic << "participants " << listParticipants(ring.waits) << " wait for each other forever";
  if (ring.choice)
    diagnostic << " if " << quoteName(ring.choice) << " runs this";
  for (const Rehearsal::Wait &wait : ring.waits) {
    diagnostic.attachNote(wait.at->getLoc())
        << "participant " << wait.participant << " waits in " << quoteName(wait.at)
        << " for participant " << wait.awaited;
    if (wait.before)
      diagnostic.attachNote(wait.before->getLoc())
          << "participant " << wait.awaited << " would join with " << quoteName(wait.before)
          << ", but only after its own wait";
  }
  if (ring.choice)
    noteDecision(diagnostic, ring.choice);
}

static void report(const Rehearsal::Doubt &doubt) {
  InFlightDiagnostic warning = emitWarning(doubt.at->getLoc());
  warning << "cannot show that participants " << doubt.first << " and " << doubt.second
          << " never wait for each other forever in " << quoteName(doubt.at) << ": it is under "
          << quoteName(doubt.choice) << ", before which one of them starts more of these";
  noteDecision(warning, doubt.choice);
}

namespace {

struct RefuseDeadlocks : hloc::impl::RefuseDeadlocksBase<RefuseDeadlocks> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    ParticipantCounts counts = ParticipantCounts::of(function->getParentOfType<ModuleOp>());
    auto meets = [](CollectiveStartOp) { return WalkResult::interrupt(); };
    if (counts.total() < 2 || !function.walk(meets).wasInterrupted())
      return;
    FailureOr<Sameness> sameness = Sameness::compute(function, counts);
    if (failed(sameness))
      return signalPassFailure();
    Rehearsal rehearsal(function, *sameness);
    for (const Rehearsal::Ring &ring : rehearsal.findRings()) {
      report(ring);
      if (!ring.choice)
        return signalPassFailure();
    }
    for (const Rehearsal::Doubt &doubt : rehearsal.findDoubts())
      report(doubt);
  }
};

} // namespace
