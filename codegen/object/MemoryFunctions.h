// SPDX-License-Identifier: Apache-2.0
// Definitions of memcpy, memmove and memset in the object, for hosts without a C library: LLVM's
// code generators call them in any case. Test: test/endtoend/freestanding.

#ifndef HLOC_CODEGEN_OBJECT_MEMORYFUNCTIONS_H
#define HLOC_CODEGEN_OBJECT_MEMORYFUNCTIONS_H

#include "llvm/IR/Module.h"

namespace hloc {

/// Defines them in `module` with internal linkage.
void addMemoryFunctions(llvm::Module &module);

} // namespace hloc

#endif
