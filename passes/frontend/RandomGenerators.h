// SPDX-License-Identifier: Apache-2.0
// How operations that draw random numbers know their generator from the text to the runtime call.
// Test: test/passes/expand/expand-random.hlo.

#ifndef HLOC_PASSES_RANDOMGENERATORS_H
#define HLOC_PASSES_RANDOMGENERATORS_H

#include "llvm/ADT/StringRef.h"

namespace hloc {

/// The number of the text's instruction among those that draw random numbers: its generator goes
/// on wherever it is inlined.
inline constexpr llvm::StringLiteral kGeneratorAttr = "hlo.generator";

} // namespace hloc

#endif
