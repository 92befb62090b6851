// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/KeptResults.h"
#include "codegen/cache/CodeHash.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace hloc {

std::unique_ptr<CompileCache> openCache(const CacheSettings &settings, CacheListener listener) {
  if (settings.folder.empty())
    return nullptr;
  Expected<std::unique_ptr<CompileCache>> cache =
      CompileCache::open(settings.folder, settings.maxBytes);
  if (cache)
    return std::move(*cache);
  listener(toString(cache.takeError()));
  return nullptr;
}

void closeCache(std::unique_ptr<CompileCache> cache, const CacheSettings &settings,
                CacheListener listener) {
  if (!cache)
    return;
  for (const std::string &problem : cache->takeProblems())
    listener(problem);
  if (settings.printsCounts)
    listener("the cache " + settings.folder + ": " + cache->printCounts());
}

std::optional<CacheKey> getWholeKey(StringRef text, StringRef file, const CompileOptions &options) {
  auto targets = makeTargets(options.target);
  if (!targets) {
    consumeError(targets.takeError());
    return std::nullopt;
  }
  if (!options.weightsFile.empty())
    return std::nullopt;
  CacheKeyBuilder key("whole");
  key.add(text).add(file).add(options.name).add(targets->size());
  for (const Target &target : *targets) {
    addTarget(key, target);
    key.add(printTarget(target));
  }
  key.add(uint64_t(options.form)).add(options.standAlone).add(options.checkBuffers);
  key.add(options.tunedSchedules).add(options.tunedSchedulesFile).add(options.moduleHash);
  key.add(options.schedules.size());
  for (const std::string &schedule : options.schedules)
    key.add(schedule);
  key.add(uint64_t(options.timeBudget * 1e9));
  if (options.target.lineTables) {
    SmallString<256> folder;
    sys::fs::current_path(folder);
    key.add(folder);
  }
  return key.finish();
}

std::optional<KeptResult> findWhole(CompileCache &cache, const CacheKey &key) {
  using Size = support::ulittle64_t;
  std::optional<CompileCache::Bytes> found = cache.find(key);
  ++(found ? cache.whole.found : cache.whole.missing);
  if (!found)
    return std::nullopt;
  Size size;
  memcpy(&size, found->data(), sizeof size);
  KeptResult result;
  const char *header = found->data() + sizeof size;
  result.header.assign(header, size);
  const char *code = header + size, *end = found->data() + found->size();
  result.code.assign(code, end);
  return result;
}

void keepWhole(CompileCache &cache, const CacheKey &key, const KeptResult &result) {
  support::ulittle64_t size(result.header.size());
  CompileCache::Bytes bytes(reinterpret_cast<const char *>(&size),
                            reinterpret_cast<const char *>(&size + 1));
  bytes.append(result.header.begin(), result.header.end());
  bytes.append(result.code.begin(), result.code.end());
  cache.add(key, bytes);
}

} // namespace hloc
