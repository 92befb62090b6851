// SPDX-License-Identifier: Apache-2.0
// Schedules that a kernel may have instead of the one that was chosen, without another bit of its
// results: what tuning tries. Nothing here knows of kinds or strategies. Test:
// test/driver/SameBitsTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_CANDIDATES_H
#define HLOC_PASSES_SCHEDULE_CANDIDATES_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// What is wrong with `schedule` in the place of `own`, the one that is chosen without it: with
/// itself, or with the order of its sums; empty if nothing.
std::string checkInsteadOf(const KernelProblem &problem, hlo::ScheduleAttr own,
                           hlo::ScheduleAttr schedule);

/// Those that strategies propose: the best of each first, then the others, by predicted time.
llvm::SmallVector<hlo::ScheduleAttr> listCandidates(const KernelProblem &problem,
                                                    hlo::ScheduleAttr own);

/// Those that differ from `from` in one field, and where it takes that in what has to be a multiple
/// of it; by predicted time.
llvm::SmallVector<hlo::ScheduleAttr> listNeighbours(const KernelProblem &problem,
                                                    hlo::ScheduleAttr own, hlo::ScheduleAttr from);

} // namespace hloc

#endif
