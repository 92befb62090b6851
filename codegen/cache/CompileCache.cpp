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

/// Must change when the contents of entries or the composition of keys change.
static constexpr StringLiteral kFormat("hloc cache 1\n");

/// Prefix of file names: LLVM's pruning ignores all other files.
static constexpr StringLiteral kPrefix("llvmcache-");

/// Scanning a folder takes time, so it is pruned at most this often, whoever writes to it.
static constexpr std::chrono::seconds kPruningInterval(60);

CacheKeyBuilder::CacheKeyBuilder(StringRef kind) { add(kFormat).add(getBuildIdentity()).add(kind); }

/// Why code from this folder cannot be trusted; empty if it can.
static std::string findDanger(StringRef folder) {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(folder, status))
    return error.message();
  if (!sys::fs::is_directory(status))
    return "it is not a folder";
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
    return refuse("cannot create it: " + error.message());
  if (std::string danger = findDanger(folder); !danger.empty())
    return refuse(danger);
  return std::unique_ptr<CompileCache>(new CompileCache(folder, maxBytes));
}

CompileCache::~CompileCache() {
  if (!hasWritten)
    return;
  CachePruningPolicy policy;
  policy.Interval = kPruningInterval;
  policy.Expiration = std::chrono::seconds(0); // remove entries only if there are too many
  policy.MaxSizeBytes = maxBytes;
  pruneCache(folder, policy);
}

std::string CompileCache::getPath(const CacheKey &key) const {
  SmallString<128> path(folder);
  sys::path::append(path, kPrefix + toHex(key, /*LowerCase=*/true));
  return std::string(path);
}

/// The header of an entry, by which damaged, truncated and renamed files are detected.
static std::string makeHead(const CacheKey &key, ArrayRef<char> contents) {
  CacheKey hash = BLAKE3::hash(arrayRefFromStringRef(StringRef(contents.data(), contents.size())));
  return (kFormat + toStringRef(key) + toStringRef(hash)).str();
}

static const size_t kHeadBytes = kFormat.size() + 2 * sizeof(CacheKey);

std::optional<CompileCache::Bytes> CompileCache::find(const CacheKey &key) {
  std::string path = getPath(key);
  // Pruning uses the time of last access.
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path, sys::fs::OF_UpdateAtime);
  if (!file) {
    consumeError(file.takeError()); // it does not exist
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

/// Writes a file under a temporary name and renames it when it is complete.
static Error writeEntry(const std::string &path, StringRef head, ArrayRef<char> contents) {
  // Files that were never renamed are pruned with the others.
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
