// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/ElementNames.h"
#include "hlort/hlort.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

static ElementInfo getIntegerInfo(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    if (type.isSignless())
      return {HLORT_PRED, "bool"};
    return {isUnsigned ? HLORT_U1 : HLORT_S1, "uint8_t", /*packed=*/true};
  case 2:
    return {isUnsigned ? HLORT_U2 : HLORT_S2, "uint8_t", /*packed=*/true};
  case 4:
    return {isUnsigned ? HLORT_U4 : HLORT_S4, "uint8_t", /*packed=*/true};
  case 8:
    return isUnsigned ? ElementInfo{HLORT_U8, "uint8_t"} : ElementInfo{HLORT_S8, "int8_t"};
  case 16:
    return isUnsigned ? ElementInfo{HLORT_U16, "uint16_t"} : ElementInfo{HLORT_S16, "int16_t"};
  case 32:
    return isUnsigned ? ElementInfo{HLORT_U32, "uint32_t"} : ElementInfo{HLORT_S32, "int32_t"};
  default:
    return isUnsigned ? ElementInfo{HLORT_U64, "uint64_t"} : ElementInfo{HLORT_S64, "int64_t"};
  }
}

ElementInfo getElementInfo(Type type) {
  return llvm::TypeSwitch<Type, ElementInfo>(type)
      .Case([](IntegerType integer) { return getIntegerInfo(integer); })
      .Case([](ComplexType complex) {
        return complex.getElementType().isF64() ? ElementInfo{HLORT_C128, "std::complex<double>"}
                                                : ElementInfo{HLORT_C64, "std::complex<float>"};
      })
      .Case([](Float64Type) { return ElementInfo{HLORT_F64, "double"}; })
      .Case([](Float32Type) { return ElementInfo{HLORT_F32, "float"}; })
      .Case([](Float16Type) { return ElementInfo{HLORT_F16, "uint16_t"}; })
      .Case([](BFloat16Type) { return ElementInfo{HLORT_BF16, "uint16_t"}; })
      .Case([](Float8E5M2Type) { return ElementInfo{HLORT_F8E5M2, "uint8_t"}; })
      .Case([](Float8E4M3Type) { return ElementInfo{HLORT_F8E4M3, "uint8_t"}; })
      .Case([](Float8E4M3FNType) { return ElementInfo{HLORT_F8E4M3FN, "uint8_t"}; })
      .Case([](Float8E4M3B11FNUZType) { return ElementInfo{HLORT_F8E4M3B11FNUZ, "uint8_t"}; })
      .Case([](Float8E5M2FNUZType) { return ElementInfo{HLORT_F8E5M2FNUZ, "uint8_t"}; })
      .Case([](Float8E4M3FNUZType) { return ElementInfo{HLORT_F8E4M3FNUZ, "uint8_t"}; })
      .Case([](Float8E3M4Type) { return ElementInfo{HLORT_F8E3M4, "uint8_t"}; })
      .Case([](Float8E8M0FNUType) { return ElementInfo{HLORT_F8E8M0FNU, "uint8_t"}; })
      .Case(
          [](Float4E2M1FNType) { return ElementInfo{HLORT_F4E2M1FN, "uint8_t", /*packed=*/true}; })
      .Default([](Type) { return ElementInfo{HLORT_OPAQUE, "uint8_t"}; });
}

} // namespace hloc
