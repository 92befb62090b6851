// SPDX-License-Identifier: Apache-2.0
// Which targets of custom calls are known: those that the runtime has built in, too.

#ifndef HLOC_COMPILER_EVALUATOR_CUSTOMCALLS_H
#define HLOC_COMPILER_EVALUATOR_CUSTOMCALLS_H

#include "llvm/ADT/StringRef.h"

namespace hloc::evaluator {

/// Whether the evaluator knows what `target` does; functions of hosts it does not.
bool knowsCustomCall(llvm::StringRef target);

} // namespace hloc::evaluator

#endif
