// SPDX-License-Identifier: Apache-2.0
// Temporary files for the linker, which are deleted with their objects and when a signal ends the
// program.

#ifndef HLOC_CODEGEN_SCRATCHFILE_H
#define HLOC_CODEGEN_SCRATCHFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hloc {

class ScratchFile {
public:
  ScratchFile() = default;
  ScratchFile(ScratchFile &&other) : path(std::exchange(other.path, {})) {}
  ~ScratchFile();

  /// Creates a file whose name has this ending.
  static llvm::Expected<ScratchFile> create(llvm::StringRef ending,
                                            llvm::ArrayRef<char> contents = {});

  llvm::Error read(llvm::SmallVectorImpl<char> &contents) const;
  const std::string &getPath() const { return path; }

private:
  std::string path;
};

} // namespace hloc

#endif
