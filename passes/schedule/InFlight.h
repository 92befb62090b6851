// SPDX-License-Identifier: Apache-2.0
// The unroll factor of a loop: how many independent vectors it keeps in flight. While one waits for
// a chain of dependent operations, the others proceed, further than the core's out-of-order window
// reaches; and constants that exceed the registers are loaded once for all of them. Test:
// test/passes/schedule/vectors-in-flight.hlo.

#ifndef HLOC_PASSES_SCHEDULE_INFLIGHT_H
#define HLOC_PASSES_SCHEDULE_INFLIGHT_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// The unroll factor, a power of two, that is fastest for `count` elements in vectors of `lanes`,
/// if the loop computes `unrolled` independent vectors per iteration anyway. One if the kernel
/// takes so little time that the additional code is not worth it.
int64_t chooseVectorsInFlight(const KernelProblem &problem, int64_t lanes, double count,
                              double unrolled = 1);

} // namespace hloc

#endif
