// SPDX-License-Identifier: Apache-2.0
// A piece of an array combined over the members of a group, in their order, in a near cache.
#ifndef HLOC_RUNTIME_REDUCTION_H
#define HLOC_RUNTIME_REDUCTION_H

#include "collective/Box.h"
#include "hlort/collective.h"

namespace hloc::runtime {

class ReducedPiece {
public:
  /// `box` says where the piece lies in operands, and where it goes to in results.
  ReducedPiece(const hlort_collective_array &array, const Box &box, const Piece &piece);

  /// Combines what there is with the next member's operand.
  void add(const void *operand);
  /// Writes what there is to a member's result.
  void store(void *result) const;

private:
  const hlort_collective_array &array;
  const Box &box;
  const Piece &piece;
  int64_t bits; // of the piece
  bool isFirst = true;
  alignas(64) char sum[Pieces::kBytes];
  alignas(64) char next[Pieces::kBytes];
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_REDUCTION_H
