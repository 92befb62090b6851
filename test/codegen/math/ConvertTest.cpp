// SPDX-License-Identifier: Apache-2.0
// Conversions against the definition of each format: the value of every code, and the nearest of
// all values.
#include "codegen/math/FloatFormat.h"
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace hloc;
using namespace hloc::test;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

struct Narrow {
  const char *name;
  mlir::FloatType (*type)(mlir::MLIRContext *);
};

template <typename T> mlir::FloatType get(mlir::MLIRContext *context) { return T::get(context); }

const Narrow formats[] = {
    {"f8E5M2", get<mlir::Float8E5M2Type>},
    {"f8E4M3", get<mlir::Float8E4M3Type>},
    {"f8E3M4", get<mlir::Float8E3M4Type>},
    {"f8E4M3FN", get<mlir::Float8E4M3FNType>},
    {"f8E5M2FNUZ", get<mlir::Float8E5M2FNUZType>},
    {"f8E4M3FNUZ", get<mlir::Float8E4M3FNUZType>},
    {"f8E4M3B11FNUZ", get<mlir::Float8E4M3B11FNUZType>},
    {"f8E8M0FNU", get<mlir::Float8E8M0FNUType>},
    {"f6E3M2FN", get<mlir::Float6E3M2FNType>},
    {"f6E2M3FN", get<mlir::Float6E2M3FNType>},
    {"f4E2M1FN", get<mlir::Float4E2M1FNType>},
    {"f16", get<mlir::Float16Type>},
    {"bf16", get<mlir::BFloat16Type>},
};

void PrintTo(const Narrow &f, std::ostream *os) { *os << f.name; }

/// The value of a code, from the definition.
double valueOf(unsigned code, const FloatFormat &f) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.mantissaBits == 0)
    return code == 0xff ? nan : std::ldexp(1.0, int(code) - 127);
  unsigned signBit = 1u << (f.width - 1);
  unsigned magnitude = code & (signBit - 1);
  double sign = code & signBit ? -1 : 1;
  if (f.special == FloatFormat::NegativeZeroIsNan && code == signBit)
    return nan;
  if (int(magnitude) > f.maxCode)
    return f.special == FloatFormat::Ieee && int(magnitude) == f.maxCode + 1
               ? sign * std::numeric_limits<double>::infinity()
               : nan;
  int exponent = int(magnitude >> f.mantissaBits);
  unsigned mantissa = magnitude & ((1u << f.mantissaBits) - 1);
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - f.bias - int(f.mantissaBits));
  return sign *
         std::ldexp(mantissa + (1u << f.mantissaBits), exponent - f.bias - int(f.mantissaBits));
}

/// The code nearest to x, of two the even one; NaN as XLA has it.
unsigned nearestCode(double x, const FloatFormat &f) {
  unsigned signBit = 1u << (f.width - 1);
  bool negative = std::signbit(x);
  double a = std::abs(x);
  if (f.mantissaBits == 0) {
    if (!(x > 0) || std::isinf(x))
      return 0xff;
    if (x <= std::ldexp(1.0, -127))
      return 0;
    if (x < std::ldexp(1.0, -126))
      return 1;
    int e = std::ilogb(x);
    double m = std::ldexp(x, -e);
    return std::min(e + 127 + (m >= 1.5), 0xff);
  }
  unsigned overflow = f.maxCode + 1;
  if (std::isnan(x)) {
    switch (f.special) {
    case FloatFormat::Finite:
      return signBit;
    case FloatFormat::NegativeZeroIsNan:
      return signBit;
    case FloatFormat::NanOnly:
      return overflow | (negative ? signBit : 0);
    case FloatFormat::Ieee:
      return overflow | (1u << (f.mantissaBits - 1)) | (negative ? signBit : 0);
    }
  }
  // Among the finite codes by bisection; the next one counts as if it were a number.
  unsigned low = 0, high = f.maxCode;
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    (valueOf(middle, f) <= a ? low : high) = middle;
  }
  if (valueOf(high, f) <= a)
    low = high;
  double below = valueOf(low, f);
  double above =
      int(low) == f.maxCode ? below + (below - valueOf(low - 1, f)) : valueOf(low + 1, f);
  unsigned code = low;
  // Halfway between neighbours is exact in double.
  double middle = below + (above - below) / 2;
  if (a > middle || (a == middle && low % 2))
    ++code;
  if (int(code) > f.maxCode && f.special == FloatFormat::Finite)
    code = f.maxCode;
  if (f.special == FloatFormat::NegativeZeroIsNan)
    return int(code) > f.maxCode ? signBit : code | (negative && code ? signBit : 0);
  return code | (negative ? signBit : 0);
}

