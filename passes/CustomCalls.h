// SPDX-License-Identifier: Apache-2.0
// Attributes in which passes record properties of custom calls. Tests:
// test/codegen/custom-call-aliases.test, test/passes/bounded/custom-calls.hlo.

#ifndef HLOC_PASSES_CUSTOMCALLS_H
#define HLOC_PASSES_CUSTOMCALLS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// array<i64>: for each result the operand whose memory it shares, -1 for none (from
/// output_to_operand_aliasing). Results beyond the end of the array share none.
inline constexpr llvm::StringLiteral kReuse = "hlo.reuse";

/// i64: how many of the operands are arrays. The others are the sizes of the arrays, then of the
/// results, as s64[rank] for each of a rank above 0.
inline constexpr llvm::StringLiteral kSizedArrays = "hlo.sized_arrays";

/// Copies the attributes of `op` that refer to operands to `call`, whose operands are the leaves of
/// those of `op`: layouts, and which leaves share memory.
void flattenAttributes(hlo::CustomCallOp op, hlo::CustomCallOp call);

/// For each result the operand whose memory it shares; -1 for none, and for arrays of another type.
llvm::SmallVector<int64_t> getReuse(hlo::CustomCallOp call);

} // namespace hloc

#endif
