// SPDX-License-Identifier: Apache-2.0
// Rectangular parts of arrays that move from one member of a collective to another, and how they
// are copied. All sizes and offsets are in bits, because of element types below one byte. Test:
// test/runtime/collective/BoxTest.cpp.
#ifndef HLOC_RUNTIME_BOX_H
#define HLOC_RUNTIME_BOX_H

#include <cstdint>
#include <vector>

namespace hloc::runtime {

/// `rows` rows of `bits` bits, from operand `from` of one member to result `to` of another. Row i
/// starts at bit offset + i * stride.
struct Box {
  int32_t from = 0, to = 0;
  int64_t rows = 1, bits = 0;
  int64_t fromOffset = 0, fromStride = 0;
  int64_t toOffset = 0, toStride = 0;

  /// True if every row starts and ends at a byte boundary.
  bool isWholeBytes() const {
    return (bits | fromOffset | toOffset | (rows > 1 ? fromStride | toStride : 0)) % 8 == 0;
  }
  /// Bytes of its bits, packed row after row.
  int64_t packedBytes() const { return (rows * bits + 7) / 8; }
};

/// The part of a box that is copied or combined at once: bits [bitBegin, bitEnd) of rows [rowBegin,
/// rowEnd).
struct Piece {
  int64_t rowBegin, rowEnd, bitBegin, bitEnd;
};

/// Divides `rows` rows of `bits` bits into pieces that fit into L1 or L2.
class Pieces {
public:
  /// Bytes of the largest piece. All pieces but a row's last are whole bytes of every type.
  static constexpr int64_t kBytes = 32 << 10;
  /// Bytes of the largest piece that stays in L1 while it is combined with others.
  static constexpr int64_t kNearBytes = 8 << 10;

  Pieces(int64_t rows, int64_t bits, int64_t bytes = kBytes);
  int64_t count() const { return pieceCount; }
  Piece operator[](int64_t i) const;

private:
  int64_t rows, bits, pieceBits;
  int64_t rowsEach = 1, piecesPerRow = 1, pieceCount = 0;
};

/// Copies `count` bits. Other bits in the first and last byte of `to` keep their values.
void copyBits(void *to, int64_t toBit, const void *from, int64_t fromBit, int64_t count);

/// Copies a piece of a box between the arrays that it names.
void copyPiece(const Box &box, const Piece &piece, void *to, const void *from);

/// Copies a box whole.
void copyBox(const Box &box, void *to, const void *from);

/// The box with one side replaced by packed memory.
Box packed(const Box &box);
Box unpacked(const Box &box);

/// Appends boxes for a slice of the given sizes, at `fromStart` in an array of `fromDims` and at
/// `toStart` in one of `toDims`; elements have `elementBits`.
void appendSlice(std::vector<Box> &boxes, int32_t from, int32_t to, int64_t elementBits,
                 int32_t rank, const int64_t *sizes, const int64_t *fromDims,
                 const int64_t *fromStart, const int64_t *toDims, const int64_t *toStart);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_BOX_H
