// SPDX-License-Identifier: Apache-2.0
// Files of weights, mapped: which module they belong to, from several threads, and errors.
#include "hlort/weights.h"
#include "WeightsFormat.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

using namespace hloc::runtime;

namespace {

template <typename T> std::string bytesOf(const T &value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}

/// A file of two constants.
std::string makeFile(const std::string &first, const std::string &second) {
  int64_t start = getWeightsStart(2);
  WeightsEntry entries[] = {
      {start, int64_t(first.size()), hashWeights(first.data(), first.size())},
      {start + 64, int64_t(second.size()), hashWeights(second.data(), second.size())}};
  std::string table = bytesOf(entries);
  WeightsHeader header = {};
  std::memcpy(header.magic, weightsMagic, sizeof header.magic);
  header.version = weightsVersion;
  header.bytes = start + 4096;
  header.count = 2;
  header.hash = hashWeights(table.data(), table.size());
  std::string file = bytesOf(header) + table;
  file.resize(size_t(start));
  file += first;
  file.resize(size_t(start) + 64);
  file += second;
  file.resize(size_t(header.bytes));
  return file;
}

class Weights : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/weights-XXXXXX";
    ASSERT_TRUE(mkdtemp(name));
    folder = name;
    path = folder + "/model.weights";
    write(file);
  }
  void TearDown() override {
    hlort_weights_unload(&weights);
    std::filesystem::remove_all(folder);
  }

  void write(const std::string &contents) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << contents;
  }
  /// What is said of the file; empty if it is taken.
  std::string load() {
    status = {};
    EXPECT_EQ(hlort_weights_load(&weights, path.c_str(), &status), status.code);
    EXPECT_EQ(status.code == HLORT_OK, weights.data != nullptr);
    return status.message;
  }
  static hlort_weights describe(const std::string &file) {
    WeightsHeader header;
    std::memcpy(&header, file.data(), sizeof header);
    return {nullptr, nullptr, "model.weights", "model", header.bytes, header.hash};
  }

  const std::string file = makeFile("some weights", "others");
  hlort_weights weights = describe(file);
  hlort_status status = {};
  std::string folder, path;
};

