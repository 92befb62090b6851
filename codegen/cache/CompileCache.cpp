// SPDX-License-Identifier: Apache-2.0
#include "codegen/cache/CompileCache.h"
#include "codegen/cache/BuildIdentity.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace hloc {

/// Changes with what entries hold, or with what keys are made of.
static constexpr StringLiteral kFormat("hloc cache 1\n");

/// What begins the names of files: LLVM's pruning leaves others alone.
static constexpr StringLiteral kPrefix("llvmcache-");

/// Looking through a folder takes time, so it is done once in so long, whoever writes to it.
static constexpr std::chrono::seconds kPruningInterval(60);

CacheKeyBuilder::CacheKeyBuilder(StringRef kind) { add(kFormat).add(getBuildIdentity()).add(kind); }

/// Why code from this folder is not to be trusted; empty if it is.
static std::string findDanger(StringRef folder) {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(folder, status))
    return error.message();
  if (!sys::fs::is_directory(status))
    return "it is no folder";
  if (status.getUser() != geteuid())
    return "it belongs to another user, who could put code into it";
  if (status.permissions() & (sys::fs::group_write | sys::fs::others_write))
    return "other users may write to it, and so put code into it (chmod go-w)";
  return {};
}

Expected<std::unique_ptr<CompileCache>> CompileCache::open(StringRef folder, uint64_t maxBytes) {
  auto refuse = [&](const Twine &why) {
    return createStringError("the cache " + folder + " is not used: " + why);
  };
  if (getBuildIdentity().empty())
    return refuse("this build of hloc has no build identifier (link it with --build-id)");
  if (std::error_code error =
          sys::fs::create_directories(folder, /*IgnoreExisting=*/true, sys::fs::owner_all))
    return refuse("cannot make it: " + error.message());
  if (std::string danger = findDanger(folder); !danger.empty())
    return refuse(danger);
  return std::unique_ptr<CompileCache>(new CompileCache(folder, maxBytes));
}

CompileCache::~CompileCache() {
  if (!hasWritten)
    return;
  CachePruningPolicy policy;
  policy.Interval = kPruningInterval;
  policy.Expiration = std::chrono::seconds(0); // what nobody uses goes when there is too much
  policy.MaxSizeBytes = maxBytes;
  pruneCache(folder, policy);
}

std::string CompileCache::getPath(const CacheKey &key) const {
  SmallString<128> path(folder);
  sys::path::append(path, kPrefix + toHex(key, /*LowerCase=*/true));
  return std::string(path);
}

/// What stands before an entry's contents: by it a file is known that is damaged, cut off, or was
/// given another's name.
static std::string makeHead(const CacheKey &key, ArrayRef<char> contents) {
  CacheKey hash = BLAKE3::hash(arrayRefFromStringRef(StringRef(contents.data(), contents.size())));
  return (kFormat + toStringRef(key) + toStringRef(hash)).str();
}

static const size_t kHeadBytes = kFormat.size() + 2 * sizeof(CacheKey);

std::optional<CompileCache::Bytes> CompileCache::find(const CacheKey &key) {
  std::string path = getPath(key);
  // Pruning goes by when a file was used last.
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path, sys::fs::OF_UpdateAtime);
  if (!file) {
    consumeError(file.takeError()); // it is not there
    return std::nullopt;
  }
  auto buffer = MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1,
                                          /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  sys::fs::closeFile(*file);
  if (!buffer) {
    complain("an entry cannot be read: " + buffer.getError().message());
    return std::nullopt;
  }
  StringRef text = (*buffer)->getBuffer(),
            contents = text.drop_front(std::min(text.size(), kHeadBytes));
  Bytes bytes(contents.begin(), contents.end());
  if (text.size() < kHeadBytes || text.take_front(kHeadBytes) != makeHead(key, bytes)) {
    complain("an entry was damaged, and is removed: " + sys::path::filename(path));
    sys::fs::remove(path);
    return std::nullopt;
  }
  return bytes;
}

/// Writes a file and gives it its name when it is whole.
static Error writeEntry(const std::string &path, StringRef head, ArrayRef<char> contents) {
  // A file that nobody came to rename is pruned with the others.
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".%%%%%%%%.tmp", sys::fs::owner_read | sys::fs::owner_write);
  if (!file)
    return file.takeError();
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << head;
  stream.write(contents.data(), contents.size());
  stream.flush();
  if (stream.has_error()) {
    std::error_code error = stream.error();
    stream.clear_error();
    return joinErrors(errorCodeToError(error), file->discard());
  }
  return file->keep(path);
}

void CompileCache::add(const CacheKey &key, ArrayRef<char> contents) {
  if (cannotWrite)
    return;
  if (Error error = writeEntry(getPath(key), makeHead(key, contents), contents)) {
    cannotWrite = true;
    complain("it cannot be written: " + toString(std::move(error)));
  } else {
    hasWritten = true;
  }
}

void CompileCache::complain(const Twine &problem) {
  std::string text = ("the cache " + folder + ": " + problem).str();
  std::lock_guard<std::mutex> guard(lock);
  if (!is_contained(problems, text))
    problems.push_back(std::move(text));
}

std::vector<std::string> CompileCache::takeProblems() {
  std::lock_guard<std::mutex> guard(lock);
  return std::exchange(problems, {});
}

std::string CompileCache::printCounts() const {
  std::string text;
  raw_string_ostream out(text);
  auto print = [&](StringRef kind, const Counts &counts, StringRef otherwise) {
    out << kind << ": " << counts.found.load() << " found, " << counts.missing.load() << " "
        << otherwise;
  };
  print("whole", whole, "missing");
  print("; units", units, "compiled");
  return text;
}

} // namespace hloc
