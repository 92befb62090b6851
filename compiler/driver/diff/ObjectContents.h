// SPDX-License-Identifier: Apache-2.0
// What is in an object that hloc made: its record, and its functions. Test: test/tools/diff.test.

#ifndef HLOC_COMPILER_DRIVER_DIFF_OBJECTCONTENTS_H
#define HLOC_COMPILER_DRIVER_DIFF_OBJECTCONTENTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace hloc {

struct ObjectPart {
  uint64_t bytes = 0;
  /// Of functions that of their code and of what it refers to: the same wherever they are in an
  /// object.
  uint64_t hash = 0;
};

struct ObjectContents {
  llvm::json::Object record;
  llvm::StringMap<ObjectPart> functions;
  /// Of all code, and of the program's constants.
  ObjectPart code, constants;
};

/// Reads an object; an error, without the file's name, if it is none of hloc's.
llvm::Expected<ObjectContents> readObject(llvm::StringRef file);

} // namespace hloc

#endif
