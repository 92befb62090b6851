// SPDX-License-Identifier: Apache-2.0
// The register tile of contractions: rows x vectors accumulators that stay in registers while a
// loop runs over the contracted dimension. Dots and convolutions differ in where operands come
// from.

#ifndef HLOC_CODEGEN_EMIT_REGISTERTILE_H
#define HLOC_CODEGEN_EMIT_REGISTERTILE_H

#include "codegen/KernelEmission.h"
#include "passes/schedule/RegisterTiles.h"

namespace hloc {

/// sum + x * y of accumulators of type `element`, by one fused operation where there is one.
VectorValue emitMultiplyAdd(IndexBuilder &index, mlir::Type element, VectorValue x, VectorValue y,
                            VectorValue sum);

/// The same for two neighbouring k at once: sum + x[2i] * y[2i] + x[2i + 1] * y[2i + 1], where x
/// and y are vectors of i16 and sum one of half as many i32, for targets with hasPairMultiplyAdd;
/// or x and y hold the bits of bf16 and sum is of f32, for those with usesBf16Dot.
mlir::Value emitPairMultiplyAdd(IndexBuilder &index, mlir::Value x, mlir::Value y, mlir::Value sum);

/// Of four k: x holds four unsigned bytes a lane of sum, and y four signed ones, for targets with
/// hasQuadMultiplyAdd.
mlir::Value emitQuadMultiplyAdd(IndexBuilder &index, mlir::Value x, mlir::Value y, mlir::Value sum);

/// Zero of type `element`, in every lane.
VectorValue emitZero(IndexBuilder &index, mlir::Type element);

/// Runs k from `lower` to `upper`, which is constant zero or above `lower`, adding x[row] *
/// y[vector] to each accumulator. `initial` has rows x vectors entries (row-major), and so has the
/// result. `left` gives a scalar (uniform) operand, `right` a vector. With `group` above 1 each
/// element of both holds those of `group` k: pairs of 16 bits, or four bytes.
llvm::SmallVector<VectorValue>
buildTile(KernelContext &context, TileShape shape, mlir::Type element, int64_t group,
          mlir::Value lower, mlir::Value upper, llvm::ArrayRef<VectorValue> initial,
          llvm::function_ref<VectorValue(int64_t row, mlir::Value k)> left,
          llvm::function_ref<VectorValue(int64_t vector, mlir::Value k)> right);

/// The same for k from 0 to `count`, in pieces before each of which stands what `before` builds for
/// its number: memory answers better if it is asked for a little at a time. There are
/// countTilePieces() of the most k that `count` may be.
llvm::SmallVector<VectorValue>
buildTileInPieces(KernelContext &context, TileShape shape, mlir::Type element, int64_t group,
                  mlir::Value count, llvm::ArrayRef<VectorValue> initial,
                  llvm::function_ref<VectorValue(int64_t row, mlir::Value k)> left,
                  llvm::function_ref<VectorValue(int64_t vector, mlir::Value k)> right,
                  llvm::function_ref<void(mlir::Value piece)> before);
int64_t countTilePieces(int64_t most);

/// Transposes a square of `rows.size()` vectors (a power of two) of as many lanes in registers;
/// longer vectors hold several squares beside each other.
llvm::SmallVector<mlir::Value> transposeSquare(mlir::ImplicitLocOpBuilder &b,
                                               llvm::SmallVector<mlir::Value> rows);

} // namespace hloc

#endif
