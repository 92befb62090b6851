// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers over the whole plane, each part separately, against the C++
// library's in long double: all pairs of special values, in which signs distinguish zeros and sides
// of branch cuts, and random numbers of every magnitude.
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"
#include "test/codegen/math/Ulp.h"

#include "gtest/gtest.h"

#include <complex>
#include <random>

using namespace hloc;
using namespace hloc::test;

namespace {

using Number = std::complex<long double>;

struct Function {
  const char *name;
  ComplexValue (*emit)(mlir::ImplicitLocOpBuilder &, ComplexValue);
  Number (*define)(const Number &);
  double bound; // of a part, in units of the last place
};

const Function functions[] = {
    {"acos", emitComplexAcos, std::acos, 4},    {"acosh", emitComplexAcosh, std::acosh, 4},
    {"asin", emitComplexAsin, std::asin, 4},    {"asinh", emitComplexAsinh, std::asinh, 4},
    {"atanh", emitComplexAtanh, std::atanh, 4}, {"cos", emitComplexCos, std::cos, 4},
    {"cosh", emitComplexCosh, std::cosh, 4},    {"sin", emitComplexSin, std::sin, 4},
    {"sinh", emitComplexSinh, std::sinh, 4},    {"exp", emitComplexExp, std::exp, 4},
};

template <typename Float> std::vector<Float> specialValues() {
  using Limits = std::numeric_limits<Float>;
  Float e = Limits::epsilon(), most = std::sqrt(Limits::max());
  std::vector<Float> values = {0,
                               Limits::denorm_min(),
                               Limits::min(),
                               std::sqrt(Limits::min()),
                               1 / most,
                               e * e,
                               e,
                               std::sqrt(e),
                               Float(0.1),
                               Float(0.5),
                               1 - e / 2,
                               1,
                               1 + e,
                               Float(1.5),
                               2,
                               Float(11.25),
                               60,
                               100,
                               700,
                               1 / e,
                               most,
                               Limits::max() / 2,
                               Limits::max(),
                               Limits::infinity(),
                               Limits::quiet_NaN()};
  for (size_t i = 0, count = values.size(); i < count; ++i)
    values.push_back(-values[i]);
  return values;
}

/// All pairs of special values, and random ones: one part of any magnitude, the other of any or of
/// one near that of the first or near 1.
template <typename Float> void fill(std::vector<Float> &re, std::vector<Float> &im) {
  for (Float x : specialValues<Float>())
    for (Float y : specialValues<Float>())
      re.push_back(x), im.push_back(y);
  std::mt19937_64 random(1);
  constexpr double digits = sizeof(Float) == 4 ? 38 : 300;
  std::uniform_real_distribution<double> exponent(-digits, digits), unit(-1, 1);
  auto power = [&](double e) { return Float(std::copysign(std::pow(10, e), unit(random))); };
  while (re.size() % 16 != 0 || re.size() < (1 << 18)) {
    double e = exponent(random);
    switch (re.size() % 4) {
    case 0:
      re.push_back(power(e)), im.push_back(power(exponent(random)));
      break;
    case 1:
      re.push_back(power(e)), im.push_back(power(e + unit(random)));
      break;
    case 2: // near 1 and -1
      re.push_back(std::copysign(Float(1), power(e)) + power(-std::abs(e) / digits * 20));
      im.push_back(power(-std::abs(e) / digits * 40 * unit(random)));
      break;
    case 3:
      re.push_back(power(2 * unit(random))), im.push_back(power(2 * unit(random)));
      break;
    }
  }
}

template <typename Float> void check(const Function &f) {
  std::vector<Float> x, y;
  fill(x, y);
  size_t count = x.size();
  std::vector<Float> re(count), im(count);
  constexpr bool single = sizeof(Float) == 4;
  Element e = single ? Element::F32 : Element::F64;
  Kernel kernel({e, e}, {e, e}, single ? 16 : 8,
                [&](mlir::ImplicitLocOpBuilder &b, mlir::ValueRange in) {
                  ComplexValue z = f.emit(b, {in[0], in[1]});
                  return llvm::SmallVector<mlir::Value>{z.re, z.im};
                });
  kernel.run({x.data(), y.data()}, {re.data(), im.data()}, count);
  double worst = 0;
  int faults = 0;
  for (size_t i = 0; i < count; ++i) {
    Number exact = f.define({x[i], y[i]}), actual(re[i], im[i]);
    // C leaves signs open where an angle is not known.
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      if (std::isnan(exact.real()) || std::isnan(exact.imag()) || exact == Number(0)) {
        exact = {std::abs(exact.real()), std::abs(exact.imag())};
        actual = {std::abs(actual.real()), std::abs(actual.imag())};
      }
    }
    double error = std::max(ulpError<Float>(Float(actual.real()), exact.real()),
                            ulpError<Float>(Float(actual.imag()), exact.imag()));
    if (error > f.bound && ++faults <= 10)
      ADD_FAILURE() << f.name << "(" << x[i] << ", " << y[i] << ") is (" << exact.real() << ", "
                    << exact.imag() << ") and not (" << re[i] << ", " << im[i] << "): off by "
                    << error << " ulp";
    worst = std::max(worst, error);
  }
  printf("%-6s %s %.3f ulp\n", f.name, single ? "c64 " : "c128", worst);
  EXPECT_EQ(faults, 0);
}

class ComplexPlane : public testing::TestWithParam<Function> {};

TEST_P(ComplexPlane, SingleWithinBound) { check<float>(GetParam()); }
TEST_P(ComplexPlane, DoubleWithinBound) { check<double>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, ComplexPlane, testing::ValuesIn(functions),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
