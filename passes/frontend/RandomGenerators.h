// SPDX-License-Identifier: Apache-2.0
// How operations that draw random numbers are tied to their generators, from the text to the
// runtime call. Test: test/passes/expand/expand-random.hlo.

#ifndef HLOC_PASSES_RANDOMGENERATORS_H
#define HLOC_PASSES_RANDOMGENERATORS_H

#include "llvm/ADT/StringRef.h"

namespace hloc {

/// The number of the instruction among those of the text that draw random numbers. All its inlined
/// copies share the generator.
inline constexpr llvm::StringLiteral kGeneratorAttr = "hlo.generator";

} // namespace hloc

#endif
