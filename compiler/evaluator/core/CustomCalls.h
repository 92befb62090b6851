// SPDX-License-Identifier: Apache-2.0
// The targets of custom calls that are supported, including those built into the runtime.

#ifndef HLOC_COMPILER_EVALUATOR_CUSTOMCALLS_H
#define HLOC_COMPILER_EVALUATOR_CUSTOMCALLS_H

#include "llvm/ADT/StringRef.h"

namespace hloc::evaluator {

/// True if the evaluator supports `target`; it does not support functions of hosts.
bool knowsCustomCall(llvm::StringRef target);

} // namespace hloc::evaluator

#endif
