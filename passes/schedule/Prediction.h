// SPDX-License-Identifier: Apache-2.0
// The predicted time of a kernel, and a lower bound of it. Tests: test/tools/report.hlo,
// test/passes/schedule/KernelWorkTest.cpp; test/benchmark/predictions.py compares predictions with
// measurements.

#ifndef HLOC_PASSES_SCHEDULE_PREDICTION_H
#define HLOC_PASSES_SCHEDULE_PREDICTION_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// Predicted nanoseconds of the kernel on one core with `schedule`, which is null if no strategy
/// applies.
double predictTime(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// The bytes that a run of the kernel accesses of each input, and then of each result. Where only a
/// part of an array is read or written, only that part counts.
llvm::SmallVector<int64_t> getAccessedBytes(const KernelProblem &problem);

/// A lower bound in nanoseconds for any code on this machine: each input is read and each result
/// written once, and all multiply-adds run at the machine's peak rate.
double getLimit(const KernelProblem &problem);

/// Both numbers for a kernel function, with its schedule for `target`.
struct KernelPrediction {
  double time = 0, limit = 0;
  hlo::ScheduleAttr schedule;
};
KernelPrediction predictKernel(hlo::KernelFunctionOp kernel, const Target &target);

} // namespace hloc

#endif
