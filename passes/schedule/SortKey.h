// SPDX-License-Identifier: Apache-2.0
// Comparators that order by one operand after the other, rewritten as a comparison of unsigned
// integers: a sort can then use digits or vectors instead of calling the comparator. Code for keys:
// codegen/emit/SortKeyCode.h. Test: test/codegen/SortKernelTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_SORTKEY_H
#define HLOC_PASSES_SCHEDULE_SORTKEY_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// True if the encoding of negative zero is the type's only NaN. NaN is then the least in total
/// order, so the bits do not order as other floats' do.
bool isNegativeZeroNan(mlir::Type element);

/// Rows are sorted as 64-bit entries: a key of this width above an element, or a position, of this
/// width.
inline constexpr int64_t kKeyBits = 32;

struct SortKey {
  /// The keys that `comparator` orders by, the most significant first; none if it is not
  /// recognized. Recognized are f(x) < f(y) and f(x) > f(y) for one pair of parameters, where f is
  /// any elementwise expression (the identity, or one that makes zeros and NaNs equal), and chains
  /// `less or (equal and then ...)` of these. A 64-bit element gives two keys. Unless floats are
  /// compared in total order, zeros are equal and NaNs come last.
  static llvm::SmallVector<SortKey, 2> match(hlo::ComputationOp comparator);

  /// The key of the elements of `array`, of up to 32 bits, in their total order.
  static SortKey ofElements(mlir::Value array, bool descending);

  /// The number of bits of a key.
  int64_t getBits() const { return std::min<int64_t>(width, kKeyBits); }
  /// True if elements with equal keys have equal bits.
  bool isFaithful() const {
    return expression == parameter && (total || !isFloat) && width <= kKeyBits;
  }
  /// True if an element can be recovered from its key: f changes no number, except that it may make
  /// zeros, and NaNs, equal.
  bool isReversible() const;

  /// The operand that is ordered by, and the bits of f.
  unsigned operand = 0, width = 0;
  bool isLowHalf = false; // of a 64-bit element
  bool descending = false, total = false, isFloat = false;
  mlir::Value expression, parameter; // f of the parameter

private:
  static bool matchCompare(mlir::Value less, llvm::SmallVectorImpl<SortKey> &keys);
  static bool matchChain(mlir::Value less, llvm::SmallVectorImpl<SortKey> &keys);
};

} // namespace hloc

#endif