TEST_F(Weights, HashIsXxh64) { // as `xxhsum -H1` prints it
  EXPECT_EQ(hashWeights("", 0), 0xef46db3751d8e999u);
  EXPECT_EQ(hashWeights("a", 1), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(hashWeights("abc", 3), 0x44bc2cf5ad770999u);
  std::string text = "Nobody inspects the spammish repetition";
  EXPECT_EQ(hashWeights(text.data(), text.size()), 0xfbcea83c8a378bf1u);
}

TEST_F(Weights, AreMappedOnce) {
  EXPECT_EQ(load(), "");
  const void *data = weights.data;
  EXPECT_EQ(std::memcmp(data, file.data(), file.size()), 0);
  EXPECT_EQ(uintptr_t(data) % 4096, 0u);
  EXPECT_EQ(hlort_weights_load(&weights, "nowhere", &status), HLORT_OK);
  EXPECT_EQ(weights.data, data);
  EXPECT_EQ(hlort_weights_verify(&weights, &status), HLORT_OK);
  hlort_weights_unload(&weights);
  EXPECT_EQ(weights.data, nullptr);
  EXPECT_EQ(load(), "");
}

TEST_F(Weights, AreMappedOnceByManyThreads) {
  for (int round = 0; round < 100; ++round) {
    std::vector<std::thread> threads;
    std::vector<const void *> seen(8);
    for (const void *&mine : seen)
      threads.emplace_back([&] {
        EXPECT_EQ(hlort_weights_load(&weights, path.c_str(), nullptr), HLORT_OK);
        mine = __atomic_load_n(&weights.data, __ATOMIC_ACQUIRE);
      });
    for (std::thread &thread : threads)
      thread.join();
    for (const void *mine : seen)
      EXPECT_EQ(mine, weights.data);
    hlort_weights_unload(&weights);
  }
}

TEST_F(Weights, ModulesWithoutNeedNone) {
  EXPECT_EQ(hlort_weights_load(nullptr, nullptr, &status), HLORT_OK);
  EXPECT_EQ(hlort_weights_use(nullptr, nullptr, 0, &status), HLORT_OK);
  EXPECT_EQ(hlort_weights_verify(nullptr, &status), HLORT_OK);
  hlort_weights_unload(nullptr);
}

TEST_F(Weights, MayBeMemoryOfTheHost) {
  void *memory = hlort_arena_allocate(int64_t(file.size()) + 64, 0, &status);
  std::memcpy(memory, file.data(), file.size());
  int64_t size = int64_t(file.size());
  EXPECT_EQ(hlort_weights_use(&weights, static_cast<char *>(memory) + 8, size, &status),
            HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "model: the weights in memory are not at a multiple of 64 bytes");
  EXPECT_EQ(hlort_weights_use(&weights, memory, size - 1, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message,
               "model: the weights in memory are cut off: 8191 bytes, expected 8192");
  EXPECT_EQ(hlort_weights_use(&weights, memory, size, &status), HLORT_OK);
  EXPECT_EQ(weights.data, memory);
  EXPECT_EQ(hlort_weights_use(&weights, memory, size, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message,
               "model: the weights in memory come too late: the module has weights already");
  static_cast<char *>(memory)[4096] ^= 1;
  EXPECT_EQ(hlort_weights_verify(&weights, &status), HLORT_CALL_FAILED);
  EXPECT_STREQ(status.message, "model: the weights at byte 4096 of model.weights have changed");
  hlort_weights_unload(&weights); // frees nothing
  hlort_arena_free(memory);
}

TEST_F(Weights, MissingFileIsNotFound) {
  std::filesystem::remove(path);
  EXPECT_EQ(load(),
            "model: the weights in " + path + " cannot be opened: No such file or directory");
  EXPECT_EQ(status.code, HLORT_NOT_FOUND);
  path = folder;
  EXPECT_EQ(load(), "model: the weights in " + folder + " are not a regular file");
  EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
}

TEST_F(Weights, LieBesideTheProgram) {
  EXPECT_EQ(hlort_weights_load(&weights, nullptr, &status), HLORT_NOT_FOUND);
  // This one is on the stack, which is of no file; that one is in the program.
  EXPECT_NE(std::string(status.message).find("expected the host to load model.weights"),
            std::string::npos)
      << status.message;
  static hlort_weights inProgram = {nullptr, nullptr, "no such model.weights", "model", 1, 1};
  EXPECT_EQ(hlort_weights_load(&inProgram, nullptr, &status), HLORT_NOT_FOUND);
  EXPECT_NE(std::string(status.message).find("/no such model.weights cannot be opened"),
            std::string::npos)
      << status.message;
}

TEST_F(Weights, OfAnotherBuildAreRefused) {
  std::string other = makeFile("some weights", "other");
  write(other);
  EXPECT_NE(load().find("are those of another build: their hash is "), std::string::npos);
  EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
}

TEST_F(Weights, CutOffWhereverAreRefused) {
  for (size_t size : {size_t(0), size_t(1), sizeof(WeightsHeader) - 1, sizeof(WeightsHeader),
                      size_t(64), size_t(4096), file.size() - 1}) {
    write(file.substr(0, size));
    EXPECT_NE(load().find("are cut off"), std::string::npos) << status.message;
    EXPECT_EQ(status.code, HLORT_INVALID_ARGUMENT);
  }
  write(file + "x");
  EXPECT_NE(load().find("are too long: 8193 bytes, expected 8192"), std::string::npos);
}

TEST_F(Weights, DamagedAreRefused) {
  auto change = [&](size_t at, const char *what) {
    std::string other = file;
    other[at] = char(other[at] + 1);
    write(other);
    EXPECT_NE(load().find(what), std::string::npos) << status.message;
  };
  change(0, "are not weights that hloc has written");
  change(8, "are of version 2, expected 1");
  change(16, "are damaged");                        // the size
  change(24, "are damaged");                        // the count
  change(32, "are those of another build");         // the hash
  change(sizeof(WeightsHeader) + 8, "are damaged"); // the table
  std::string other = file;
  other[5000] = char(other[5000] + 1); // between constants
  write(other);
  EXPECT_EQ(load(), "");
  EXPECT_EQ(hlort_weights_verify(&weights, &status), HLORT_OK);
}

TEST_F(Weights, LongPathsLeaveRoomForTheReason) {
  path = folder;
  for (int i = 0; i < 30; ++i)
    path += "/some-folder";
  path += "/model.weights";
  EXPECT_NE(load().find("model.weights cannot be opened: No such file or directory"),
            std::string::npos);
}

} // namespace