class NarrowFloats : public testing::TestWithParam<Narrow> {
protected:
  mlir::MLIRContext context;
  FloatFormat format() { return getFloatFormat(GetParam().type(&context)); }
};

/// Between the register form of `format` and i16.
Value fromI16(ImplicitLocOpBuilder &b, Value x, unsigned width) {
  if (width == 16)
    return x;
  mlir::Type type = mlir::cast<mlir::VectorType>(x.getType()).clone(b.getIntegerType(width));
  return mlir::arith::TruncIOp::create(b, type, x);
}
Value toI16(ImplicitLocOpBuilder &b, Value x, unsigned width) {
  if (width == 16)
    return x;
  mlir::Type type = mlir::cast<mlir::VectorType>(x.getType()).clone(b.getI16Type());
  return mlir::arith::ExtUIOp::create(b, type, x);
}

TEST_P(NarrowFloats, DecodeEveryCode) {
  FloatFormat f = format();
  Kernel kernel({Element::I16}, {Element::F32}, 16,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{emitDecodeFloat(b, fromI16(b, x[0], f.width),
                                                                  GetParam().type(b.getContext()))};
                });
  std::vector<uint16_t> in(65536);
  std::vector<float> out(65536);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = i;
  kernel.run({in.data()}, {out.data()}, in.size());
  for (unsigned i = 0; i < 1u << f.width; ++i) {
    double expected = valueOf(i, f);
    EXPECT_TRUE(std::isnan(expected)
                    ? std::isnan(out[i])
                    : std::bit_cast<uint64_t>(double(out[i])) == std::bit_cast<uint64_t>(expected))
        << "code " << i << " is " << expected << ", not " << out[i];
  }
}

TEST_P(NarrowFloats, EncodeSingle) {
  FloatFormat f = format();
  Kernel kernel({Element::F32}, {Element::I16}, 16,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{
                      toI16(b, emitEncodeFloat(b, x[0], GetParam().type(b.getContext())), f.width)};
                });
  std::vector<float> in;
  // A sample of all bit patterns, every tie and its neighbours.
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 8191)
    in.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (int code = 0; code < f.maxCode; ++code) {
    float tie = (valueOf(code, f) + valueOf(code + 1, f)) / 2;
    for (float x :
         {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY), float(valueOf(code, f))}) {
      in.push_back(x);
      in.push_back(-x);
    }
  }
  for (float x : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, -NAN, 1e-45f, -1e-45f, 3.4e38f})
    in.push_back(x);
  in.resize(in.size() / 16 * 16 + 16);
  std::vector<uint16_t> out(in.size());
  kernel.run({in.data()}, {out.data()}, in.size());
  int shown = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned expected = nearestCode(in[i], f);
    bool same = out[i] == expected ||
                (std::isnan(in[i]) && f.width == 16 && std::isnan(valueOf(out[i], f)));
    if (!same && shown++ < 10)
      ADD_FAILURE() << in[i] << " gives " << out[i] << ", not " << expected;
  }
}

