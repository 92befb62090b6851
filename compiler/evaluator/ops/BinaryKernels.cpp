// SPDX-License-Identifier: Apache-2.0
// Binary elementwise operations on pred, integers and floats.
#include "compiler/evaluator/ops/ElementKernels.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

//===- Floats --------------------------------------------------------------===//

template <auto function>
static void mapFloats(const KernelInfo &, const Scalar *const *operands, Scalar *results,
                      int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    results[i].f = function(operands[0][i].f, operands[1][i].f);
}

/// A function of floats that is computed in more digits than the type has.
template <auto function> static KernelFunction chooseWiderBinary(ElementType type) {
  if (type == ElementType::F64)
    return mapFloats<[](double x, double y) {
      return double(function((long double)(x), (long double)(y)));
    }>;
  return mapFloats<[](double x, double y) { return double(function(x, y)); }>;
}

/// NaN if either operand is; -0 is less than +0.
static double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? x : y;
  return x > y || (x == y && !std::signbit(x)) ? x : y;
}
static double minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? x : y;
  return x < y || (x == y && std::signbit(x)) ? x : y;
}

static KernelFunction getBinaryFloatKernel(Operation *op, ElementType type) {
  using Result = KernelFunction;
  return TypeSwitch<Operation *, Result>(op)
      .Case<AddOp>(
          [](auto) -> Result { return mapFloats<[](double x, double y) { return x + y; }>; })
      .Case<SubtractOp>(
          [](auto) -> Result { return mapFloats<[](double x, double y) { return x - y; }>; })
      .Case<MultiplyOp>(
          [](auto) -> Result { return mapFloats<[](double x, double y) { return x * y; }>; })
      .Case<DivideOp>(
          [](auto) -> Result { return mapFloats<[](double x, double y) { return x / y; }>; })
      .Case<RemainderOp>([](auto) -> Result {
        return mapFloats<[](double x, double y) { return std::fmod(x, y); }>;
      })
      .Case<MaximumOp>([](auto) -> Result { return mapFloats<maximum>; })
      .Case<MinimumOp>([](auto) -> Result { return mapFloats<minimum>; })
      .Case<PowerOp>([&](auto) {
        return chooseWiderBinary<[](auto x, auto y) { return std::pow(x, y); }>(type);
      })
      .Case<Atan2Op>([&](auto) {
        return chooseWiderBinary<[](auto y, auto x) { return std::atan2(y, x); }>(type);
      })
      .Case<ComplexOp>([](auto) -> Result {
        return mapBinary<[](Scalar re, Scalar im) { return Scalar::ofComplex(re.f, im.f); }>;
      })
      .Default([](auto) { return nullptr; });
}

//===- Integers ------------------------------------------------------------===//

/// A kernel from a function of two scalars and the type's width.
template <auto function>
static void mapWithBits(const KernelInfo &info, const Scalar *const *operands, Scalar *results,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    results[i] = function(operands[0][i], operands[1][i], getBits(info.operand));
}

/// The low `bits` of a value; shift amounts are unsigned for all types.
static uint64_t maskTo(int bits, uint64_t value) { return value << (64 - bits) >> (64 - bits); }

static Scalar divideSigned(Scalar x, Scalar y, int) {
  if (y.i == 0)
    return Scalar::ofInt(-1);
  return Scalar::ofInt(y.i == -1 ? int64_t(0 - x.u) : x.i / y.i);
}
static Scalar divideUnsigned(Scalar x, Scalar y, int bits) {
  Scalar result;
  result.u = y.u == 0 ? maskTo(bits, ~uint64_t(0)) : x.u / y.u;
  return result;
}
static Scalar remainderSigned(Scalar x, Scalar y, int) {
  if (y.i == 0)
    return x;
  return Scalar::ofInt(y.i == -1 ? 0 : x.i % y.i);
}
static Scalar remainderUnsigned(Scalar x, Scalar y, int) {
  Scalar result;
  result.u = y.u == 0 ? x.u : x.u % y.u;
  return result;
}

static Scalar shiftLeft(Scalar x, Scalar y, int bits) {
  uint64_t amount = maskTo(bits, y.u);
  return Scalar::ofInt(amount >= uint64_t(bits) ? 0 : int64_t(x.u << amount));
}
static Scalar shiftRightLogical(Scalar x, Scalar y, int bits) {
  uint64_t amount = maskTo(bits, y.u);
  return Scalar::ofInt(amount >= uint64_t(bits) ? 0 : int64_t(maskTo(bits, x.u) >> amount));
}
static Scalar shiftRightArithmetic(Scalar x, Scalar y, int bits) {
  uint64_t amount = maskTo(bits, y.u);
  int64_t extended = int64_t(x.u << (64 - bits)) >> (64 - bits); // unsigned types too
  return Scalar::ofInt(extended >> (amount >= uint64_t(bits) ? bits - 1 : amount));
}

