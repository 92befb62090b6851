// SPDX-License-Identifier: Apache-2.0
// What fusion weighs: time per element of operations and of memory traffic. All times are
// nanoseconds on one core of a current server; only their ratios matter.

#ifndef HLOC_PASSES_FUSECOST_H
#define HLOC_PASSES_FUSECOST_H

#include "compiler/hlo/HloDialect.h"

namespace hloc::fuse {

/// Bytes of an array in memory (sub-byte elements packed).
double bytesOf(mlir::Type type);

/// Bytes of one element; a fraction for sub-byte ones.
double elementBytes(mlir::Type type);

/// Number of elements.
double elementsOf(mlir::Type type);

/// Time to compute one element of the result as part of vector code, its operands being at hand.
double timePerElement(mlir::Operation *op);

/// Whether computing an element again costs more than loading it from the nearest cache.
bool isExpensive(mlir::Operation *op);

/// Time to read or write one byte of an array of `bytes` once, streaming.
double streamTimePerByte(double bytes);

/// Time of one more load of an element that is in the nearest cache.
inline constexpr double reloadTime = 0.03;
/// The same when neighbouring elements do not lie side by side.
inline constexpr double gatherTime = 0.4;
/// Start and end of a kernel's loops.
inline constexpr double kernelTime = 10;

/// Rows up to this many elements stay in cache between the stages of a reduce kernel.
inline constexpr double maxRowElements = 64 * 1024;
/// Arrays this small are worth merging for the sake of fewer kernels alone.
inline constexpr double tinyElements = 1024;

} // namespace hloc::fuse

#endif
