// SPDX-License-Identifier: Apache-2.0
// Into how many parts a long reduction or dot with few results is divided, so that these run in
// parallel (passes/kernels/DivideReductions.cpp).

#ifndef HLOC_PASSES_SCHEDULE_REDUCTIONPARTS_H
#define HLOC_PASSES_SCHEDULE_REDUCTIONPARTS_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// The number of parts for the kernel of `problem` if its outermost reduced dimension has `size`
/// elements: a divisor of it, 1 if the kernel is short or has enough units. It does not depend on
/// whether the code is for one thread, so that all code has the same bits.
int64_t chooseReductionParts(const KernelProblem &problem, int64_t size);

} // namespace hloc

#endif
