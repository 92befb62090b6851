// SPDX-License-Identifier: Apache-2.0
// Products in matrix registers (AMX), which hold kMatrixRows rows of kMatrixRowBytes bytes. A row
// of the left operand has successive k; a row of the right one has a group of k, as many as fill 32
// bits, of each column. Test: test/codegen/matrix-registers.test.

#ifndef HLOC_CODEGEN_EMIT_MATRIXTILE_H
#define HLOC_CODEGEN_EMIT_MATRIXTILE_H

#include "codegen/KernelEmission.h"

namespace hloc {

/// The instruction that multiplies: bytes, of which those of the left operand are signed or
/// unsigned, or bf16.
enum class MatrixProduct { SignedBytes, UnsignedBySignedBytes, Bf16 };

/// A matrix of 32-bit words in memory, in rows that are `rowBytes` apart.
struct MatrixMemory {
  mlir::Value pointer;
  int64_t rowBytes;
};

/// Stores the product of `left`, of `rows` rows, and `right`, of `columns` columns, in `sums`; or
/// adds it to what is there. Both numbers are at most twice those of a matrix register. `steps` is
/// the number of registers along the depth, one or more.
void emitMatrixTile(KernelContext &context, MatrixProduct product, int64_t rows, int64_t columns,
                    mlir::Value steps, MatrixMemory left, MatrixMemory right, MatrixMemory sums,
                    bool adds);

} // namespace hloc

#endif
