// SPDX-License-Identifier: Apache-2.0
// Output files that are written completely or not at all, however the program ends. Test:
// test/tools/interrupted.test.

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

  /// Writes a temporary file next to `path`; `-` is standard output. Errors read "PATH: error:
  /// ...".
  llvm::Error add(llvm::StringRef path, llvm::StringRef contents, bool executable = false);
  /// Likewise for contents that are generated while they are written.
  llvm::Error add(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write,
                  bool executable = false);

  /// Renames all files to their final names.
  llvm::Error commit();

private:
  struct Pending {
    llvm::sys::fs::TempFile file;
    std::string path;
  };
  std::vector<Pending> pending;
};

/// Writes one file. Returns false after printing a message if that fails.
bool writeFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace hloc

#endif
