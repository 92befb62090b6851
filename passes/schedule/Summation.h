// SPDX-License-Identifier: Apache-2.0
// Which schedules of a kernel give the same bits. Floats are rounded at each addition, so what
// matters is the order of summation, and which products are contracted to fused multiply-adds.
// Tuning exchanges only schedules that agree in both. Test: test/driver/SameBitsTest.cpp runs all
// of them.

#ifndef HLOC_PASSES_SCHEDULE_SUMMATION_H
#define HLOC_PASSES_SCHEDULE_SUMMATION_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// The description for integers, minimum and maximum, whose bits are the same in any order. (All
/// NaNs count as equal.)
inline constexpr llvm::StringLiteral kExactSums = "exact";
/// The description of sums that begin with zero and add one term after the other.
inline constexpr llvm::StringLiteral kSumsInTurn = "in turn";

/// The kernel's order of summation with a checked schedule, in words. Schedules with equal
/// descriptions give the same bits on the same machine. The description is the schedule itself if
/// the strategy gives none, or if contraction may depend on the shape of the code.
std::string getSummation(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// True if contraction may depend on the shape of the code around an operation. A product is
/// contracted with an addition if both are in one basic block and the product has no other use. But
/// a product that is the same for all elements of a row may be computed before the loop over the
/// row, or once for several rows; and between a product that is padded or concatenated and the
/// addition there is a select, except in the interior (Interior.h). So this is true if such a
/// product is added, or if a reduction adds products, the first of which may be computed before its
/// loop.
bool mayContractOtherwise(mlir::Block &body);

} // namespace hloc

#endif
