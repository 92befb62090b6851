// SPDX-License-Identifier: Apache-2.0
// What the strategies for reductions (ReduceStrategies.cpp) have in common, and the one that has a
// file of its own. Test: test/passes/schedule/reduce-schedules.hlo.

#ifndef HLOC_PASSES_SCHEDULE_REDUCESCHEDULE_H
#define HLOC_PASSES_SCHEDULE_REDUCESCHEDULE_H

#include "passes/schedule/ReduceProblem.h"
#include "passes/schedule/Strategies.h"

namespace hloc {

/// Time that a position takes, roughly. What is computed once for a row or column counts for its
/// share.
double getPositionTime(const KernelProblem &problem, const ReduceProblem &reduce);

/// A schedule of so many rows and vectors of them.
hlo::ScheduleAttr makeReduceSchedule(const KernelProblem &problem, llvm::StringRef strategy,
                                     llvm::ArrayRef<int64_t> tile, int64_t lanes,
                                     llvm::ArrayRef<int64_t> block = {},
                                     llvm::ArrayRef<llvm::StringRef> with = {});
/// A schedule with `vectors` vectors along so many elements, or what fits of them: a loop has
/// `steps` steps at least.
hlo::ScheduleAttr fitLanes(const KernelProblem &problem, const ReduceProblem &reduce,
                           llvm::StringRef strategy, int64_t vectors, int64_t along, int64_t steps,
                           llvm::ArrayRef<llvm::StringRef> with = {});

/// Time that is spent waiting for `columns` neighbouring elements of a row where one row after the
/// other is visited, of an array too large for the caches near the core.
double getWait(const KernelProblem &problem, const ReduceProblem &reduce, int64_t columns);

/// What is wrong with a written schedule, but for its block; empty if nothing.
std::string checkReduce(const KernelProblem &problem, hlo::ScheduleAttr schedule);

// reduce.panels (ReducePanels.cpp), as Strategy describes them.
std::string refuseReducePanels(const KernelProblem &problem);
void proposeReducePanels(const KernelProblem &problem,
                         llvm::SmallVectorImpl<hlo::ScheduleAttr> &schedules);
double costReducePanels(const KernelProblem &problem, hlo::ScheduleAttr schedule);
std::string checkReducePanels(const KernelProblem &problem, hlo::ScheduleAttr schedule);

} // namespace hloc

#endif
