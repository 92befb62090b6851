// SPDX-License-Identifier: Apache-2.0
// The implementation of each elementwise operation on columns of scalars.
//
// A kernel computes `count` results from as many scalars of each operand. It is selected once by
// opcode and operand type, so that its loop contains only the arithmetic. Tests:
// test/evaluator/integers.hlo, test/evaluator/small-floats.hlo.

#ifndef HLOC_COMPILER_EVALUATOR_ELEMENTKERNELS_H
#define HLOC_COMPILER_EVALUATOR_ELEMENTKERNELS_H

#include "compiler/evaluator/core/Scalar.h"
#include "mlir/IR/Operation.h"

namespace hloc::evaluator {

/// The properties of its operation that a kernel may need.
struct KernelInfo {
  ElementType operand = ElementType::F32; // of the first operand
  ElementType result = ElementType::F32;
  int64_t first = 0, second = 0; // exponent and mantissa bits of reduce_precision, ...
};

using KernelFunction = void (*)(const KernelInfo &info, const Scalar *const *operands,
                                Scalar *results, int64_t count);

/// A kernel with its information.
struct ElementKernel {
  KernelFunction function = nullptr;
  KernelInfo info;
  ElementType rounding =
      ElementType::F32; // what results are rounded to: the result's type, or a wider one
  explicit operator bool() const { return function; }

  /// Computes the results, each one a value of the result type.
  void operator()(const Scalar *const *operands, Scalar *results, int64_t count) const {
    function(info, operands, results, count);
    wrap(rounding, results, count);
  }
};

/// The type in which repeatedly applied computations, as in a reduction, keep floats of a type: f32
/// in f64, bf16 in f32, smaller ones in f16. They are rounded to the type once, at the end.
ElementType getAccumulationType(ElementType type);
/// The same for accumulators that are stored in arrays from one element to the next: f32 is f32.
ElementType getArrayAccumulationType(ElementType type);

/// The kernel of an elementwise operation; none if `op` is not one, or is invalid for its types.
ElementKernel getElementKernel(mlir::Operation *op);

// Its parts, by the number of operands: each file selects kernels for its own opcodes.
KernelFunction getUnaryKernel(mlir::Operation *op, ElementType operand);
KernelFunction getComplexUnaryKernel(mlir::Operation *op, ElementType operand);
KernelFunction getBinaryKernel(mlir::Operation *op, ElementType operand);
KernelFunction getComplexBinaryKernel(mlir::Operation *op, ElementType operand);
KernelFunction getOtherKernel(mlir::Operation *op, KernelInfo &info);

/// A kernel from a function of one scalar.
template <auto function>
void mapUnary(const KernelInfo &, const Scalar *const *operands, Scalar *results, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    results[i] = function(operands[0][i]);
}

/// A kernel from a function of two scalars.
template <auto function>
void mapBinary(const KernelInfo &, const Scalar *const *operands, Scalar *results, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    results[i] = function(operands[0][i], operands[1][i]);
}

} // namespace hloc::evaluator

#endif
