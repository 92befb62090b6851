// SPDX-License-Identifier: Apache-2.0

#include "collective/Reduction.h"

namespace hloc::runtime {

/// The offset of the piece in a result, in bits.
static int64_t beginInResult(const Box &box, const Piece &piece) {
  return box.toOffset + piece.rowBegin * box.toStride + piece.bitBegin;
}

ReducedPiece::ReducedPiece(const hlort_collective_array &array, const Box &box, const Piece &piece,
                           void *result)
    : array(array), box(box), piece(piece),
      bits((piece.rowEnd - piece.rowBegin) * (piece.bitEnd - piece.bitBegin)), sum(own) {
  int64_t begin = beginInResult(box, piece);
  char *place = static_cast<char *>(result) + begin / 8;
  if (result && (begin | bits) % 8 == 0 && reinterpret_cast<uintptr_t>(place) % kAlignment == 0)
    sum = place;
}

/// Packs the piece of an operand.
static void pack(const Box &box, const Piece &piece, void *to, const void *operand) {
  int64_t bits = piece.bitEnd - piece.bitBegin;
  for (int64_t row = piece.rowBegin; row < piece.rowEnd; ++row)
    copyBits(to, (row - piece.rowBegin) * bits, operand,
             box.fromOffset + row * box.fromStride + piece.bitBegin, bits);
}

void ReducedPiece::add(const void *operand) {
  if (isFirst) {
    pack(box, piece, sum, operand);
    isFirst = false;
    return;
  }
  int64_t begin = box.fromOffset + piece.rowBegin * box.fromStride + piece.bitBegin;
  const void *from = static_cast<const char *>(operand) + begin / 8;
  if (piece.rowEnd - piece.rowBegin > 1 || begin % 8 != 0) {
    pack(box, piece, next, operand);
    from = next;
  }
  array.combine(sum, from, bits / hlort_element_bits(array.element_type));
}

void ReducedPiece::store(void *result) const {
  int64_t begin = beginInResult(box, piece);
  if (static_cast<char *>(result) + begin / 8 != sum)
    copyBits(result, begin, sum, 0, bits);
}

} // namespace hloc::runtime
