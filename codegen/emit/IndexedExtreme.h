// SPDX-License-Identifier: Apache-2.0
// Reductions of values and their indices to the greatest or least value and where it is, as argmax
// and argmin are printed. Their computations compare, combine and select; if the pairs are folded
// in the order of their indices, one comparison decides. Tests: test/codegen/indexed-extremes.hlo,
// test/codegen/first-of-equals.hlo.

#ifndef HLOC_CODEGEN_EMIT_INDEXEDEXTREME_H
#define HLOC_CODEGEN_EMIT_INDEXEDEXTREME_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// When a pair replaces one with a smaller index.
struct IndexedExtreme {
  bool isMaximum;
  /// Whether an equal value replaces the value, and its index the index.
  bool replacesEqualValue, replacesEqualIndex;
  /// For floats: an unordered pair is replaced always, never, or by the first NaN.
  enum class NaN { Always, Never, First } nan;
};

/// What `computation`, of `reduce`, does with pairs in the order of their indices; nothing if it is
/// not such an extreme, or if the indices do not ascend along the reduced dimension.
std::optional<IndexedExtreme> matchIndexedExtreme(hlo::ReduceOp reduce,
                                                  hlo::ComputationOp computation);

/// The fold of `earlier` and `later`, pairs of a value and an index in register types. `element` is
/// the HLO element type of the values.
llvm::SmallVector<VectorValue> emitIndexedExtreme(IndexBuilder &index,
                                                  const IndexedExtreme &extreme, mlir::Type element,
                                                  llvm::ArrayRef<VectorValue> earlier,
                                                  llvm::ArrayRef<VectorValue> later);

} // namespace hloc

#endif