TEST_P(NarrowFloats, EncodeDoubleRoundsOnce) {
  FloatFormat f = format();
  Kernel kernel({Element::F64}, {Element::I16}, 8,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{
                      toI16(b, emitEncodeFloat(b, x[0], GetParam().type(b.getContext())), f.width)};
                });
  std::vector<double> in = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e300, -1e300, 1e-300};
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    int code = random() % f.maxCode;
    double tie = (valueOf(code, f) + valueOf(code + 1, f)) / 2;
    for (double x : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, INFINITY),
                     std::bit_cast<double>(uint64_t(random()))})
      in.push_back(random() % 2 ? x : -x);
  }
  in.resize(in.size() / 8 * 8);
  std::vector<uint16_t> out(in.size());
  kernel.run({in.data()}, {out.data()}, in.size());
  int shown = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned expected = nearestCode(in[i], f);
    bool same = out[i] == expected ||
                (std::isnan(in[i]) && f.width == 16 && std::isnan(valueOf(out[i], f)));
    if (!same && shown++ < 10)
      ADD_FAILURE() << in[i] << " gives " << out[i] << ", not " << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(All, NarrowFloats, testing::ValuesIn(formats),
                         [](const auto &info) { return std::string(info.param.name); });

template <typename Float, typename Int> void checkToInt() {
  constexpr bool single = sizeof(Float) == 4;
  constexpr unsigned width = 8 * sizeof(Int);
  constexpr bool isSigned = std::is_signed_v<Int>;
  Element out = width == 8    ? Element::I8
                : width == 16 ? Element::I16
                : width == 32 ? Element::I32
                              : Element::I64;
  Kernel kernel({single ? Element::F32 : Element::F64}, {out}, 8,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  mlir::Type from =
                      single ? mlir::Type(b.getF32Type()) : mlir::Type(b.getF64Type());
                  mlir::Type to =
                      isSigned ? b.getIntegerType(width) : b.getIntegerType(width, false);
                  return llvm::SmallVector<Value>{emitConvert(b, x[0], from, to)};
                });
  std::vector<Float> in = {0,
                           Float(-0.0),
                           0.5,
                           -0.5,
                           0.99,
                           -0.99,
                           1,
                           -1,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           std::numeric_limits<Float>::max(),
                           std::numeric_limits<Float>::lowest()};
  for (unsigned bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
    Float edge = std::ldexp(Float(1), bits);
    for (Float x : {edge, edge - 1, edge + 1, std::nextafter(edge, Float(0)),
                    std::nextafter(edge, Float(INFINITY)), edge - Float(0.5)}) {
      in.push_back(x);
      in.push_back(-x);
    }
  }
  std::mt19937_64 random(1);
  while (in.size() < 4096)
    in.push_back(std::ldexp(Float(random()), -int(random() % 64)) * (random() % 2 ? 1 : -1));
  std::vector<Int> result(in.size());
  kernel.run({in.data()}, {result.data()}, in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    using Limits = std::numeric_limits<Int>;
    Int expected = std::isnan(in[i])                               ? Int(0)
                   : in[i] >= std::ldexp(Float(1), Limits::digits) ? Limits::max()
                   : in[i] <= Float(Limits::min())                 ? Limits::min()
                                                                   : Int(in[i]);
    EXPECT_EQ(result[i], expected) << "from " << in[i];
  }
}

TEST(FloatToInt, Saturates) {
  checkToInt<float, int8_t>();
  checkToInt<float, uint8_t>();
  checkToInt<float, int16_t>();
  checkToInt<float, uint16_t>();
  checkToInt<float, int32_t>();
  checkToInt<float, uint32_t>();
  checkToInt<float, int64_t>();
  checkToInt<float, uint64_t>();
  checkToInt<double, int8_t>();
  checkToInt<double, uint8_t>();
  checkToInt<double, int32_t>();
  checkToInt<double, uint32_t>();
  checkToInt<double, int64_t>();
  checkToInt<double, uint64_t>();
}

