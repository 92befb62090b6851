// SPDX-License-Identifier: Apache-2.0

#include "WeightsFormat.h"

#include <bit>
#include <cstring>

namespace hloc::runtime {

static constexpr uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F,
                          prime3 = 0x165667B19E3779F9, prime4 = 0x85EBCA77C2B2AE63,
                          prime5 = 0x27D4EB2F165667C5;

template <typename Word> static uint64_t read(const unsigned char *data) {
  Word word;
  std::memcpy(&word, data, sizeof word);
  return word;
}

static uint64_t round(uint64_t lane, uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

static uint64_t merge(uint64_t hash, uint64_t lane) {
  return (hash ^ round(0, lane)) * prime1 + prime4;
}

uint64_t hashWeights(const void *memory, size_t bytes) {
  auto *data = static_cast<const unsigned char *>(memory), *end = data + bytes;
  uint64_t hash = prime5;
  if (bytes >= 32) {
    uint64_t lanes[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
    for (; end - data >= 32; data += 32)
      for (int i = 0; i < 4; ++i)
        lanes[i] = round(lanes[i], read<uint64_t>(data + 8 * i));
    hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
           std::rotl(lanes[3], 18);
    for (uint64_t lane : lanes)
      hash = merge(hash, lane);
  }
  hash += bytes;
  for (; end - data >= 8; data += 8)
    hash = std::rotl(hash ^ round(0, read<uint64_t>(data)), 27) * prime1 + prime4;
  for (; end - data >= 4; data += 4)
    hash = std::rotl(hash ^ read<uint32_t>(data) * prime1, 23) * prime2 + prime3;
  for (; data != end; ++data)
    hash = std::rotl(hash ^ *data * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

} // namespace hloc::runtime
