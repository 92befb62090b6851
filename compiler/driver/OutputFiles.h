// SPDX-License-Identifier: Apache-2.0
// Output files that are there whole or not at all, whatever ends the program.
// Test: test/tools/interrupted.test.

#ifndef HLOC_COMPILER_DRIVER_OUTPUTFILES_H
#define HLOC_COMPILER_DRIVER_OUTPUTFILES_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <string>
#include <vector>

namespace hloc {

/// Files that belong together: none is in place before all have been written.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  ~OutputFiles();

  /// Writes a file under a name of its own beside `path`; `-` is standard output. Errors read
  /// "PATH: error: ...".
  llvm::Error add(llvm::StringRef path, llvm::StringRef contents, bool executable = false);
  /// The same of contents that are made while they are written.
  llvm::Error add(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write,
                  bool executable = false);

  /// Gives all files their names.
  llvm::Error commit();

private:
  struct Pending {
    llvm::sys::fs::TempFile file;
    std::string path;
  };
  std::vector<Pending> pending;
};

/// Writes one file; false, with a message, if that fails.
bool writeFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace hloc

#endif
