// SPDX-License-Identifier: Apache-2.0
// Sums whose rounding errors do not grow with the number of terms.
//
// A running sum is kept together with its accumulated rounding error. The error of one addition is
// computed exactly by Knuth's two-sum (The Art of Computer Programming, volume 2, 4.2.2, theorem
// B). As it takes six operations, it is used for sums of blocks, not of elements.

#ifndef HLOC_CODEGEN_EMIT_COMPENSATEDSUM_H
#define HLOC_CODEGEN_EMIT_COMPENSATEDSUM_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hloc {

/// A sum and its error term, floats or vectors of floats: the exact sum is about sum + error.
struct CompensatedSum {
  mlir::Value sum, error;
};

CompensatedSum addCompensated(mlir::ImplicitLocOpBuilder &b, CompensatedSum sofar,
                              mlir::Value term);

/// Rounds to a single value. Gives what plain additions would if the sum is infinite or NaN.
mlir::Value settle(mlir::ImplicitLocOpBuilder &b, CompensatedSum total);

} // namespace hloc

#endif
