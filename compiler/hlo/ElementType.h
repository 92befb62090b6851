// SPDX-License-Identifier: Apache-2.0
// Properties of element types, and their size in memory. Signless integers of the builtin dialect
// are HLO's s2 to s64 and pred (i1), unsigned ones u1 to u64; only s1 is a signed one (si1),
// because i1 is pred. Test: test/codegen/one-bit-integers.hlo.

#ifndef HLOC_COMPILER_HLO_ELEMENTTYPE_H
#define HLOC_COMPILER_HLO_ELEMENTTYPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace hloc::hlo {

/// s1 and u1 also have one bit, but are integers modulo two and are packed in memory.
inline bool isPred(mlir::Type element) { return element.isSignlessInteger(1); }

/// Integers without negative values, including pred: they are zero-extended to wider types.
inline bool isZeroExtended(mlir::Type element) {
  return element.isUnsignedInteger() || isPred(element);
}

/// Bits of an element in memory: eight for pred, those of both parts for a complex number.
inline int64_t getStorageBits(mlir::Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    return 2 * getStorageBits(complex.getElementType());
  return isPred(element) ? 8 : element.getIntOrFloatBitWidth();
}

} // namespace hloc::hlo

#endif
