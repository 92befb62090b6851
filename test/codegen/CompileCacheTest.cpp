// SPDX-License-Identifier: Apache-2.0
#include "codegen/cache/CompileCache.h"
#include "codegen/cache/BuildIdentity.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <thread>

using namespace hloc;

namespace {

class CompileCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("hloc-cache-test", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::unique_ptr<CompileCache> open(uint64_t bytes = 1 << 20) {
    auto cache = CompileCache::open(folder, bytes);
    EXPECT_TRUE(bool(cache)) << llvm::toString(cache.takeError());
    return std::move(*cache);
  }
  static CacheKey makeKey(llvm::StringRef text) {
    return CacheKeyBuilder("test").add(text).finish();
  }
  static std::string find(CompileCache &cache, llvm::StringRef key) {
    auto found = cache.find(makeKey(key));
    return found ? std::string(found->begin(), found->end()) : "nothing";
  }
  static void add(CompileCache &cache, llvm::StringRef key, llvm::StringRef text) {
    cache.add(makeKey(key), {text.data(), text.size()});
  }
  size_t countEntries() {
    size_t count = 0;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end;
         entry.increment(error))
      count += llvm::sys::path::filename(entry->path()).starts_with("llvmcache-");
    return count;
  }

  llvm::SmallString<128> folder;
};

TEST_F(CompileCacheTest, GivesWhatItWasGiven) {
  auto cache = open();
  EXPECT_EQ(find(*cache, "a"), "nothing");
  add(*cache, "a", "first");
  add(*cache, "b", llvm::StringRef("\0with zeros\0", 12));
  add(*cache, "c", "");
  EXPECT_EQ(find(*cache, "a"), "first");
  cache = open();
  EXPECT_EQ(find(*cache, "a"), "first");
  EXPECT_EQ(find(*cache, "b"), std::string("\0with zeros\0", 12));
  EXPECT_EQ(find(*cache, "c"), "");
  EXPECT_TRUE(cache->takeProblems().empty());
}

TEST_F(CompileCacheTest, KeysTellTextsAndKindsApart) {
  EXPECT_NE(CacheKeyBuilder("test").add("ab").add("c").finish(),
            CacheKeyBuilder("test").add("a").add("bc").finish());
  EXPECT_NE(CacheKeyBuilder("test").add("a").finish(), CacheKeyBuilder("other").add("a").finish());
}

TEST_F(CompileCacheTest, KnowsItsBuild) {
  // Two versions and at least one identifier of the linker's.
  EXPECT_GT(getBuildIdentity().size(), 40u);
}

TEST_F(CompileCacheTest, RemovesWhatWasNotUsedForLongest) {
  {
    auto cache = open();
    add(*cache, "old", std::string(5000, 'x'));
    add(*cache, "used", std::string(5000, 'y'));
  }
  EXPECT_EQ(countEntries(), 2u);
  llvm::SmallString<128> stamp(folder);
  llvm::sys::path::append(stamp, "llvmcache.timestamp");
  llvm::sys::fs::remove(stamp); // as if the last time was long ago
  // Times of files are no finer than some milliseconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  {
    auto cache = open(14000);
    EXPECT_NE(find(*cache, "used"), "nothing");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    add(*cache, "new", std::string(5000, 'z'));
  }
  auto cache = open();
  EXPECT_EQ(find(*cache, "old"), "nothing");
  EXPECT_NE(find(*cache, "used"), "nothing");
  EXPECT_NE(find(*cache, "new"), "nothing");
}

TEST_F(CompileCacheTest, ManyThreadsWriteTheSame) {
  auto cache = open();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) {
        add(*cache, "key", std::string(10000, 'k'));
        EXPECT_EQ(find(*cache, "key"), std::string(10000, 'k'));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(cache->takeProblems().empty());
  EXPECT_EQ(countEntries(), 1u);
}

TEST_F(CompileCacheTest, SaysWhatIsWrongOnce) {
  auto cache = open();
  add(*cache, "a", "text");
  llvm::sys::fs::remove_directories(folder);
  add(*cache, "b", "text");
  add(*cache, "c", "text");
  EXPECT_EQ(find(*cache, "a"), "nothing");
  EXPECT_EQ(cache->takeProblems().size(), 1u);
  EXPECT_TRUE(cache->takeProblems().empty());
}

} // namespace
