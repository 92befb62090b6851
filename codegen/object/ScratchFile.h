// SPDX-License-Identifier: Apache-2.0
// Files in between, for the linker, which vanish with their objects and where a signal ends the
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

  /// A new file of a name with this ending.
  static llvm::Expected<ScratchFile> create(llvm::StringRef ending,
                                            llvm::ArrayRef<char> contents = {});

  llvm::Error read(llvm::SmallVectorImpl<char> &contents) const;
  const std::string &getPath() const { return path; }

private:
  std::string path;
};

} // namespace hloc

#endif
