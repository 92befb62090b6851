// SPDX-License-Identifier: Apache-2.0
// What a kernel will take, and what it could take at least. Test: test/tools/report.hlo.

#ifndef HLOC_PASSES_SCHEDULE_PREDICTION_H
#define HLOC_PASSES_SCHEDULE_PREDICTION_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// Nanoseconds that the kernel takes on one core, done as `schedule` says; null where its kind has
/// no strategies.
double predictTime(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// Nanoseconds below which no code for this machine can be: every input is read and every result
/// written once, and all products and sums are done at the machine's rate.
double getLimit(const KernelProblem &problem);

} // namespace hloc

#endif
