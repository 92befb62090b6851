// SPDX-License-Identifier: Apache-2.0
// The evaluator's enumeration of HLO's element types, and their properties.
// Test: test/evaluator/ScalarTest.cpp.

#ifndef HLOC_COMPILER_EVALUATOR_ELEMENTTYPE_H
#define HLOC_COMPILER_EVALUATOR_ELEMENTTYPE_H

#include "mlir/IR/Types.h"
#include <cstdint>
#include <optional>

namespace hloc::evaluator {

enum class ElementType : uint8_t {
  PRED,
  S1,
  S2,
  S4,
  S8,
  S16,
  S32,
  S64,
  U1,
  U2,
  U4,
  U8,
  U16,
  U32,
  U64,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  F16,
  BF16,
  F32,
  F64,
  C64,
  C128
};

/// How arithmetic treats a type.
enum class Domain : uint8_t { Pred, Signed, Unsigned, Float, Complex };

Domain getDomain(ElementType type);

/// Bits of the value: 1 for pred, 4 for s4, 128 for c128.
int getBits(ElementType type);

/// Bytes of an element in an array: 1 for all types of at most eight bits.
int getBytes(ElementType type);

/// f32 for c64, f64 for c128; every other type itself.
ElementType getReal(ElementType type);

/// HLO's spelling, such as "f8e4m3fn".
llvm::StringRef getName(ElementType type);

/// The type of that spelling.
std::optional<ElementType> parseElementType(llvm::StringRef name);

/// The evaluator's type for an MLIR element type; nothing for those that HLO does not have.
std::optional<ElementType> getElementType(mlir::Type type);

/// The MLIR type of an element type.
mlir::Type getMlirType(mlir::MLIRContext *context, ElementType type);

inline bool isInteger(ElementType type) {
  return type >= ElementType::S1 && type <= ElementType::U64;
}
inline bool isFloat(ElementType type) { return getDomain(type) == Domain::Float; }
inline bool isComplex(ElementType type) { return getDomain(type) == Domain::Complex; }

} // namespace hloc::evaluator

#endif
