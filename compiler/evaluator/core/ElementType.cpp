// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hloc::evaluator {

namespace {
struct Description {
  StringRef name;
  Domain domain;
  int bits;
};
} // namespace

// In the order of ElementType.
static constexpr Description kTypes[] = {
    {"pred", Domain::Pred, 1},           {"s1", Domain::Signed, 1},
    {"s2", Domain::Signed, 2},           {"s4", Domain::Signed, 4},
    {"s8", Domain::Signed, 8},           {"s16", Domain::Signed, 16},
    {"s32", Domain::Signed, 32},         {"s64", Domain::Signed, 64},
    {"u1", Domain::Unsigned, 1},         {"u2", Domain::Unsigned, 2},
    {"u4", Domain::Unsigned, 4},         {"u8", Domain::Unsigned, 8},
    {"u16", Domain::Unsigned, 16},       {"u32", Domain::Unsigned, 32},
    {"u64", Domain::Unsigned, 64},       {"f4e2m1fn", Domain::Float, 4},
    {"f6e2m3fn", Domain::Float, 6},      {"f6e3m2fn", Domain::Float, 6},
    {"f8e3m4", Domain::Float, 8},        {"f8e4m3", Domain::Float, 8},
    {"f8e4m3fn", Domain::Float, 8},      {"f8e4m3fnuz", Domain::Float, 8},
    {"f8e4m3b11fnuz", Domain::Float, 8}, {"f8e5m2", Domain::Float, 8},
    {"f8e5m2fnuz", Domain::Float, 8},    {"f8e8m0fnu", Domain::Float, 8},
    {"f16", Domain::Float, 16},          {"bf16", Domain::Float, 16},
    {"f32", Domain::Float, 32},          {"f64", Domain::Float, 64},
    {"c64", Domain::Complex, 64},        {"c128", Domain::Complex, 128},
};

static const Description &describe(ElementType type) { return kTypes[size_t(type)]; }

Domain getDomain(ElementType type) { return describe(type).domain; }
int getBits(ElementType type) { return describe(type).bits; }
int getBytes(ElementType type) { return (describe(type).bits + 7) / 8; }
StringRef getName(ElementType type) { return describe(type).name; }

ElementType getReal(ElementType type) {
  if (type == ElementType::C64)
    return ElementType::F32;
  return type == ElementType::C128 ? ElementType::F64 : type;
}

std::optional<ElementType> parseElementType(StringRef name) {
  for (auto [index, type] : llvm::enumerate(kTypes))
    if (type.name == name)
      return ElementType(index);
  return std::nullopt;
}

std::optional<ElementType> getElementType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementType::C64;
    return complex.getElementType().isF64() ? std::optional(ElementType::C128) : std::nullopt;
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isSignless() && integer.getWidth() == 1)
      return ElementType::PRED;
    return parseElementType((integer.isUnsigned() ? "u" : "s") +
                            std::to_string(integer.getWidth()));
  }
  if (!isa<FloatType>(type))
    return std::nullopt;
  // MLIR spells the floats of HLO in capitals: f8E4M3FN.
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return parseElementType(StringRef(name).lower());
}

Type getMlirType(MLIRContext *context, ElementType type) {
  switch (type) {
  case ElementType::PRED:
    return IntegerType::get(context, 1);
  case ElementType::S1:
    return IntegerType::get(context, 1, IntegerType::Signed);
  case ElementType::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  case ElementType::F6E2M3FN:
    return Float6E2M3FNType::get(context);
  case ElementType::F6E3M2FN:
    return Float6E3M2FNType::get(context);
  case ElementType::F8E3M4:
    return Float8E3M4Type::get(context);
  case ElementType::F8E4M3:
    return Float8E4M3Type::get(context);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementType::F8E4M3B11FNUZ:
    return Float8E4M3B11FNUZType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementType::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::C64:
    return ComplexType::get(Float32Type::get(context));
  case ElementType::C128:
    return ComplexType::get(Float64Type::get(context));
  default:
    break;
  }
  return IntegerType::get(context, getBits(type),
                          getDomain(type) == Domain::Unsigned ? IntegerType::Unsigned
                                                              : IntegerType::Signless);
}

} // namespace hloc::evaluator
