// SPDX-License-Identifier: Apache-2.0
// Literals as text.
#include "compiler/hlo/Literal.h"
#include "compiler/text/PrintValues.h"
#include "compiler/text/Shape.h"
#include "llvm/ADT/APFloat.h"
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace hloc::hlo;
using llvm::APFloat;
using llvm::APInt;

namespace hloc::text {
namespace {

/// Prints the elements of one array.
class ElementPrinter {
public:
  ElementPrinter(Type type, raw_ostream &out) : out(out) {
    if (auto complex = dyn_cast<ComplexType>(type)) {
      isComplex = true;
      type = complex.getElementType();
    }
    bytes = getLiteralElementBytes(type);
    if (auto integer = dyn_cast<IntegerType>(type)) {
      isUnsigned = integer.isUnsigned();
      isBool = integer.isSignless() && integer.getWidth() == 1;
      width = integer.getWidth();
    } else {
      semantics = &cast<FloatType>(type).getFloatSemantics();
      width = cast<FloatType>(type).getWidth();
    }
  }

  void print(const char *element, bool scalar) {
    if (!isComplex)
      return printPart(element, scalar);
    out << '(';
    printPart(element, true);
    out << ", ";
    printPart(element + bytes, true);
    out << ')';
  }

private:
  void printPart(const char *element, bool scalar) {
    uint64_t bits = 0;
    memcpy(&bits, element, bytes);
    if (semantics)
      return printFloat(bits);
    char text[24];
    if (isBool && scalar) {
      out << (bits ? "true" : "false");
      return;
    }
    bits &= ~uint64_t(0) >> (64 - width);
    int64_t value = bits;
    if (!isUnsigned && !isBool)
      value = int64_t(bits << (64 - width)) >> (64 - width);
    auto end = isUnsigned ? std::to_chars(text, std::end(text), bits)
                          : std::to_chars(text, std::end(text), value);
    out.write(text, end.ptr - text);
  }

  void printFloat(uint64_t bits) {
    if (width == 64) {
      double value = llvm::bit_cast<double>(bits);
      if (std::isfinite(value))
        return printNumber(value, out);
    }
    if (width == 32) {
      float value = llvm::bit_cast<float>(uint32_t(bits));
      if (std::isfinite(value))
        return printFloat32(value);
    }
    APFloat value(*semantics, APInt(width, bits));
    if (value.isNaN()) {
      out << (value.isNegative() ? "-nan" : "nan");
      uint64_t quiet =
          APFloat::getQNaN(*semantics, value.isNegative()).bitcastToAPInt().getZExtValue();
      uint64_t mask = (uint64_t(1) << (APFloat::semanticsPrecision(*semantics) - 1)) - 1;
      if (quiet != bits && APFloat::semanticsHasInf(*semantics))
        (out << "(0x").write_hex(bits & mask) << ')';
      return;
    }
    if (value.isInfinity()) {
      out << (value.isNegative() ? "-inf" : "inf");
      return;
    }
    // APFloat represents the smallest power of f8e8m0fnu as another one, and XLA rounds what is
    // above it to the next.
    if (APFloat::SemanticsToEnum(*semantics) == APFloat::S_Float8E8M0FNU)
      return printNumber(std::ldexp(1.0, int(bits) - 127), out);
    printFloat32(float(value.convertToDouble())); // exact
  }

  void printFloat32(float value) {
    char text[48];
    auto end = std::to_chars(text, std::end(text), value);
    // Readers round to a double first: print more digits in the rare case that this matters.
    double read;
    std::from_chars(text, end.ptr, read);
    if (float(read) != value)
      return printNumber(value, out);
    out.write(text, end.ptr - text);
    if (value == 0 && std::signbit(value))
      out << ".0"; // `-0` is the integer 0
  }

  raw_ostream &out;
  bool isComplex = false, isUnsigned = false, isBool = false;
  unsigned width = 0;
  int64_t bytes = 0;
  const llvm::fltSemantics *semantics = nullptr;
};

void printArray(ElementPrinter &printer, ArrayRef<int64_t> shape, const char *&element,
                int64_t elementBytes, bool scalar, raw_ostream &out) {
  if (shape.empty()) {
    printer.print(element, scalar);
    element += elementBytes;
    return;
  }
  out << '{';
  if (shape.size() > 1)
    out << ' ';
  for (int64_t i = 0; i < shape[0]; ++i) {
    if (i)
      out << ", ";
    printArray(printer, shape.drop_front(), element, elementBytes, false, out);
  }
  if (shape.size() > 1)
    out << ' ';
  out << '}';
}

} // namespace

void printNumber(double value, raw_ostream &out) {
  char text[48];
  auto end = std::to_chars(text, std::end(text), value);
  out.write(text, end.ptr - text);
  if (value == 0 && std::signbit(value))
    out << ".0";
}

void printLiteral(Attribute value, Type type, bool elided, raw_ostream &out) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    out << "( ";
    for (auto [i, element] : llvm::enumerate(cast<ArrayAttr>(value))) {
      if (i)
        out << ", ";
      printLiteral(element, tuple.getType(i), elided, out);
    }
    out << " )";
    return;
  }
  auto elements = cast<ElementsAttr>(value);
  auto shape = cast<RankedTensorType>(elements.getType()).getShape();
  if (elided && !shape.empty()) {
    out << "{...}";
    return;
  }
  SmallVector<char> storage;
  const char *bytes = getLiteralBytes(elements, storage).data();
  ElementPrinter printer(elements.getElementType(), out);
  printArray(printer, shape, bytes, getLiteralElementBytes(elements.getElementType()), true, out);
}

} // namespace hloc::text
