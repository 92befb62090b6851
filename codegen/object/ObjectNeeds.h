// SPDX-License-Identifier: Apache-2.0
// What an object needs of the program that it is linked into, as it can be read off the object
// itself. Test: test/tools/freestanding.test.

#ifndef HLOC_CODEGEN_OBJECT_OBJECTNEEDS_H
#define HLOC_CODEGEN_OBJECT_OBJECTNEEDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hloc {

struct ObjectNeeds {
  /// Symbols that others define, in alphabetical order.
  std::vector<std::string> undefined;
  /// The most that a call of the entry function takes of the stack, without what undefined
  /// functions take.
  int64_t stackBytes = 0;
  /// Bytes in memory: code, constants, and what is written.
  int64_t codeBytes = 0, constantBytes = 0, dataBytes = 0;
};

/// Of a relocatable ELF object with a section for each function and one of stack sizes, as
/// freestanding ones have. An error if a function's stack is not known, or recursion makes it so.
llvm::Expected<ObjectNeeds> findNeeds(llvm::ArrayRef<char> object, llvm::StringRef entry);

} // namespace hloc

#endif
