// SPDX-License-Identifier: Apache-2.0
// A piece of an array combined over the members of a group, in their order, in L1.
#ifndef HLOC_RUNTIME_REDUCTION_H
#define HLOC_RUNTIME_REDUCTION_H

#include "collective/Box.h"
#include "hlort/collective.h"

namespace hloc::runtime {

class ReducedPiece {
public:
  /// `box` says where the piece, of up to Pieces::kNearBytes, is in operands and in results. It is
  /// combined in `result`, one of these, if that is possible; null if not, because operands may be
  /// there.
  ReducedPiece(const hlort_collective_array &array, const Box &box, const Piece &piece,
               void *result);

  /// Combines the current value with the next member's operand.
  void add(const void *operand);
  /// Writes the combined value to a member's result.
  void store(void *result) const;

private:
  /// Of the memory that kernels combine into.
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
