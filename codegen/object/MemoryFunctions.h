// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove and memset as code of the object's own, where there is no C library. LLVM's code
// generators call them whatever a program says. Test: test/endtoend/freestanding.

#ifndef HLOC_CODEGEN_OBJECT_MEMORYFUNCTIONS_H
#define HLOC_CODEGEN_OBJECT_MEMORYFUNCTIONS_H

#include "llvm/IR/Module.h"

namespace hloc {

/// Defines them in `module`, seen by nobody else.
void addMemoryFunctions(llvm::Module &module);

} // namespace hloc

#endif
