// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Shape.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

Type getElementType(StringRef name, MLIRContext *context) {
  auto integer = [&](unsigned width, IntegerType::SignednessSemantics sign) -> Type {
    return IntegerType::get(context, width, sign);
  };
  if (name == "pred")
    return integer(1, IntegerType::Signless);
  if (name == "s1")
    return integer(1, IntegerType::Signed);
  unsigned width = 0;
  if (name.size() >= 2 && (name[0] == 's' || name[0] == 'u') &&
      !name.drop_front().getAsInteger(10, width))
    return integer(width, name[0] == 's' ? IntegerType::Signless : IntegerType::Unsigned);
  return StringSwitch<function_ref<Type()>>(name)
      .Case("f32", [&]() -> Type { return Float32Type::get(context); })
      .Case("f64", [&]() -> Type { return Float64Type::get(context); })
      .Case("f16", [&]() -> Type { return Float16Type::get(context); })
      .Case("bf16", [&]() -> Type { return BFloat16Type::get(context); })
      .Case("c64", [&]() -> Type { return ComplexType::get(Float32Type::get(context)); })
      .Case("c128", [&]() -> Type { return ComplexType::get(Float64Type::get(context)); })
      .Case("f8e5m2", [&]() -> Type { return Float8E5M2Type::get(context); })
      .Case("f8e4m3", [&]() -> Type { return Float8E4M3Type::get(context); })
      .Case("f8e4m3fn", [&]() -> Type { return Float8E4M3FNType::get(context); })
      .Case("f8e4m3b11fnuz", [&]() -> Type { return Float8E4M3B11FNUZType::get(context); })
      .Case("f8e5m2fnuz", [&]() -> Type { return Float8E5M2FNUZType::get(context); })
      .Case("f8e4m3fnuz", [&]() -> Type { return Float8E4M3FNUZType::get(context); })
      .Case("f8e3m4", [&]() -> Type { return Float8E3M4Type::get(context); })
      .Case("f4e2m1fn", [&]() -> Type { return Float4E2M1FNType::get(context); })
      .Case("f8e8m0fnu", [&]() -> Type { return Float8E8M0FNUType::get(context); })
      .Case("f6e2m3fn", [&]() -> Type { return Float6E2M3FNType::get(context); })
      .Case("f6e3m2fn", [&]() -> Type { return Float6E3M2FNType::get(context); })
      .Default([]() -> Type { return nullptr; })();
}

StringRef getElementName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return integer.isSignless() ? "pred" : isUnsigned ? "u1" : "s1";
    case 2:
      return isUnsigned ? "u2" : "s2";
    case 4:
      return isUnsigned ? "u4" : "s4";
    case 8:
      return isUnsigned ? "u8" : "s8";
    case 16:
      return isUnsigned ? "u16" : "s16";
    case 32:
      return isUnsigned ? "u32" : "s32";
    case 64:
      return isUnsigned ? "u64" : "s64";
    default:
      return "";
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32()   ? "c64"
           : complex.getElementType().isF64() ? "c128"
                                              : "";
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float64Type) { return "f64"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float8E5M2Type) { return "f8e5m2"; })
      .Case([](Float8E4M3Type) { return "f8e4m3"; })
      .Case([](Float8E4M3FNType) { return "f8e4m3fn"; })
      .Case([](Float8E4M3B11FNUZType) { return "f8e4m3b11fnuz"; })
      .Case([](Float8E5M2FNUZType) { return "f8e5m2fnuz"; })
      .Case([](Float8E4M3FNUZType) { return "f8e4m3fnuz"; })
      .Case([](Float8E3M4Type) { return "f8e3m4"; })
      .Case([](Float4E2M1FNType) { return "f4e2m1fn"; })
      .Case([](Float8E8M0FNUType) { return "f8e8m0fnu"; })
      .Case([](Float6E2M3FNType) { return "f6e2m3fn"; })
      .Case([](Float6E3M2FNType) { return "f6e3m2fn"; })
      .Default([](Type) { return ""; });
}

