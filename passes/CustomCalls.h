// SPDX-License-Identifier: Apache-2.0
// What passes note about custom calls, in attributes of these.
// Test: test/codegen/custom-call-aliases.test, test/passes/bounded/custom-calls.hlo.

#ifndef HLOC_PASSES_CUSTOMCALLS_H
#define HLOC_PASSES_CUSTOMCALLS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// array<i64>: for each result the operand that it shares its memory with, -1 for none; so the text
/// says (output_to_operand_aliasing). Results after these share none.
inline constexpr llvm::StringLiteral kReuse = "hlo.reuse";

/// i64: how many of the operands are arrays. The rest are their sizes, then those of the results,
/// s64[rank] for each of a rank above 0.
inline constexpr llvm::StringLiteral kSizedArrays = "hlo.sized_arrays";

/// Gives `call`, on the leaves of the operands of `op`, the attributes of `op` that are about
/// operands: layouts of leaves, and which leaves share memory.
void flattenAttributes(hlo::CustomCallOp op, hlo::CustomCallOp call);

/// The operand whose memory is that of each result, -1 for none, and for arrays of another type.
llvm::SmallVector<int64_t> getReuse(hlo::CustomCallOp call);

} // namespace hloc

#endif
