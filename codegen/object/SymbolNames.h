// SPDX-License-Identifier: Apache-2.0
// Renames symbols of an object. Test: test/codegen/SymbolNamesTest.cpp.

#ifndef HLOC_CODEGEN_OBJECT_SYMBOLNAMES_H
#define HLOC_CODEGEN_OBJECT_SYMBOLNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hloc {

/// Renames symbols of the ELF object `code`: pairs of (old name, new name).
llvm::Error renameSymbols(llvm::SmallVectorImpl<char> &code,
                          llvm::ArrayRef<std::pair<std::string, std::string>> names);

} // namespace hloc

#endif
