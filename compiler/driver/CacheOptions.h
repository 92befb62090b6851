// SPDX-License-Identifier: Apache-2.0
// The options of the compile cache (docs/cache.md), which all programs that compile have. Test:
// test/tools/cache.test.

#ifndef HLOC_COMPILER_DRIVER_CACHEOPTIONS_H
#define HLOC_COMPILER_DRIVER_CACHEOPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace hloc {

struct CacheSettings {
  /// Empty: nothing is kept.
  std::string folder;
  uint64_t maxBytes = uint64_t(1) << 30;
  /// Say what was found.
  bool printsCounts = false;
};

/// The folder that the environment names, HLOC_CACHE; empty if it names none.
std::string getCacheFolderOfEnvironment();

/// Declares the options while it lives.
class CacheOptions {
public:
  explicit CacheOptions(llvm::cl::OptionCategory &category);
  /// What the command line and the environment say; false, with what is wrong, if that is nothing
  /// that can be meant.
  bool read(CacheSettings &settings, std::string &fault) const;

private:
  llvm::cl::opt<std::string> folder, size;
  llvm::cl::opt<bool> off, counts;
};

} // namespace hloc

#endif
