// SPDX-License-Identifier: Apache-2.0
// The contents of an object that hloc made: its record, and its functions. Test:
// test/tools/diff.test.

#ifndef HLOC_COMPILER_DRIVER_DIFF_OBJECTCONTENTS_H
#define HLOC_COMPILER_DRIVER_DIFF_OBJECTCONTENTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace hloc {

struct ObjectPart {
  uint64_t bytes = 0;
  /// For functions, a hash of their code and of what it refers to, independent of their position in
  /// an object.
  uint64_t hash = 0;
};

struct ObjectContents {
  llvm::json::Object record;
  llvm::StringMap<ObjectPart> functions;
  /// All code, and the program's constants.
  ObjectPart code, constants;
};

/// Reads an object; an error, without the file's name, if hloc did not make it.
llvm::Expected<ObjectContents> readObject(llvm::StringRef file);

} // namespace hloc

#endif
