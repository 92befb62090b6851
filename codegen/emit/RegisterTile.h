// SPDX-License-Identifier: Apache-2.0
// The register tile of contractions: rows x vectors accumulators that stay in registers during the
// loop over the contracting dimension. Dots and convolutions differ only in where the operands come
// from.

#ifndef HLOC_CODEGEN_EMIT_REGISTERTILE_H
#define HLOC_CODEGEN_EMIT_REGISTERTILE_H

#include "codegen/KernelEmission.h"
#include "passes/schedule/RegisterTiles.h"

namespace hloc {

/// sum + x * y in accumulators of type `element`, by a fused multiply-add where there is one.
VectorValue emitMultiplyAdd(IndexBuilder &index, mlir::Type element, VectorValue x, VectorValue y,
                            VectorValue sum);

/// Likewise for two successive k: sum + x[2i] * y[2i] + x[2i + 1] * y[2i + 1]. Either x and y are
/// vectors of i16 and sum has half as many i32 (targets with hasPairMultiplyAdd), or x and y hold
/// the bits of bf16 and sum is f32 (targets with hasBf16Dot).
mlir::Value emitPairMultiplyAdd(IndexBuilder &index, mlir::Value x, mlir::Value y, mlir::Value sum);

/// Likewise for four k: per lane of sum, x holds four unsigned bytes and y four signed ones
/// (targets with hasQuadMultiplyAdd).
mlir::Value emitQuadMultiplyAdd(IndexBuilder &index, mlir::Value x, mlir::Value y, mlir::Value sum);

/// Makes signed bytes unsigned, for emitQuadMultiplyAdd: adds 128 to each byte of a vector of bytes
/// or words.
mlir::Value emitOffset(mlir::ImplicitLocOpBuilder &b, mlir::Value vector);
/// Adds 128 times each signed byte of `words` to `sum`: as much as emitOffset adds to products.
mlir::Value emitOffsetMultiplyAdd(IndexBuilder &index, mlir::Value words, mlir::Value sum);

/// Zero of type `element` in every lane.
VectorValue emitZero(IndexBuilder &index, mlir::Type element);

/// Loops over k from `lower` to `upper`, which is constant zero or above `lower`, and adds x[row] *
/// y[vector] to each accumulator. `initial` and the result have rows x vectors entries (row-major).
/// `left` gives a scalar (uniform) operand, `right` a vector. With `group` above 1, each element of
/// both packs `group` successive k: pairs of 16 bits, or four bytes.
llvm::SmallVector<VectorValue>
buildTile(KernelContext &context, TileShape shape, mlir::Type element, int64_t group,
          mlir::Value lower, mlir::Value upper, llvm::ArrayRef<VectorValue> initial,
          llvm::function_ref<VectorValue(int64_t row, mlir::Value k)> left,
          llvm::function_ref<VectorValue(int64_t vector, mlir::Value k)> right,
          TileKeeps keeps = TileKeeps::Vectors);

/// Likewise for k from 0 to `count`, in pieces; at the start of each, `before` emits code for the
/// number of the piece. This spreads prefetches evenly. There are countTilePieces(most) pieces if
/// `count` is at most `most`.
llvm::SmallVector<VectorValue>
buildTileInPieces(KernelContext &context, TileShape shape, mlir::Type element, int64_t group,
                  mlir::Value count, llvm::ArrayRef<VectorValue> initial,
                  llvm::function_ref<VectorValue(int64_t row, mlir::Value k)> left,
                  llvm::function_ref<VectorValue(int64_t vector, mlir::Value k)> right,
                  llvm::function_ref<void(mlir::Value piece)> before);
int64_t countTilePieces(int64_t most);

/// Transposes a square of `rows.size()` vectors (a power of two) with as many lanes in registers.
/// Longer vectors hold several squares side by side.
llvm::SmallVector<mlir::Value> transposeSquare(mlir::ImplicitLocOpBuilder &b,
                                               llvm::SmallVector<mlir::Value> rows);

} // namespace hloc

#endif
