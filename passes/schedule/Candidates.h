// SPDX-License-Identifier: Apache-2.0
// The schedules that tuning tries for a kernel: those that give the same bits as the one that was
// chosen. Nothing here depends on kinds or strategies. Test: test/driver/SameBitsTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_CANDIDATES_H
#define HLOC_PASSES_SCHEDULE_CANDIDATES_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// Why `schedule` may not replace `own`, the cost model's choice: it is not valid, or it sums in
/// another order. Empty if it may.
std::string checkInsteadOf(const KernelProblem &problem, hlo::ScheduleAttr own,
                           hlo::ScheduleAttr schedule);

/// The schedules that strategies propose, by predicted time: first the best of each strategy, then
/// the others.
llvm::SmallVector<hlo::ScheduleAttr> listCandidates(const KernelProblem &problem,
                                                    hlo::ScheduleAttr own);

/// The schedules that differ from `from` in one field (and in block sizes that must be multiples of
/// it), by predicted time.
llvm::SmallVector<hlo::ScheduleAttr> listNeighbours(const KernelProblem &problem,
                                                    hlo::ScheduleAttr own, hlo::ScheduleAttr from);

} // namespace hloc

#endif
