// SPDX-License-Identifier: Apache-2.0
// Integers that follow from constants and the numbers of the participants, and the branches that
// these choose. Tests: test/passes/collectives/match-collectives.test, refuse-deadlocks.test.

#ifndef HLOC_PASSES_PARTICIPANTNUMBERS_H
#define HLOC_PASSES_PARTICIPANTNUMBERS_H

#include "passes/collectives/Participants.h"

namespace hloc {

/// The value on each participant, where it is an integer scalar that follows from constants and
/// the participants' numbers.
std::optional<llvm::SmallVector<llvm::APInt>> getNumbers(mlir::Value value,
                                                         ParticipantCounts counts);

/// The number of the region that a participant takes of a branch, if that is known.
std::optional<unsigned> findTaken(mlir::Operation *control, int64_t participant,
                                  ParticipantCounts counts);

} // namespace hloc

#endif
