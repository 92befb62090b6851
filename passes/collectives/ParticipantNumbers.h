// SPDX-License-Identifier: Apache-2.0
// Integers that are computed from constants and the participants' numbers only, and the branches
// that they select. Tests: test/passes/collectives/match-collectives.test, refuse-deadlocks.test.

#ifndef HLOC_PASSES_PARTICIPANTNUMBERS_H
#define HLOC_PASSES_PARTICIPANTNUMBERS_H

#include "passes/collectives/Participants.h"

namespace hloc {

/// The value on each participant, if it is an integer scalar computed from constants and the
/// participants' numbers only.
std::optional<llvm::SmallVector<llvm::APInt>> getNumbers(mlir::Value value,
                                                         ParticipantCounts counts);

/// The number of the region of a branch that a participant takes, if known.
std::optional<unsigned> findTaken(mlir::Operation *control, int64_t participant,
                                  ParticipantCounts counts);

} // namespace hloc

#endif
