// SPDX-License-Identifier: Apache-2.0
// Sizes of arrays as floating-point numbers, for cost models.

#ifndef HLOC_PASSES_KERNELS_ARRAYSIZES_H
#define HLOC_PASSES_KERNELS_ARRAYSIZES_H

#include "compiler/hlo/HloDialect.h"

namespace hloc::fuse {

/// Bytes of an array in memory (sub-byte elements packed).
double bytesOf(mlir::Type type);

/// Bytes of one element; a fraction for sub-byte ones.
double elementBytes(mlir::Type type);

/// Number of elements.
double elementsOf(mlir::Type type);
inline double elementsOf(mlir::Value array) { return elementsOf(array.getType()); }

} // namespace hloc::fuse

namespace hloc {

/// Bits of the widest element of a kernel, at least 8. Narrow floats that it computes with count as
/// 32, since that is done in f32.
int64_t getWidestElement(mlir::Block &body);

} // namespace hloc

#endif
