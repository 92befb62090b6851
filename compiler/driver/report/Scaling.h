// SPDX-License-Identifier: Apache-2.0
// What the cost model predicts for machines with more cores: how long a call takes, and which
// kernels keep it from being faster. Test: test/tools/report-cores.hlo.

#ifndef HLOC_COMPILER_DRIVER_REPORT_SCALING_H
#define HLOC_COMPILER_DRIVER_REPORT_SCALING_H

#include "compiler/driver/report/KernelFacts.h"

namespace hloc {

/// What keeps a kernel from being faster on more cores: it is not divided, or into too few tasks;
/// it takes less time than handing tasks over; or it waits for the memory that all cores share.
enum class CoreLimit { None, Serial, Tasks, Handover, Bandwidth };

/// Predicted time of a kernel on a number of cores.
struct TimeOnCores {
  double nanoseconds = 0;
  CoreLimit limit = CoreLimit::None;
};

/// One launch of the kernel on `cores` cores. `footprint` is the number of bytes of all arrays that
/// a call accesses: if the caches of these cores cannot hold them, they share the memory's
/// bandwidth.
TimeOnCores predictOnCores(const KernelFacts &kernel, const Target &target, double footprint,
                           int64_t cores);

} // namespace hloc

#endif
