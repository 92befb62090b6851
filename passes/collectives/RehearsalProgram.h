// SPDX-License-Identifier: Apache-2.0
// The program that a rehearsal shares with the rehearsals of its choices. Test:
// test/passes/collectives/refuse-deadlocks.test.

#ifndef HLOC_PASSES_REHEARSALPROGRAM_H
#define HLOC_PASSES_REHEARSALPROGRAM_H

#include "passes/collectives/Rehearsal.h"

namespace hloc {

struct Rehearsal::Program {
  ParticipantCounts counts;
  const Sameness &sameness;
  /// Operations in which, or in whose regions, participants meet.
  llvm::DenseSet<mlir::Operation *> places;

  static std::shared_ptr<const Program> of(mlir::func::FuncOp function, const Sameness &sameness);
};

} // namespace hloc

#endif
