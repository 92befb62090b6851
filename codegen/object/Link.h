// SPDX-License-Identifier: Apache-2.0
// Linking with LLD inside this process.

#ifndef HLOC_CODEGEN_LINK_H
#define HLOC_CODEGEN_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hloc {

/// Links several ELF objects into one relocatable object.
llvm::Error linkObjects(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                        llvm::SmallVectorImpl<char> &output);

/// Runs the ELF linker with `arguments` (without a program name).
llvm::Error runLinker(llvm::ArrayRef<std::string> arguments);

} // namespace hloc

#endif
