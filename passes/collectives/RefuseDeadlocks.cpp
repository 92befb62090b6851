// SPDX-License-Identifier: Apache-2.0
// Participants that are sure to wait for each other for ever are an error.
// Test: test/passes/collectives/refuse-deadlocks.test.
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

/// 0, 1 and 2
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

static void report(ArrayRef<Rehearsal::Wait> ring) {
  InFlightDiagnostic error = emitError(ring.front().at->getLoc());
  error << "participants " << listParticipants(ring) << " wait for each other for ever";
  for (const Rehearsal::Wait &wait : ring) {
    error.attachNote(wait.at->getLoc())
        << "participant " << wait.participant << " is in " << quoteName(wait.at)
        << " until participant " << wait.awaited << " comes to it";
    if (wait.before)
      error.attachNote(wait.before->getLoc())
          << "participant " << wait.awaited << " would come with " << quoteName(wait.before)
          << ", after its own wait";
  }
}

namespace {

struct RefuseDeadlocks : hloc::impl::RefuseDeadlocksBase<RefuseDeadlocks> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    ParticipantCounts counts = ParticipantCounts::of(function->getParentOfType<ModuleOp>());
    if (counts.total() < 2)
      return;
    SmallVector<Rehearsal::Wait> ring = Rehearsal(function, counts).findRing();
    if (ring.empty())
      return;
    report(ring);
    signalPassFailure();
  }
};

} // namespace
