// SPDX-License-Identifier: Apache-2.0
// The pieces of a loop kernel that concatenates: ranges of indices along one dimension of its
// results, in each of which every concatenation along that dimension has one operand. A loop for
// each piece neither selects nor computes what the others need. Test:
// test/passes/schedule/PiecesTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_PIECES_H
#define HLOC_PASSES_SCHEDULE_PIECES_H

#include "passes/schedule/Places.h"

namespace hloc {

struct Piece {
  IndexRange range;
  /// The operands of the concatenations.
  KnownSources sources;
};

struct Pieces {
  /// Analyses a kernel whose results all have one shape.
  explicit Pieces(mlir::Block &body);

  /// The dimension of the results that is divided: the innermost one along which there is a
  /// concatenation, since selecting within a vector takes the most time.
  int64_t dimension = -1;
  /// In the order of their ranges, which cover the dimension. Empty if no concatenation is
  /// requested in the order of the results, or if there would be too many.
  llvm::SmallVector<Piece> list;
};

} // namespace hloc

#endif
