// SPDX-License-Identifier: Apache-2.0
// Masks that select a contiguous range of positions, with bounds known at run time: a dot whose
// rows or contracting dimension are masked this way skips all other positions (DotProblem.h). Test:
// test/codegen/masked-dots.hlo.

#ifndef HLOC_PASSES_SCHEDULE_MASKEDRANGE_H
#define HLOC_PASSES_SCHEDULE_MASKEDRANGE_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Positions [begin, end) along a dimension; the bounds are integer scalars. A null `begin` means
/// 0, a null `end` the size of the dimension.
struct MaskedRange {
  int64_t dimension = -1;
  mlir::Value begin, end;

  explicit operator bool() const { return dimension >= 0; }
  bool operator==(const MaskedRange &) const = default;
};

/// The range that `mask` selects, if it is position >= begin, position < end, or both; else none.
MaskedRange findMaskedRange(mlir::Value mask);

/// Translates `range` from the shape `from` to `shape`, which differs from it only by dimensions of
/// size one.
MaskedRange inShape(MaskedRange range, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> shape);

/// The value behind reshapes that only add or drop dimensions of size one.
mlir::Value skipUnitReshapes(mlir::Value value);

/// The select that makes `value` zero where its mask is false; null if there is none.
hlo::SelectOp findZeroingSelect(mlir::Value value);

/// The range outside of which a mask makes `value` zero; none if there is no such mask.
MaskedRange findNonZero(mlir::Value value);

} // namespace hloc

#endif