TEST(IntToFloat, RoundsOnceToBfloat) {
  Kernel kernel(
      {Element::I64}, {Element::I16}, 8, [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
        return llvm::SmallVector<Value>{emitConvert(b, x[0], b.getI64Type(), b.getBF16Type())};
      });
  std::vector<int64_t> in;
  std::mt19937_64 random(1);
  while (in.size() < 8192) {
    // Ties of 8 digits, and one above and below.
    int64_t tie = int64_t(random() % 256 + 256) | 1;
    tie <<= 9 + random() % 45;
    in.push_back((tie + int64_t(random() % 3) - 1) * (random() % 2 ? 1 : -1));
  }
  std::vector<uint16_t> out(in.size());
  kernel.run({in.data()}, {out.data()}, in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    uint64_t a = in[i] < 0 ? -in[i] : in[i];
    int drop = 63 - std::countl_zero(a) - 7;
    uint64_t kept = a >> drop, rest = a & ((uint64_t(1) << drop) - 1),
             half = uint64_t(1) << (drop - 1);
    kept += rest > half || (rest == half && kept % 2);
    float expected = std::ldexp(float(kept), drop) * (in[i] < 0 ? -1 : 1);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(out[i]) << 16), expected) << in[i];
  }
}

/// HLO's definition, on the bits of an f32.
float reduced(float x, int exponentBits, int mantissaBits) {
  if (std::isnan(x))
    return x;
  double rounded = x;
  if (mantissaBits < 23 && x != 0 && !std::isinf(x)) {
    int unit = std::max(std::ilogb(x), -126) - mantissaBits;
    // Subnormal numbers are cut at the same bit as the least normal ones.
    rounded = std::ldexp(std::nearbyint(std::ldexp(double(x), -unit)), unit);
  }
  int limit = (1 << (exponentBits - 1)) - 1;
  if (exponentBits < 8) {
    if (std::abs(rounded) >= std::ldexp(1.0, limit + 1))
      return std::copysign(INFINITY, x);
    if (std::abs(rounded) < std::ldexp(1.0, 1 - limit))
      return std::copysign(0.0f, x);
  }
  return float(rounded);
}

TEST(ReducePrecision, MatchesDefinition) {
  for (auto [exponent, mantissa] :
       {std::pair{5, 10}, {8, 7}, {8, 0}, {4, 3}, {2, 1}, {8, 23}, {1, 0}, {5, 23}}) {
    Kernel kernel({Element::F32}, {Element::F32}, 16,
                  [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                    return llvm::SmallVector<Value>{
                        emitReducePrecision(b, x[0], b.getF32Type(), exponent, mantissa)};
                  });
    std::vector<float> in = {0, -0.0f, INFINITY, -INFINITY, NAN};
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 65521)
      in.push_back(std::bit_cast<float>(uint32_t(bits)));
    in.resize(in.size() / 16 * 16);
    std::vector<float> out(in.size());
    kernel.run({in.data()}, {out.data()}, in.size());
    int shown = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      float expected = reduced(in[i], exponent, mantissa);
      bool same = std::isnan(expected)
                      ? std::isnan(out[i])
                      : std::bit_cast<uint32_t>(out[i]) == std::bit_cast<uint32_t>(expected);
      if (!same && shown++ < 5)
        ADD_FAILURE() << "e" << exponent << "m" << mantissa << " of " << in[i] << " is " << out[i]
                      << ", not " << expected;
    }
  }
}

TEST(StochasticConvert, RoundsUpBelowTheFraction) {
  Kernel kernel({Element::F32, Element::I32}, {Element::I8}, 16,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{
                      emitStochasticConvert(b, x[0], x[1], b.getF32Type(), b.getI8Type())};
                });
  std::vector<float> in = {1.25f, 1.25f, -1.25f, -1.25f, 127.5f, -128.5f, INFINITY, -INFINITY,
                           NAN,   0,     0.5f,   0.5f,   -0.5f,  3,       3.999f,   1e10f};
  std::vector<uint32_t> random = {0x3fffffff, 0x40000000, 0x3fffffff, 0x40000000, 0, 0, 0, 0,
                                  0,          0,          0x7fffffff, 0x80000000, 0, 0, 0, 0};
  std::vector<int8_t> expected = {2, 1, -2, -1, 127, -128, 127, -128, 0, 0, 1, 0, -1, 3, 4, 127};
  std::vector<int8_t> out(16);
  kernel.run({in.data(), random.data()}, {out.data()}, 16);
  EXPECT_EQ(out, expected);
}

} // namespace