/// All bits of the exponent are used. A negative exponent gives 1 for base 1 and 0 otherwise; the 1
/// of s1 is its -1.
template <bool isSigned> static Scalar power(Scalar x, Scalar y, int bits) {
  if (isSigned && y.i < 0)
    return Scalar::ofInt(x.i == (bits == 1 ? -1 : 1));
  uint64_t result = 1, base = x.u;
  for (uint64_t exponent = y.u; exponent; exponent >>= 1) {
    if (exponent & 1)
      result *= base;
    base *= base;
  }
  return Scalar::ofInt(int64_t(result));
}

static Scalar multiplyHighSigned(Scalar x, Scalar y, int bits) {
  return Scalar::ofInt(int64_t((__int128(x.i) * y.i) >> bits));
}
static Scalar multiplyHighUnsigned(Scalar x, Scalar y, int bits) {
  return Scalar::ofInt(int64_t(uint64_t(((unsigned __int128)(x.u) * y.u) >> bits)));
}

static KernelFunction getIntegerKernel(Operation *op, bool isSigned) {
  using Result = KernelFunction;
  return TypeSwitch<Operation *, Result>(op)
      .Case<AddOp>([](auto) -> Result {
        return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(int64_t(x.u + y.u)); }>;
      })
      .Case<SubtractOp>([](auto) -> Result {
        return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(int64_t(x.u - y.u)); }>;
      })
      .Case<MultiplyOp>([](auto) -> Result {
        return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(int64_t(x.u * y.u)); }>;
      })
      .Case<AndOp>([](auto) -> Result {
        return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(x.i & y.i); }>;
      })
      .Case<OrOp>([](auto) -> Result {
        return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(x.i | y.i); }>;
      })
      .Case<XorOp>([](auto) -> Result {
        return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(x.i ^ y.i); }>;
      })
      .Case<DivideOp>([&](auto) -> Result {
        return isSigned ? mapWithBits<divideSigned> : mapWithBits<divideUnsigned>;
      })
      .Case<RemainderOp>([&](auto) -> Result {
        return isSigned ? mapWithBits<remainderSigned> : mapWithBits<remainderUnsigned>;
      })
      .Case<MulhiOp>([&](auto) -> Result {
        return isSigned ? mapWithBits<multiplyHighSigned> : mapWithBits<multiplyHighUnsigned>;
      })
      .Case<PowerOp>([&](auto) -> Result {
        return isSigned ? mapWithBits<power<true>> : mapWithBits<power<false>>;
      })
      .Case<ShiftLeftOp>([](auto) -> Result { return mapWithBits<shiftLeft>; })
      .Case<ShiftRightLogicalOp>([](auto) -> Result { return mapWithBits<shiftRightLogical>; })
      .Case<ShiftRightArithmeticOp>(
          [](auto) -> Result { return mapWithBits<shiftRightArithmetic>; })
      .Case<MaximumOp>([&](auto) -> Result {
        if (isSigned)
          return mapBinary<[](Scalar x, Scalar y) { return x.i >= y.i ? x : y; }>;
        return mapBinary<[](Scalar x, Scalar y) { return x.u >= y.u ? x : y; }>;
      })
      .Case<MinimumOp>([&](auto) -> Result {
        if (isSigned)
          return mapBinary<[](Scalar x, Scalar y) { return x.i <= y.i ? x : y; }>;
        return mapBinary<[](Scalar x, Scalar y) { return x.u <= y.u ? x : y; }>;
      })
      .Default([](auto) { return nullptr; });
}

/// For pred, addition is or, multiplication is and.
static KernelFunction getPredKernel(Operation *op) {
  if (isa<AddOp, OrOp, MaximumOp>(op))
    return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(x.i | y.i); }>;
  if (isa<MultiplyOp, AndOp, MinimumOp>(op))
    return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(x.i & y.i); }>;
  if (isa<XorOp>(op))
    return mapBinary<[](Scalar x, Scalar y) { return Scalar::ofInt(x.i ^ y.i); }>;
  return nullptr;
}

KernelFunction getBinaryKernel(Operation *op, ElementType operand) {
  switch (getDomain(operand)) {
  case Domain::Pred:
    return getPredKernel(op);
  case Domain::Float:
    return getBinaryFloatKernel(op, operand);
  case Domain::Complex:
    return getComplexBinaryKernel(op, operand);
  default:
    return getIntegerKernel(op, getDomain(operand) == Domain::Signed);
  }
}

} // namespace hloc::evaluator
