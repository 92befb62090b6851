// SPDX-License-Identifier: Apache-2.0
// Comparators that order by one operand after the other, as unsigned integers of the same order:
// what lets a sort look at digits instead of calling the comparator. Code for them:
// codegen/emit/SortKeyCode.h. Test: test/codegen/SortKernelTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_SORTKEY_H
#define HLOC_PASSES_SCHEDULE_SORTKEY_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Whether the code of negative zero is the type's one NaN: the least in total order, beside which
/// bits have another order than numbers.
bool isNegativeZeroNan(mlir::Type element);

/// Rows are sorted as entries of 64 bits: a key above an element, or its position, of this width.
inline constexpr int64_t kKeyBits = 32;

struct SortKey {
  /// The keys that `comparator` orders by, from the most significant one; none if it does something
  /// else. Matched are f(x) < f(y) and f(x) > f(y) of one pair of parameters, where f is any
  /// elementwise expression (none, or one that makes zeros and NaNs alike), and chains
  /// `less or (equal and then ...)` of them. Elements of 64 bits make two keys. Floats that are not
  /// compared in total order have equal zeros, and NaNs at the upper end.
  static llvm::SmallVector<SortKey, 2> match(hlo::ComputationOp comparator);

  /// The key of the elements of `array`, of up to 32 bits, in their total order.
  static SortKey ofElements(mlir::Value array, bool descending);

  /// How many bits a key has.
  int64_t getBits() const { return std::min<int64_t>(width, kKeyBits); }
  /// Whether elements of equal keys have equal bits.
  bool isFaithful() const {
    return expression == parameter && (total || !isFloat) && width <= kKeyBits;
  }
  /// Whether an element can be made of its key again: f changes no numbers, but may make zeros
  /// alike, and NaNs.
  bool isReversible() const;

  /// The operand that is ordered by, and the bits of f.
  unsigned operand = 0, width = 0;
  bool isLowHalf = false; // of an element of 64 bits
  bool descending = false, total = false, isFloat = false;
  mlir::Value expression, parameter; // f of the parameter

private:
  static bool matchCompare(mlir::Value less, llvm::SmallVectorImpl<SortKey> &keys);
  static bool matchChain(mlir::Value less, llvm::SmallVectorImpl<SortKey> &keys);
};

} // namespace hloc

#endif
