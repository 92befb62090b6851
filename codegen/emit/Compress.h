// SPDX-License-Identifier: Apache-2.0
// Moves the lanes that a mask selects to the front of a vector. Test:
// test/codegen/sort-vectors.hlo.

#ifndef HLOC_CODEGEN_EMIT_COMPRESS_H
#define HLOC_CODEGEN_EMIT_COMPRESS_H

#include "codegen/KernelEmission.h"

namespace hloc {

/// Uses one instruction with AVX-512; with AVX2 a permutation from a table on the stack with an
/// entry for each mask. The target must satisfy canCompress (passes/schedule/SortProblem.h).
class Compress {
public:
  /// For vectors that fill a register. Emits the code that fills the table at the builder's
  /// insertion point.
  Compress(KernelContext &context, mlir::IntegerType element);

  /// The lanes of `value` that `mask` selects, in order, followed by the others in order if
  /// keepsOthers(), else by arbitrary ones.
  mlir::Value emit(mlir::Value value, mlir::Value mask);
  bool keepsOthers() const { return bool(table); }
  /// The number of lanes that `mask` selects, as an index.
  mlir::Value count(mlir::Value mask);

private:
  void fillTable();
  mlir::Value entryAt(mlir::Value mask);
  mlir::Value getBits(mlir::Value mask);

  mlir::ImplicitLocOpBuilder &b;
  mlir::VectorType type;
  mlir::Value table; // null if there is an instruction for it
};

} // namespace hloc

#endif
