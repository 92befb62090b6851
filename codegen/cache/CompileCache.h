// SPDX-License-Identifier: Apache-2.0
// A cache of earlier compilations in a folder: a file per result, under the hash of everything that
// it depends on. Problems with the folder or a file cost time but never fail a compilation: what
// cannot be read counts as missing, what cannot be written is not kept. Any number of threads and
// processes may use a folder concurrently. docs/cache.md describes its use. Test:
// test/codegen/CompileCacheTest.cpp, test/tools/cache.test.

#ifndef HLOC_CODEGEN_CACHE_COMPILECACHE_H
#define HLOC_CODEGEN_CACHE_COMPILECACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/HashBuilder.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace hloc {

/// The key of a result.
using CacheKey = llvm::BLAKE3Result<>;

/// Hashes what a result depends on; every key includes the identity of this build of hloc.
class CacheKeyBuilder {
public:
  /// `kind` separates results of different kinds.
  explicit CacheKeyBuilder(llvm::StringRef kind);

  /// Lengths of texts are included, so that adjacent texts cannot be confused.
  CacheKeyBuilder &add(llvm::StringRef text) {
    builder.add(text);
    return *this;
  }
  CacheKeyBuilder &add(uint64_t number) {
    builder.add(number);
    return *this;
  }
  CacheKey finish() { return builder.final(); }

private:
  llvm::HashBuilder<llvm::BLAKE3, llvm::endianness::little> builder;
};

class CompileCache {
public:
  using Bytes = llvm::SmallVector<char, 0>;

  /// Counts of look-ups for one kind of result.
  struct Counts {
    std::atomic<unsigned> found = 0, missing = 0;
  };

  /// Opens the cache in `folder`, which is created for this user alone if it does not exist. The
  /// cache is pruned to about `maxBytes`. An error says why the folder cannot be used: others may
  /// write to it, or this build of hloc has no identity.
  static llvm::Expected<std::unique_ptr<CompileCache>> open(llvm::StringRef folder,
                                                            uint64_t maxBytes);
  /// Removes the least recently used entries if there are too many.
  ~CompileCache();

  /// The result stored under `key`, if any.
  std::optional<Bytes> find(const CacheKey &key);
  /// Stores `contents` under `key`.
  void add(const CacheKey &key, llvm::ArrayRef<char> contents);

  /// Look-ups of whole compilations, and of units of code.
  Counts whole, units;

  /// Messages about problems since the last call, each cause once.
  std::vector<std::string> takeProblems();
  /// Text such as "whole: 0 found, 1 missing; units: 31 found, 1 compiled".
  std::string printCounts() const;

private:
  CompileCache(llvm::StringRef folder, uint64_t maxBytes) : folder(folder), maxBytes(maxBytes) {}
  std::string getPath(const CacheKey &key) const;
  void complain(const llvm::Twine &problem);

  std::string folder;
  uint64_t maxBytes;
  std::atomic<bool> hasWritten = false, cannotWrite = false;
  std::mutex lock;
  std::vector<std::string> problems;
};

} // namespace hloc

#endif
