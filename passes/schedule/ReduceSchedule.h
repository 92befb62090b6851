// SPDX-License-Identifier: Apache-2.0
// What the strategies for reductions (ReduceStrategies.cpp) share, and the strategy that has a file
// of its own. Test: test/passes/schedule/reduce-schedules.hlo.

#ifndef HLOC_PASSES_SCHEDULE_REDUCESCHEDULE_H
#define HLOC_PASSES_SCHEDULE_REDUCESCHEDULE_H

#include "passes/schedule/ReduceProblem.h"
#include "passes/schedule/Strategies.h"

namespace hloc {

/// Time to fold one element with vector code.
double getComputationTime(const KernelProblem &problem, hlo::ReduceOp reduce);
/// Time to fold the partial results of a row into one at its end, where lanes lie along the row.
double getFoldLanesTime(const KernelProblem &problem, hlo::ReduceOp reduce,
                        hlo::ScheduleAttr schedule);
/// Time per position to compute the elements and fold them, roughly; and with their loads. What is
/// computed once per row or column counts in proportion.
double getFoldTime(const KernelProblem &problem, const ReduceProblem &reduce);
double getPositionTime(const KernelProblem &problem, const ReduceProblem &reduce);

/// Makes a schedule with this tile (rows, vectors) and block.
hlo::ScheduleAttr makeReduceSchedule(const KernelProblem &problem, llvm::StringRef strategy,
                                     llvm::ArrayRef<int64_t> tile, int64_t lanes,
                                     llvm::ArrayRef<int64_t> block = {},
                                     llvm::ArrayRef<llvm::StringRef> with = {});
/// Makes a schedule with up to `vectors` vectors along `along` elements: as many as leave the loop
/// at least `steps` steps.
hlo::ScheduleAttr fitLanes(const KernelProblem &problem, const ReduceProblem &reduce,
                           llvm::StringRef strategy, int64_t vectors, int64_t along, int64_t steps,
                           llvm::ArrayRef<llvm::StringRef> with = {});

/// Time to wait for `columns` adjacent elements of each row, when rows are visited one after the
/// other in an array that exceeds L2.
double getWait(const KernelProblem &problem, const ReduceProblem &reduce, int64_t columns);

/// The number of units of a schedule, which run in parallel.
int64_t countUnits(const ReduceProblem &reduce, hlo::ScheduleAttr schedule);

/// Checks a written schedule except for its block. Returns what is wrong, or an empty string.
std::string checkReduce(const KernelProblem &problem, hlo::ScheduleAttr schedule);

// reduce.panels (ReducePanels.cpp); the functions but the first are those of a Strategy.
/// True if the last strip of a row may be masked: the arrays have masked loads on `target`.
bool hasMaskedStrips(const ReduceProblem &reduce, const Target &target);
std::string refuseReducePanels(const KernelProblem &problem);
void proposeReducePanels(const KernelProblem &problem,
                         llvm::SmallVectorImpl<hlo::ScheduleAttr> &schedules);
double costReducePanels(const KernelProblem &problem, hlo::ScheduleAttr schedule);
std::string checkReducePanels(const KernelProblem &problem, hlo::ScheduleAttr schedule);

} // namespace hloc

#endif
