// SPDX-License-Identifier: Apache-2.0
// Results of earlier compilations in a folder: a file each, under the hash of everything that they
// follow from. Whatever is wrong with the folder or a file costs the time that was to be saved,
// never a compilation: what cannot be read is missing, what cannot be written is not kept. Any
// number of threads and processes may use a folder at once. docs/cache.md is about its use. Test:
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

/// Under what a result is kept.
using CacheKey = llvm::BLAKE3Result<>;

/// Hashes what a result follows from; which build of hloc makes it is part of every key.
class CacheKeyBuilder {
public:
  /// `kind` tells results of different kinds apart.
  explicit CacheKeyBuilder(llvm::StringRef kind);

  /// Texts are told apart from each other: their lengths count too.
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

  /// What was asked of it, of one kind of results.
  struct Counts {
    std::atomic<unsigned> found = 0, missing = 0;
  };

  /// The cache in `folder`, which is made if it is not there, for this user alone. It is pruned to
  /// about `maxBytes`. An error says why it cannot be used: others may write to it, or this build
  /// of hloc cannot be told from others.
  static llvm::Expected<std::unique_ptr<CompileCache>> open(llvm::StringRef folder,
                                                            uint64_t maxBytes);
  /// Removes what was not used for longest, if there is too much.
  ~CompileCache();

  /// What was kept under `key`, or nothing.
  std::optional<Bytes> find(const CacheKey &key);
  /// Keeps `contents` under `key`.
  void add(const CacheKey &key, llvm::ArrayRef<char> contents);

  /// Of whole compilations, and of units of code.
  Counts whole, units;

  /// What went wrong since the last call, for people to read; each cause once.
  std::vector<std::string> takeProblems();
  /// As "whole: 0 found, 1 missing; units: 31 found, 1 compiled".
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