/// The properties of a layout after the colon.
static void printProperties(LayoutAttr layout, raw_ostream &out) {
  // `rest` contains D(..), L(n), #(..), *(..), which come before E and S, and SC, P, M, which come
  // after them.
  StringRef rest = layout.getRest() ? layout.getRest().getValue() : StringRef();
  auto takeProperty = [&](StringRef letter) {
    if (!rest.starts_with(letter) || rest.substr(letter.size(), 1) != "(")
      return;
    size_t depth = 0, end = letter.size();
    do {
      depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
      ++end;
    } while (depth && end < rest.size());
    out << rest.take_front(end);
    rest = rest.drop_front(end);
  };
  takeProperty("D");
  if (!layout.getTiles().empty())
    out << 'T';
  for (TileAttr tile : layout.getTiles()) {
    out << '(';
    llvm::interleave(
        tile.getDimensions(), out, [&](int64_t size) { size < 0 ? out << '*' : out << size; }, ",");
    out << ')';
  }
  takeProperty("L");
  takeProperty("#");
  takeProperty("*");
  if (layout.getElementBits())
    out << "E(" << layout.getElementBits() << ')';
  if (layout.getMemorySpace())
    out << "S(" << layout.getMemorySpace() << ')';
  out << rest;
}

static void printArray(RankedTensorType type, raw_ostream &out, bool layouts) {
  auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  out << getElementName(type.getElementType()) << '[';
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (i)
      out << ',';
    if (!ShapedType::isDynamic(size))
      out << size;
    else if (layout && i < layout.getBounds().size() && layout.getBounds()[i] >= 0)
      out << "<=" << layout.getBounds()[i];
    else
      out << '?';
  }
  out << ']';
  bool properties = layout && (!layout.getTiles().empty() || layout.getElementBits() ||
                               layout.getMemorySpace() || layout.getRest());
  if (!layouts || (type.getRank() == 0 && !properties))
    return;
  out << '{';
  if (layout)
    llvm::interleave(layout.getMinorToMajor(), out, ",");
  else
    for (int64_t i = type.getRank() - 1; i >= 0; --i)
      out << i << (i ? "," : "");
  if (properties) {
    out << ':';
    printProperties(layout, out);
  }
  out << '}';
}

bool printShape(Type type, raw_ostream &out, bool layouts) {
  if (auto array = dyn_cast<RankedTensorType>(type)) {
    if (getElementName(array.getElementType()).empty())
      return false;
    printArray(array, out, layouts);
    return true;
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    out << '(';
    for (auto [i, element] : llvm::enumerate(tuple.getTypes())) {
      if (i)
        out << ", ";
      if (!printShape(element, out, layouts))
        return false;
    }
    out << ')';
    return true;
  }
  if (auto buffer = dyn_cast<BufferType>(type)) {
    out << "b(";
    bool done = printShape(buffer.getContents(), out, layouts);
    out << ')';
    return done;
  }
  if (isa<TokenType>(type))
    out << "token[]";
  else if (isa<hlo::OpaqueType>(type))
    out << "opaque[]";
  else
    return false;
  return true;
}

std::string shapeText(Type type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  bool layout = false;
  type.walk([&](RankedTensorType array) {
    auto encoding = dyn_cast_or_null<LayoutAttr>(array.getEncoding());
    layout |= encoding && encoding.getBounds().empty();
  });
  if (!printShape(type, out, layout))
    out << type;
  return text;
}

bool areCompatible(Type a, Type b) {
  if (a == b)
    return true;
  if (auto left = dyn_cast<RankedTensorType>(a)) {
    auto right = dyn_cast<RankedTensorType>(b);
    if (!right || left.getElementType() != right.getElementType() ||
        left.getRank() != right.getRank())
      return false;
    auto bound = [](RankedTensorType type, int64_t i) {
      auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
      if (!type.isDynamicDim(i))
        return type.getDimSize(i);
      return layout && !layout.getBounds().empty() ? layout.getBounds()[i] : int64_t(-1);
    };
    for (int64_t i = 0; i < left.getRank(); ++i) {
      int64_t sizes[] = {bound(left, i), bound(right, i)};
      if (sizes[0] != sizes[1] && sizes[0] >= 0 && sizes[1] >= 0)
        return false;
    }
    return true;
  }
  auto left = dyn_cast<TupleType>(a), right = dyn_cast<TupleType>(b);
  if (left && right)
    return left.size() == right.size() &&
           llvm::all_of_zip(left.getTypes(), right.getTypes(), areCompatible);
  auto from = dyn_cast<BufferType>(a), to = dyn_cast<BufferType>(b);
  return from && to && areCompatible(from.getContents(), to.getContents());
}

} // namespace hloc::text
