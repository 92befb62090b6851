// SPDX-License-Identifier: Apache-2.0

#include "collective/Box.h"

#include <algorithm>
#include <cstring>

namespace hloc::runtime {

Pieces::Pieces(int64_t rows, int64_t bits, int64_t bytes)
    : rows(rows), bits(bits), pieceBits(bytes * 8) {
  if (rows <= 0 || bits <= 0)
    return;
  if (bits >= pieceBits) {
    piecesPerRow = (bits + pieceBits - 1) / pieceBits;
    pieceCount = rows * piecesPerRow;
  } else {
    rowsEach = pieceBits / bits;
    if (rowsEach > 8)
      rowsEach &= ~int64_t(7); // so that packed pieces begin at byte boundaries
    pieceCount = (rows + rowsEach - 1) / rowsEach;
  }
}

Piece Pieces::operator[](int64_t i) const {
  if (piecesPerRow == 1)
    return {i * rowsEach, std::min(rows, (i + 1) * rowsEach), 0, bits};
  int64_t row = i / piecesPerRow, begin = i % piecesPerRow * pieceBits;
  return {row, row + 1, begin, std::min(bits, begin + pieceBits)};
}

/// Up to eight bits from bit `at` on, in the low bits.
static uint8_t loadBits(const uint8_t *from, int64_t at, int64_t count) {
  int64_t shift = at % 8;
  unsigned bits = from[at / 8] >> shift;
  if (shift + count > 8)
    bits |= unsigned(from[at / 8 + 1]) << (8 - shift);
  return uint8_t(bits & ((1u << count) - 1));
}

static void storeBits(uint8_t *to, int64_t at, int64_t count, uint8_t bits) {
  unsigned mask = ((1u << count) - 1) << (at % 8);
  to[at / 8] = uint8_t((to[at / 8] & ~mask) | (unsigned(bits) << (at % 8)));
}

void copyBits(void *to, int64_t toBit, const void *from, int64_t fromBit, int64_t count) {
  auto *target = static_cast<uint8_t *>(to);
  auto *source = static_cast<const uint8_t *>(from);
  if (count <= 0)
    return;
  if (((toBit | fromBit | count) & 7) == 0) {
    std::memcpy(target + toBit / 8, source + fromBit / 8, size_t(count / 8));
    return;
  }
  while (count > 0) {
    int64_t step = std::min(count, 8 - toBit % 8);
    storeBits(target, toBit, step, loadBits(source, fromBit, step));
    toBit += step, fromBit += step, count -= step;
  }
}

void copyPiece(const Box &box, const Piece &piece, void *to, const void *from) {
  for (int64_t row = piece.rowBegin; row < piece.rowEnd; ++row)
    copyBits(to, box.toOffset + row * box.toStride + piece.bitBegin, from,
             box.fromOffset + row * box.fromStride + piece.bitBegin, piece.bitEnd - piece.bitBegin);
}

void copyBox(const Box &box, void *to, const void *from) {
  copyPiece(box, {0, box.rows, 0, box.bits}, to, from);
}

Box packed(const Box &box) {
  Box result = box;
  result.toOffset = 0, result.toStride = box.bits;
  return result;
}

Box unpacked(const Box &box) {
  Box result = box;
  result.fromOffset = 0, result.fromStride = box.bits;
  return result;
}

void appendSlice(std::vector<Box> &boxes, int32_t from, int32_t to, int64_t elementBits,
                 int32_t rank, const int64_t *sizes, const int64_t *fromDims,
                 const int64_t *fromStart, const int64_t *toDims, const int64_t *toStart) {
  Box box;
  box.from = from, box.to = to, box.bits = elementBits;
  // The distances of adjacent elements along each dimension, from the last one outwards, and the
  // offsets.
  std::vector<int64_t> fromStep(rank), toStep(rank);
  int64_t fromSize = elementBits, toSize = elementBits;
  for (int32_t d = rank - 1; d >= 0; --d) {
    if (sizes[d] == 0)
      return;
    fromStep[d] = fromSize, toStep[d] = toSize;
    box.fromOffset += fromStart[d] * fromSize, box.toOffset += toStart[d] * toSize;
    fromSize *= fromDims[d], toSize *= toDims[d];
  }
  // Contiguous dimensions make the row, the next one makes the rows, the remaining ones make the
  // boxes.
  int32_t outer = rank;
  while (outer > 0 && fromStep[outer - 1] == box.bits && toStep[outer - 1] == box.bits)
    box.bits *= sizes[--outer];
  if (outer > 0) {
    --outer;
    box.rows = sizes[outer], box.fromStride = fromStep[outer], box.toStride = toStep[outer];
  }
  std::vector<int64_t> at(outer);
  while (true) {
    boxes.push_back(box);
    int32_t d = outer - 1;
    for (; d >= 0; --d) {
      box.fromOffset += fromStep[d], box.toOffset += toStep[d];
      if (++at[d] < sizes[d])
        break;
      box.fromOffset -= at[d] * fromStep[d], box.toOffset -= at[d] * toStep[d];
      at[d] = 0;
    }
    if (d < 0)
      return;
  }
}

} // namespace hloc::runtime
