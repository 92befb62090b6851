// SPDX-License-Identifier: Apache-2.0
// The options of the compile cache (docs/cache.md), which all compiling programs share. Test:
// test/tools/cache.test.

#ifndef HLOC_COMPILER_DRIVER_CACHEOPTIONS_H
#define HLOC_COMPILER_DRIVER_CACHEOPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace hloc {

struct CacheSettings {
  /// Empty: no cache.
  std::string folder;
  uint64_t maxBytes = uint64_t(1) << 30;
  /// Print the numbers of hits and misses.
  bool printsCounts = false;
};

/// The folder in the environment variable HLOC_CACHE; empty if it is not set.
std::string getCacheFolderOfEnvironment();

/// Declares the options during its lifetime.
class CacheOptions {
public:
  explicit CacheOptions(llvm::cl::OptionCategory &category);
  /// Reads the settings from the command line and the environment. Returns false and sets `fault`
  /// if they are invalid.
  bool read(CacheSettings &settings, std::string &fault) const;

private:
  llvm::cl::opt<std::string> folder, size;
  llvm::cl::opt<bool> off, counts;
};

} // namespace hloc

#endif
