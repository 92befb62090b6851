// SPDX-License-Identifier: Apache-2.0
// The compile cache as programs use it, and whole compilations in it. Tests:
// test/tools/cache.test, test/tools/cache-faults.test.

#ifndef HLOC_COMPILER_DRIVER_KEPTRESULTS_H
#define HLOC_COMPILER_DRIVER_KEPTRESULTS_H

#include "codegen/cache/CompileCache.h"
#include "compiler/driver/CacheOptions.h"
#include "compiler/driver/Compiler.h"

namespace hloc {

/// What is said about a cache; it is never an error.
using CacheListener = llvm::function_ref<void(const std::string &)>;

/// The cache that the settings name; null if they name none, or if it cannot be used, which
/// `listener` is told.
std::unique_ptr<CompileCache> openCache(const CacheSettings &settings, CacheListener listener);

/// Ends its use: tells of what went wrong and, if that was asked for, what was found.
void closeCache(std::unique_ptr<CompileCache> cache, const CacheSettings &settings,
                CacheListener listener);

/// What a compilation gives that prints nothing: the object, or its text, and the header.
struct KeptResult {
  CompileCache::Bytes code;
  std::string header;
};

/// The key of a whole compilation of `text`, a module that messages and the header call `file`. No
/// key if more than a KeptResult comes of it: a file of weights.
std::optional<CacheKey> getWholeKey(llvm::StringRef text, llvm::StringRef file,
                                    const CompileOptions &options);

std::optional<KeptResult> findWhole(CompileCache &cache, const CacheKey &key);
void keepWhole(CompileCache &cache, const CacheKey &key, const KeptResult &result);

} // namespace hloc

#endif
