// SPDX-License-Identifier: Apache-2.0
// Comparators that order by one operand alone, as unsigned integers of the same order: what lets a
// sort look at digits instead of calling the comparator.

#ifndef HLOC_CODEGEN_EMIT_SORTKEY_H
#define HLOC_CODEGEN_EMIT_SORTKEY_H

#include "codegen/emit/Elementwise.h"

namespace hloc {

class SortKey {
public:
  /// Matches `f(x) < f(y)` and `f(x) > f(y)` of one pair of parameters, where f is any elementwise
  /// expression (none, or one that makes zeros and NaNs alike) and what it gives has at most 32
  /// bits. Floats that are not compared in total order have equal zeros, and NaNs at the upper end.
  static std::optional<SortKey> match(hlo::ComputationOp comparator);

  /// The operand that is ordered by, and how many bits a key has.
  unsigned getOperand() const { return operand; }
  unsigned getBits() const { return bits; }
  /// Whether elements of equal keys have equal bits.
  bool isFaithful() const { return expression == parameter && (total || !isFloat); }

  /// Keys of elements of the operand, as i32. Null if f cannot be emitted.
  mlir::Value emit(IndexBuilder &index, Lanes element) const;

private:
  unsigned operand = 0, bits = 0;
  bool descending = false, total = false, isFloat = false;
  mlir::Value expression, parameter; // f of the parameter
};

} // namespace hloc

#endif
