// SPDX-License-Identifier: Apache-2.0
// What the strategies of sorts share.

#ifndef HLOC_PASSES_SCHEDULE_SORTSCHEDULE_H
#define HLOC_PASSES_SCHEDULE_SORTSCHEDULE_H

#include "passes/schedule/SortProblem.h"
#include "passes/schedule/Strategies.h"

namespace hloc {

extern const Strategy kSortByVectors;

/// The most vectors that are sorted in registers, limited by their number.
inline constexpr int64_t kMostVectors = 16;
/// Instructions of a minimum and a maximum of 64-bit integers without mask registers: a comparison
/// with inverted signs and two blends.
inline constexpr double kNarrowMinMax = 7;
/// Cycles to convert a vector of elements to entries and back.
inline constexpr double kEntryCycles = 32;

/// The sort of a kernel; null if it has none, which the strategies refuse.
hlo::SortOp findSort(const KernelProblem &problem);
SortProblem getSort(const KernelProblem &problem);

/// The number of operands whose results are gathered from the positions in entries.
double countGathers(const SortProblem &sort);
/// Time to convert all elements to entries and back.
double getEntryTime(const KernelProblem &problem, const SortProblem &sort, int64_t lanes);
/// Cycles per vector to sort `vectors` registers of `bits`-bit integers.
double getRegisterSortCycles(const Target &target, int64_t bits, int64_t vectors);

/// For rows that are sorted one at a time: the units, their buffers (`bytes` bytes per unit), and
/// the lanes.
ScheduleFields planRows(const KernelProblem &problem, const SortProblem &sort, int64_t bytes);
/// What is wrong with these in a written schedule, whose `block` has to be one number; empty if
/// nothing is.
std::string checkRows(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                      const SortProblem &sort, int64_t bytes);

/// The number of parts into which a single row should be divided that takes `time` to sort; 1 if it
/// should not.
int64_t chooseParts(const KernelProblem &problem, const SortProblem &sort, double time);
/// Sets the units of a row in `parts`, and its `bytes` of scratch memory.
void planParts(ScheduleFields &fields, int64_t parts, int64_t bytes);
/// What is wrong with a written schedule of parts, the second number of `block`.
std::string checkParts(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                       const SortProblem &sort, int64_t bytes);

} // namespace hloc

#endif
