// SPDX-License-Identifier: Apache-2.0
// How many vectors a loop computes beside each other. While one waits for its chain of operations,
// others go on, further than the core looks ahead by itself; and constants that are too many for
// the registers are loaded once for all of them. Test: test/passes/schedule/vectors-in-flight.hlo.

#ifndef HLOC_PASSES_SCHEDULE_INFLIGHT_H
#define HLOC_PASSES_SCHEDULE_INFLIGHT_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// The number of vectors, a power of two, with which `count` elements are computed quickest, a
/// vector holding `lanes` and the loop computing `besides` of them anyway. One if the kernel's
/// whole time is not worth the code.
int64_t chooseVectorsInFlight(const KernelProblem &problem, int64_t lanes, double count,
                              double besides = 1);

} // namespace hloc

#endif
