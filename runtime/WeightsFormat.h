// SPDX-License-Identifier: Apache-2.0
// The format of the file of a module's weights: a header, a table with an offset and a hash for
// each constant, the constants. The compiler uses it to write the file. Numbers are little-endian.
// Test: test/runtime/WeightsTest.cpp.
#ifndef HLOC_RUNTIME_WEIGHTSFORMAT_H
#define HLOC_RUNTIME_WEIGHTSFORMAT_H

#include <cstddef>
#include <cstdint>

namespace hloc::runtime {

inline constexpr char weightsMagic[8] = {'h', 'l', 'o', 'c', 'w', 't', 's', '\n'};
inline constexpr uint32_t weightsVersion = 1;
/// The alignment of the first constant, and that of each constant.
inline constexpr int64_t weightsPage = 4096, weightsAlignment = 64;

struct WeightsHeader {
  char magic[8];
  uint32_t version, reserved;
  int64_t bytes; // of the file
  int64_t count; // of constants
  uint64_t hash; // of the table
};

struct WeightsEntry {
  int64_t offset, bytes; // in the file
  uint64_t hash;
};

/// The offset of the first constant, given their number.
constexpr int64_t getWeightsStart(int64_t count) {
  int64_t table = int64_t(sizeof(WeightsHeader)) + count * int64_t(sizeof(WeightsEntry));
  return (table + weightsPage - 1) / weightsPage * weightsPage;
}

/// XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md) with a seed of 0.
uint64_t hashWeights(const void *data, size_t bytes);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_WEIGHTSFORMAT_H
