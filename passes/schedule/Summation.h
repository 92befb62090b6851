// SPDX-License-Identifier: Apache-2.0
// Which schedules of a kernel give the same bits. Floats round at each addition, so what matters is
// the order of sums, and which products are added without being rounded first. Tuning only
// exchanges schedules that agree in both. Tests: test/driver/SameBitsTest.cpp runs all of them.

#ifndef HLOC_PASSES_SCHEDULE_SUMMATION_H
#define HLOC_PASSES_SCHEDULE_SUMMATION_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// What strategies say of sums of integers, and of extremes: their bits are those of any order.
/// (NaNs count as one number.)
inline constexpr llvm::StringLiteral kExactSums = "exact";
/// Of sums that begin with zero and take one term after the other.
inline constexpr llvm::StringLiteral kSumsInTurn = "in turn";

/// The kernel's order of sums with a schedule that was checked, in words. Schedules of which it
/// says the same give the same bits on the same machine. If nothing is known of a strategy, or if
/// code of another shape may round other products, it is the schedule itself.
std::string getSummation(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// Whether what is rounded may depend on the shape of the code around an operation. A product that
/// is added to something is rounded with the sum if both stand in one piece of straight code and
/// nothing else uses the product; one that is the same for all elements of a row may be computed
/// before the loop over them, or once for several of them. So that is so where such a product is
/// added, and where products are summed by a reduction, whose first ones may stand before its loop.
bool mayContractOtherwise(mlir::Block &body);

} // namespace hloc

#endif
