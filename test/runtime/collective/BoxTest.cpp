// SPDX-License-Identifier: Apache-2.0
// Copying of bits and boxes, against one bit at a time.

#include "collective/Box.h"

#include <gtest/gtest.h>

#include <random>

using namespace hloc::runtime;

static bool bitOf(const std::vector<uint8_t> &bytes, int64_t i) {
  return bytes[i / 8] >> i % 8 & 1;
}

TEST(Box, CopiesBitsAndLeavesTheirNeighbours) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    std::vector<uint8_t> from(16), to(16);
    for (size_t i = 0; i < 16; ++i)
      from[i] = uint8_t(random()), to[i] = uint8_t(random());
    int64_t count = random() % 100, fromBit = random() % (128 - count + 1),
            toBit = random() % (128 - count + 1);
    if (repeat % 3 == 0)
      count &= ~7, fromBit &= ~7, toBit &= ~7;
    std::vector<uint8_t> result = to;
    copyBits(result.data(), toBit, from.data(), fromBit, count);
    for (int64_t i = 0; i < 128; ++i) {
      bool isCopied = i >= toBit && i < toBit + count;
      ASSERT_EQ(bitOf(result, i), isCopied ? bitOf(from, i - toBit + fromBit) : bitOf(to, i));
    }
  }
}

TEST(Box, PiecesCoverEveryBitOnce) {
  for (auto [rows, bits] : {std::pair<int64_t, int64_t>{1, 1},
                            {7, 3},
                            {100000, 12},
                            {3, Pieces::kBytes * 8},
                            {2, Pieces::kBytes * 24 + 5},
                            {0, 9},
                            {5, 0}}) {
    Pieces pieces(rows, bits);
    int64_t next = 0;
    for (int64_t i = 0; i < pieces.count(); ++i) {
      Piece piece = pieces[i];
      EXPECT_EQ(piece.rowBegin * bits + piece.bitBegin, next);
      int64_t size = (piece.rowEnd - piece.rowBegin) * (piece.bitEnd - piece.bitBegin);
      EXPECT_LE(size, Pieces::kBytes * 8);
      next += size;
    }
    EXPECT_EQ(next, rows * bits);
  }
}

TEST(Box, SlicesMergeDimensionsWithoutGaps) {
  int64_t sizes[] = {2, 3, 4}, from[] = {5, 3, 4}, to[] = {2, 3, 4}, start[] = {1, 0, 0},
          zero[] = {0, 0, 0};
  std::vector<Box> boxes;
  appendSlice(boxes, 0, 0, 32, 3, sizes, from, start, to, zero);
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0].rows, 1);
  EXPECT_EQ(boxes[0].bits, 2 * 3 * 4 * 32);
  EXPECT_EQ(boxes[0].fromOffset, 3 * 4 * 32);
  int64_t wide[] = {5, 6, 7};
  boxes.clear();
  appendSlice(boxes, 0, 0, 32, 3, sizes, wide, start, wide, zero);
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[1].rows, 3);
  EXPECT_EQ(boxes[1].fromOffset, 2 * 6 * 7 * 32);
}
