// SPDX-License-Identifier: Apache-2.0
// Sums whose rounding errors do not grow with the number of their terms.
//
// A running sum is kept with what rounding has taken from it. The error of one addition is computed
// exactly by Knuth's two-sum (The Art of Computer Programming, volume 2, 4.2.2, theorem B), six
// operations: meant for sums of blocks, not of elements.

#ifndef HLOC_CODEGEN_EMIT_COMPENSATEDSUM_H
#define HLOC_CODEGEN_EMIT_COMPENSATEDSUM_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hloc {

/// A sum and its error so far, floats or vectors of them: the sum of the terms is sum + error.
struct CompensatedSum {
  mlir::Value sum, error;
};

CompensatedSum addCompensated(mlir::ImplicitLocOpBuilder &b, CompensatedSum sofar,
                              mlir::Value term);

/// The nearest single value; what plain additions give once a sum is infinite or NaN.
mlir::Value settle(mlir::ImplicitLocOpBuilder &b, CompensatedSum total);

} // namespace hloc

#endif
