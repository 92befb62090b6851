// SPDX-License-Identifier: Apache-2.0
// Comparators that order by one operand after the other, as unsigned integers of the same order:
// what lets a sort look at digits instead of calling the comparator.

#ifndef HLOC_CODEGEN_EMIT_SORTKEY_H
#define HLOC_CODEGEN_EMIT_SORTKEY_H

#include "codegen/emit/Elementwise.h"

namespace hloc {

class SortKey {
public:
  /// The keys that `comparator` orders by, from the most significant one; none if it does something
  /// else. Matched are f(x) < f(y) and f(x) > f(y) of one pair of parameters, where f is any
  /// elementwise expression (none, or one that makes zeros and NaNs alike), and chains
  /// `less or (equal and then ...)` of them. Elements of 64 bits make two keys. Floats that are not
  /// compared in total order have equal zeros, and NaNs at the upper end.
  static llvm::SmallVector<SortKey, 2> match(hlo::ComputationOp comparator);

  /// The key of the elements of `array`, of up to 32 bits, in their total order.
  static SortKey ofElements(mlir::Value array, bool descending);

  /// The operand that is ordered by, and how many bits a key has: up to 32.
  unsigned getOperand() const { return operand; }
  unsigned getBits() const { return std::min(width, 32u); }
  /// Whether elements of equal keys have equal bits.
  bool isFaithful() const { return expression == parameter && (total || !isFloat) && width <= 32; }

  /// Keys of elements of the operand, as i32. Null if f cannot be emitted.
  mlir::Value emit(IndexBuilder &index, VectorValue element) const;

private:
  static bool matchCompare(mlir::Value less, llvm::SmallVectorImpl<SortKey> &keys);
  static bool matchChain(mlir::Value less, llvm::SmallVectorImpl<SortKey> &keys);

  unsigned operand = 0, width = 0;
  bool isLowHalf = false; // of an element of 64 bits
  bool descending = false, total = false, isFloat = false;
  mlir::Value expression, parameter; // f of the parameter
};

} // namespace hloc

#endif
