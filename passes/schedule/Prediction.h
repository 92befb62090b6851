// SPDX-License-Identifier: Apache-2.0
// What a kernel will take, and what it could take at least. Tests: test/tools/report.hlo,
// test/passes/schedule/KernelWorkTest.cpp; test/benchmark/predictions.py compares with the clock.

#ifndef HLOC_PASSES_SCHEDULE_PREDICTION_H
#define HLOC_PASSES_SCHEDULE_PREDICTION_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// Nanoseconds that the kernel takes on one core, done as `schedule` says; null if no strategy
/// takes it.
double predictTime(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// Nanoseconds below which no code for this machine can be: every input is read and every result
/// written once, and all products and sums are done at the machine's rate.
double getLimit(const KernelProblem &problem);

/// Both of a kernel that is by itself, with the schedule that it has for `target`.
struct KernelPrediction {
  double time = 0, limit = 0;
  hlo::ScheduleAttr schedule;
};
KernelPrediction predictKernel(hlo::KernelFunctionOp kernel, const Target &target);

} // namespace hloc

#endif
