// SPDX-License-Identifier: Apache-2.0
// A piece of an array combined over the members of a group, in their order, in a near cache.
#ifndef HLOC_RUNTIME_REDUCTION_H
#define HLOC_RUNTIME_REDUCTION_H

#include "collective/Box.h"
#include "hlort/collective.h"

namespace hloc::runtime {

class ReducedPiece {
public:
  /// `box` says where the piece, of up to Pieces::kNearBytes, lies in operands, and where it goes
  /// to in results. It is combined in one of these, `result`, where that is possible; null where it
  /// is not, since operands may lie there.
  ReducedPiece(const hlort_collective_array &array, const Box &box, const Piece &piece,
               void *result);

  /// Combines what there is with the next member's operand.
  void add(const void *operand);
  /// Writes what there is to a member's result.
  void store(void *result) const;

private:
  /// Of what kernels combine into.
  static constexpr size_t kAlignment = 64;

  const hlort_collective_array &array;
  const Box &box;
  const Piece &piece;
  int64_t bits; // of the piece
  bool isFirst = true;
  char *sum;
  alignas(kAlignment) char own[Pieces::kNearBytes];
  alignas(kAlignment) char next[Pieces::kNearBytes];
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_REDUCTION_H
