// SPDX-License-Identifier: Apache-2.0
// The compile cache as programs use it, and the caching of whole compilations. Tests:
// test/tools/cache.test, test/tools/cache-faults.test.

#ifndef HLOC_COMPILER_DRIVER_KEPTRESULTS_H
#define HLOC_COMPILER_DRIVER_KEPTRESULTS_H

#include "codegen/cache/CompileCache.h"
#include "compiler/driver/CacheOptions.h"
#include "compiler/driver/Compiler.h"

namespace hloc {

/// Receives messages about a cache, which are never errors.
using CacheListener = llvm::function_ref<void(const std::string &)>;

/// The cache that the settings name; null if they name none, or if it cannot be used, which
/// `listener` is told.
std::unique_ptr<CompileCache> openCache(const CacheSettings &settings, CacheListener listener);

/// Closes the cache: reports what went wrong and, if requested, the counts of look-ups.
void closeCache(std::unique_ptr<CompileCache> cache, const CacheSettings &settings,
                CacheListener listener);

/// The outputs of a compilation that prints nothing: the object or its text, and the header.
struct KeptResult {
  CompileCache::Bytes code;
  std::string header;
};

/// The key of the whole compilation of `text`, a module that messages and the header call `file`.
/// None if the compilation has outputs besides those of KeptResult, such as a file of weights.
std::optional<CacheKey> getWholeKey(llvm::StringRef text, llvm::StringRef file,
                                    const CompileOptions &options);

std::optional<KeptResult> findWhole(CompileCache &cache, const CacheKey &key);
void keepWhole(CompileCache &cache, const CacheKey &key, const KeptResult &result);

} // namespace hloc

#endif
