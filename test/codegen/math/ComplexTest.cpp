// SPDX-License-Identifier: Apache-2.0
// Complex functions of f32 against the C library's in double: distance relative to the greater of
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

using Number = std::complex<double>;

struct Function {
  const char *name;
  ComplexValue (*emit)(ImplicitLocOpBuilder &, ComplexValue, ComplexValue);
  Number (*define)(Number, Number);
  double bound;      // in units of 2^-24
  double range = 10; // of the parts' magnitudes
};

void PrintTo(const Function &f, std::ostream *os) { *os << f.name; }

template <ComplexValue (*emit)(ImplicitLocOpBuilder &, ComplexValue)>
ComplexValue unary(ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue) {
  return emit(b, x);
}

Number expm1Of(Number z) {
  double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          std::exp(z.real()) * std::sin(z.imag())};
}
Number log1pOf(Number z) {
  double x = z.real(), y = z.imag();
  double re =
      std::abs(1.0 + z) < 2 ? 0.5 * std::log1p(x * (2 + x) + y * y) : std::log(std::abs(1.0 + z));
  return {re, std::atan2(y, 1 + x)};
}

const Function functions[] = {
    {"abs",
     [](ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue) {
       return ComplexValue{emitComplexAbs(b, x), x.im};
     },
     [](Number x, Number) { return Number(std::abs(x), x.imag()); }, 3, 1e38},
    {"divide", emitComplexDivide, [](Number x, Number y) { return x / y; }, 4, 1e18},
    {"sqrt", unary<emitComplexSqrt>, [](Number x, Number) { return std::sqrt(x); }, 4, 1e38},
    {"rsqrt", unary<emitComplexRsqrt>, [](Number x, Number) { return 1.0 / std::sqrt(x); }, 6,
     1e38},
    {"sign", unary<emitComplexSign>,
     [](Number x, Number) { return std::abs(x) ? x / std::abs(x) : x; }, 4, 1e38},
    {"exp", unary<emitComplexExp>, [](Number x, Number) { return std::exp(x); }, 6},
    {"expm1", unary<emitComplexExpm1>, [](Number x, Number) { return expm1Of(x); }, 8},
    {"log", unary<emitComplexLog>, [](Number x, Number) { return std::log(x); }, 5, 1e38},
    {"log1p", unary<emitComplexLog1p>, [](Number x, Number) { return log1pOf(x); }, 5},
    {"sin", unary<emitComplexSin>, [](Number x, Number) { return std::sin(x); }, 6},
    {"cos", unary<emitComplexCos>, [](Number x, Number) { return std::cos(x); }, 6},
    {"tan", unary<emitComplexTan>, [](Number x, Number) { return std::tan(x); }, 12},
    {"tanh", unary<emitComplexTanh>, [](Number x, Number) { return std::tanh(x); }, 12},
    {"power", emitComplexPower, [](Number x, Number y) { return std::pow(x, y); }, 200, 3},
    {"cbrt", unary<emitComplexCbrt>,
     [](Number x, Number) { return std::polar(std::cbrt(std::abs(x)), std::arg(x) / 3); }, 6, 1e38},
    {"logistic", unary<emitComplexLogistic>,
     [](Number x, Number) { return 1.0 / (1.0 + std::exp(-x)); }, 12, 3},
};

class ComplexFunctions : public testing::TestWithParam<Function> {};

TEST_P(ComplexFunctions, WithinBound) {
  const Function &f = GetParam();
  // Arrays of the four parts share inputs: two numbers, of which unary functions use the first.
  constexpr size_t count = 1 << 17;
  std::vector<float> parts[4];
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1), exponent(-1, 1);
  for (auto &part : parts)
    for (size_t i = 0; i < count; ++i)
      part.push_back(unit(random) * std::pow(f.range, exponent(random)));
  std::vector<float> re(count), im(count);
  Kernel kernel({Element::I64, Element::I64}, {Element::F32, Element::F32}, 16,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange in) {
                  auto split = [&](Value packed) { return unpackFloats(b, packed); };
                  auto [a, c] = split(in[0]);
                  auto [d, e] = split(in[1]);
                  ComplexValue z = f.emit(b, {a, c}, {d, e});
                  return llvm::SmallVector<Value>{z.re, z.im};
                });
  std::vector<float> first, second;
  for (size_t i = 0; i < count; ++i) {
    first.insert(first.end(), {parts[0][i], parts[1][i]});
    second.insert(second.end(), {parts[2][i], parts[3][i]});
  }
  kernel.run({first.data(), second.data()}, {re.data(), im.data()}, count);
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    Number exact = f.define({parts[0][i], parts[1][i]}, {parts[2][i], parts[3][i]});
    double size = std::max(std::abs(exact.real()), std::abs(exact.imag()));
    if (!(size < 3e38) || size < 1e-37)
      continue;
    double error = std::abs(exact - Number(re[i], im[i])) / size * 0x1p24;
    if (!(error <= worst))
      worst = error, at = i;
  }
  printf("%-10s c64 %7.3f at (%a, %a) (%a, %a)\n", f.name, worst, parts[0][at], parts[1][at],
         parts[2][at], parts[3][at]);
  EXPECT_LE(worst, f.bound);
}

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
    Kernel kernel({Element::F32, Element::F32, Element::I64}, {Element::F32, Element::F32}, 1,
                  [&](ImplicitLocOpBuilder &b, mlir::ValueRange in) {
                    auto [c, d] = unpackFloats(b, in[2]);
                    ComplexValue z = s.emit(b, {in[0], in[1]}, {c, d});
                    return llvm::SmallVector<Value>{z.re, z.im};
                  });
    float x = s.x.real(), y = s.x.imag(), re, im;
    kernel.run({&x, &y, &s.y}, {&re, &im}, 1);
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

} // namespace
