// SPDX-License-Identifier: Apache-2.0
// What an object requires of the program that it is linked into, as read from the object itself.
// Test: test/tools/freestanding.test.

#ifndef HLOC_CODEGEN_OBJECT_OBJECTNEEDS_H
#define HLOC_CODEGEN_OBJECT_OBJECTNEEDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hloc {

struct ObjectNeeds {
  /// Undefined symbols, in alphabetical order.
  std::vector<std::string> undefined;
  /// The most stack that a call of the entry function uses, without that of undefined functions.
  int64_t stackBytes = 0;
  /// Bytes in memory: code, constants, and writable data.
  int64_t codeBytes = 0, constantBytes = 0, dataBytes = 0;
};

/// Reads a relocatable ELF object with a section for each function and one with stack sizes, as
/// freestanding objects have. An error if a function's stack size is unknown, or unbounded because
/// of recursion.
llvm::Expected<ObjectNeeds> findNeeds(llvm::ArrayRef<char> object, llvm::StringRef entry);

} // namespace hloc

#endif
