// SPDX-License-Identifier: Apache-2.0
// Complex functions against the C++ library's in a wider type: distance relative to the greater of
// the result's parts, over random magnitudes and angles.
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <random>

using namespace hloc;
using namespace hloc::test;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

using Number = std::complex<long double>;

struct Function {
  const char *name;
  ComplexValue (*emit)(ImplicitLocOpBuilder &, ComplexValue, ComplexValue);
  Number (*define)(Number, Number);
  double bound;      // in half units of the last place
  double range = 10; // of the parts' magnitudes
};

void PrintTo(const Function &f, std::ostream *os) { *os << f.name; }

template <ComplexValue (*emit)(ImplicitLocOpBuilder &, ComplexValue)>
ComplexValue unary(ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue) {
  return emit(b, x);
}
template <Number (*define)(const Number &)> Number of(Number x, Number) { return define(x); }

Number expm1Of(Number z, Number) {
  long double half = sinl(z.imag() / 2);
  return {expm1l(z.real()) * cosl(z.imag()) - 2 * half * half, expl(z.real()) * sinl(z.imag())};
}
Number log1pOf(Number z, Number) {
  long double x = z.real(), y = z.imag(), size = std::abs(Number(1) + z);
  return {size < 2 ? log1pl(x * (2 + x) + y * y) / 2 : logl(size), atan2l(y, 1 + x)};
}

const Function functions[] = {
    {"abs",
     [](ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue) {
       return ComplexValue{emitComplexAbs(b, x), x.im};
     },
     [](Number x, Number) { return Number(std::abs(x), x.imag()); }, 3, 1e38},
    {"divide", emitComplexDivide, [](Number x, Number y) { return x / y; }, 4, 1e18},
    {"sqrt", unary<emitComplexSqrt>, of<std::sqrt>, 4, 1e38},
    {"rsqrt", unary<emitComplexRsqrt>, [](Number x, Number) { return Number(1) / std::sqrt(x); }, 6,
     1e38},
    {"sign", unary<emitComplexSign>,
     [](Number x, Number) { return std::abs(x) > 0 ? x / std::abs(x) : x; }, 4, 1e38},
    {"exp", unary<emitComplexExp>, of<std::exp>, 6},
    {"expm1", unary<emitComplexExpm1>, expm1Of, 8},
    {"log", unary<emitComplexLog>, of<std::log>, 5, 1e38},
    {"log1p", unary<emitComplexLog1p>, log1pOf, 5},
    {"sin", unary<emitComplexSin>, of<std::sin>, 6},
    {"cos", unary<emitComplexCos>, of<std::cos>, 6},
    {"tan", unary<emitComplexTan>, of<std::tan>, 12},
    {"tanh", unary<emitComplexTanh>, of<std::tanh>, 12},
    {"power", emitComplexPower, [](Number x, Number y) { return std::pow(x, y); }, 200, 3},
    {"cbrt", unary<emitComplexCbrt>,
     [](Number x, Number) { return std::polar(cbrtl(std::abs(x)), std::arg(x) / 3); }, 6, 1e38},
    {"logistic", unary<emitComplexLogistic>,
     [](Number x, Number) { return Number(1) / (Number(1) + std::exp(-x)); }, 12, 3},
};

class ComplexFunctions : public testing::TestWithParam<Function> {};

template <typename Float> void check(const Function &f) {
  using Limits = std::numeric_limits<Float>;
  constexpr bool single = sizeof(Float) == 4;
  constexpr size_t count = 1 << 16;
  std::vector<Float> parts[4], re(count), im(count);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (auto &part : parts)
    for (size_t i = 0; i < count; ++i)
      part.push_back(unit(random) * std::pow(f.range, unit(random)));
  Element e = single ? Element::F32 : Element::F64;
  Kernel kernel({e, e, e, e}, {e, e}, single ? 16 : 8,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange in) {
                  ComplexValue z = f.emit(b, {in[0], in[1]}, {in[2], in[3]});
                  return llvm::SmallVector<Value>{z.re, z.im};
                });
  kernel.run({parts[0].data(), parts[1].data(), parts[2].data(), parts[3].data()},
             {re.data(), im.data()}, count);
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    Number exact = f.define({parts[0][i], parts[1][i]}, {parts[2][i], parts[3][i]});
    long double size = std::max(std::abs(exact.real()), std::abs(exact.imag()));
    if (!(size < Limits::max()) || size < Limits::min() * 10)
      continue;
    double error = std::abs(exact - Number(re[i], im[i])) / size * 2 / Limits::epsilon();
    if (!(error <= worst))
      worst = error, at = i;
  }
  printf("%-10s %s %7.3f at (%a, %a) (%a, %a)\n", f.name, single ? "c64 " : "c128", worst,
         double(parts[0][at]), double(parts[1][at]), double(parts[2][at]), double(parts[3][at]));
  EXPECT_LE(worst, f.bound);
}

TEST_P(ComplexFunctions, SingleWithinBound) { check<float>(GetParam()); }
TEST_P(ComplexFunctions, DoubleWithinBound) { check<double>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, ComplexFunctions, testing::ValuesIn(functions),
                         [](const auto &info) { return std::string(info.param.name); });

