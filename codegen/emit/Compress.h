// SPDX-License-Identifier: Apache-2.0
// The lanes of a vector that a mask names, brought together. Test: test/codegen/sort-vectors.hlo.

#ifndef HLOC_CODEGEN_EMIT_COMPRESS_H
#define HLOC_CODEGEN_EMIT_COMPRESS_H

#include "codegen/KernelEmission.h"

namespace hloc {

/// By one instruction with AVX-512; with AVX2 by a permutation from a table with an entry for each
/// mask, which stands on the stack. For targets of which canCompress
/// (passes/schedule/SortProblem.h).
class Compress {
public:
  /// For full registers of integers. Code that fills the table goes where the builder stands.
  Compress(KernelContext &context, mlir::IntegerType element);

  /// The lanes of `value` where `mask` holds in front, in their order; any behind them.
  mlir::Value emit(mlir::Value value, mlir::Value mask);
  /// How many lanes hold, as an index.
  mlir::Value count(mlir::Value mask);

private:
  void fillTable();
  mlir::Value entryAt(mlir::Value mask);
  mlir::Value getBits(mlir::Value mask);

  mlir::ImplicitLocOpBuilder &b;
  mlir::VectorType type;
  mlir::Value table; // null if there is an instruction
};

} // namespace hloc

#endif
