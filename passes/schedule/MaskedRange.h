// SPDX-License-Identifier: Apache-2.0
// Masks of positions from one number to another, known at run time: a product whose rows or whose
// depth is masked so does nothing for other positions (DotProblem.h). Test:
// test/codegen/masked-dots.hlo.

#ifndef HLOC_PASSES_SCHEDULE_MASKEDRANGE_H
#define HLOC_PASSES_SCHEDULE_MASKEDRANGE_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Positions [begin, end) along a dimension, integer scalars; null for the first and behind the
/// last.
struct MaskedRange {
  int64_t dimension = -1;
  mlir::Value begin, end;

  explicit operator bool() const { return dimension >= 0; }
  bool operator==(const MaskedRange &) const = default;
};

/// Where `mask` holds, if that is position >= begin, position < end or both; nothing if it is
/// something else.
MaskedRange findMaskedRange(mlir::Value mask);

/// The same along the dimension that is that of `range` in `shape`, which differs from `from` in
/// dimensions of size one only.
MaskedRange inShape(MaskedRange range, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> shape);

/// Behind reshapes that add and drop dimensions of size one.
mlir::Value skipUnitReshapes(mlir::Value value);

/// What makes `value` zero where its mask does not hold; null if there is no such select.
hlo::SelectOp findZeroingSelect(mlir::Value value);

/// Where `value` may be something else than zero, if a mask says so.
MaskedRange findNonZero(mlir::Value value);

} // namespace hloc

#endif