struct Special {
  ComplexValue (*emit)(ImplicitLocOpBuilder &, ComplexValue, ComplexValue);
  std::complex<float> x, y, expected;
};

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(ComplexSpecialValues, AsInAnnexG) {
  const Special specials[] = {
      {unary<emitComplexExp>, {inf, 0}, {}, {inf, 0}},
      {unary<emitComplexExp>, {-inf, nan}, {}, {0, 0}},
      {unary<emitComplexExp>, {inf, inf}, {}, {inf, nan}},
      {unary<emitComplexExp>, {89, 1e-30f}, {}, {inf, 4.4896128e8f}},
      {unary<emitComplexLog>, {0, 0}, {}, {-inf, 0}},
      {unary<emitComplexLog>, {inf, nan}, {}, {inf, nan}},
      {unary<emitComplexLog>, {-1, -0.0f}, {}, {0, -3.14159274f}},
      {unary<emitComplexSqrt>, {nan, inf}, {}, {inf, inf}},
      {unary<emitComplexSqrt>, {-4, -0.0f}, {}, {0, -2}},
      {unary<emitComplexSqrt>, {0, 0}, {}, {0, 0}},
      {unary<emitComplexSqrt>, {-inf, 1}, {}, {0, inf}},
      {unary<emitComplexTanh>, {inf, 1}, {}, {1, 0}},
      {unary<emitComplexTanh>, {-inf, nan}, {}, {-1, 0}},
      {unary<emitComplexSign>, {0, 0}, {}, {0, 0}},
      {unary<emitComplexSign>, {3e38f, 3e38f}, {}, {0.707106769f, 0.707106769f}},
      {emitComplexDivide, {1, 1}, {0, 0}, {inf, inf}},
      {emitComplexDivide, {1, 0}, {inf, 1}, {0, -0.0f}},
      {emitComplexDivide, {3e38f, 3e38f}, {3e38f, 3e38f}, {1, 0}},
      {emitComplexDivide, {1e-45f, 0}, {1e-45f, 0}, {1, 0}},
      {emitComplexPower, {0, 0}, {0, 0}, {1, 0}},
      {emitComplexPower, {0, 0}, {2, 0}, {0, 0}},
      {emitComplexPower, {nan, 0}, {0, 0}, {1, 0}},
  };
  for (const Special &s : specials) {
    Element e = Element::F32;
    Kernel kernel({e, e, e, e}, {e, e}, 1, [&](ImplicitLocOpBuilder &b, mlir::ValueRange in) {
      ComplexValue z = s.emit(b, {in[0], in[1]}, {in[2], in[3]});
      return llvm::SmallVector<Value>{z.re, z.im};
    });
    float x[] = {s.x.real(), s.x.imag(), s.y.real(), s.y.imag()}, re, im;
    kernel.run({x, x + 1, x + 2, x + 3}, {&re, &im}, 1);
    auto same = [](float actual, float expected) {
      return std::isnan(expected)
                 ? std::isnan(actual)
                 : actual == expected || std::abs(actual - expected) < 1e-6 * std::abs(expected);
    };
    EXPECT_TRUE(same(re, s.expected.real()) && same(im, s.expected.imag()))
        << "case " << &s - specials << " of " << s.x << ", " << s.y << " gives " << re << ", " << im
        << ", not " << s.expected;
  }
}

/// Numbers of ordinary size, which go by plain formulas, and the same times a power of two, which
/// have to be scaled: the results are the same times a power of two.
template <typename Float> void compareWithScaled(const Function &f, int shift, int shiftOfResult) {
  constexpr size_t count = 1 << 12;
  constexpr Element e = sizeof(Float) == 4 ? Element::F32 : Element::F64;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Float> parts[4], scaled[4], re(count), im(count), scaledRe(count), scaledIm(count);
  for (int part = 0; part < 4; ++part)
    for (size_t i = 0; i < count; ++i) {
      parts[part].push_back(i % 16 == 0 ? 0 : unit(random) * std::exp2(30 * unit(random)));
      // Of a quotient the divisor stays.
      bool stays = part >= 2;
      scaled[part].push_back(stays ? parts[part][i] : std::ldexp(parts[part][i], shift));
    }
  Kernel kernel({e, e, e, e}, {e, e}, 8, [&](ImplicitLocOpBuilder &b, mlir::ValueRange in) {
    ComplexValue z = f.emit(b, {in[0], in[1]}, {in[2], in[3]});
    return llvm::SmallVector<Value>{z.re, z.im};
  });
  auto run = [&](std::vector<Float>(&in)[4], std::vector<Float> &real, std::vector<Float> &imag) {
    kernel.run({in[0].data(), in[1].data(), in[2].data(), in[3].data()}, {real.data(), imag.data()},
               count);
  };
  run(parts, re, im);
  run(scaled, scaledRe, scaledIm);
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(re[i]) || !std::isfinite(im[i])) // a divisor of zero
      continue;
    EXPECT_EQ(std::ldexp(re[i], shiftOfResult), scaledRe[i]) << f.name << " at " << i;
    if (std::string(f.name) != "abs")
      EXPECT_EQ(std::ldexp(im[i], shiftOfResult), scaledIm[i]) << f.name << " at " << i;
  }
}

TEST(ComplexScaling, ChangesNoBits) {
  for (const Function &f : functions) {
    std::string name = f.name;
    if (name != "abs" && name != "divide" && name != "sqrt" && name != "sign")
      continue;
    for (int up : {1, -1}) {
      auto ofResult = [&](int shift) {
        return name == "sign" ? 0 : name == "sqrt" ? shift / 2 : shift;
      };
      // Of an even number of bits, further than what is ordinary, and nothing becomes subnormal.
      int single = up * (up > 0 ? 76 : 46), wide = up * 640;
      compareWithScaled<float>(f, single, ofResult(single));
      compareWithScaled<double>(f, wide, ofResult(wide));
    }
  }
}

} // namespace
