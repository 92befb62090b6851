// SPDX-License-Identifier: Apache-2.0
// Float functions of two arguments: special values in every combination, and random ones.
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"
#include "test/codegen/math/Ulp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "gtest/gtest.h"

#include <bit>
#include <chrono>
#include <random>

using namespace hloc;
using namespace hloc::test;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

struct Binary {
  const char *name;
  Value (*emit)(ImplicitLocOpBuilder &, Value, Value);
  double (*wide)(double, double);
  long double (*widest)(long double, long double);
  double bound32, bound64; // units in the last place
};

void PrintTo(const Binary &f, std::ostream *os) { *os << f.name; }

const Binary functions[] = {
    {"power", emitPower, std::pow, powl, 1, 1.5},
    {"atan2", emitAtan2, std::atan2, atan2l, 2, 2},
    {"remainder", emitRemainder, std::fmod, fmodl, 0, 0},
};

template <typename Float> std::vector<Float> specialValues() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> values;
  for (Float v : {Float(0),
                  Float(1),
                  Float(2),
                  Float(3),
                  Float(0.5),
                  Float(1.5),
                  Float(1e10),
                  Float(16777215),
                  Float(9007199254740991),
                  Limits::min(),
                  Limits::denorm_min(),
                  Limits::max(),
                  Limits::infinity(),
                  Limits::quiet_NaN(),
                  Float(0.99999),
                  Float(1.00001),
                  Float(1) / 3,
                  Float(1e-10),
                  Limits::min() * Float(0.7),
                  Limits::max() / 2,
                  Limits::epsilon()}) {
    values.push_back(v);
    values.push_back(-v);
  }
  return values;
}

template <typename Float> void check(const Binary &f, double bound) {
  constexpr bool single = sizeof(Float) == 4;
  using Bits = std::conditional_t<single, uint32_t, uint64_t>;
  Element element = single ? Element::F32 : Element::F64;
  Kernel kernel({element, element}, {element}, single ? 16 : 8,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{f.emit(b, x[0], x[1])};
                });
  std::vector<Float> xs, ys;
  for (Float x : specialValues<Float>())
    for (Float y : specialValues<Float>()) {
      xs.push_back(x);
      ys.push_back(y);
    }
  std::mt19937_64 random(1);
  auto near1 = [&] {
    constexpr int digits = std::numeric_limits<Float>::digits;
    return std::ldexp(Float(1) + Float(random() % 100000) / 100000,
                      int(random() % 8) - digits / 6) *
           (random() % 2 ? 1 : -1);
  };
  size_t total = (1 << 20) + 1024;
  while (xs.size() < total - total % 16) {
    Float x = std::bit_cast<Float>(Bits(random())), y = std::bit_cast<Float>(Bits(random()));
    switch (random() % 5) {
    case 0: // any bits
      break;
    case 1: // moderate numbers
      x = near1(), y = near1();
      break;
    case 2: // powers that stay in range: y about 1 / log x
      y = near1() / std::log(std::abs(x)) * 20;
      x = std::abs(x);
      break;
    case 3: // near 1, with great exponents
      x = Float(1) + std::ldexp(near1(), -8), y = near1() * 2000;
      break;
    case 4: // integers
      x = near1(), y = Float(int(random() % 200) - 100);
      break;
    }
    xs.push_back(x);
    ys.push_back(y);
  }
  std::vector<Float> out(xs.size());
  kernel.run({xs.data(), ys.data()}, {out.data()}, xs.size());
  double worst = 0;
  size_t at = 0;
  int shown = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    double error =
        single ? ulpError(out[i], f.wide(xs[i], ys[i])) : ulpError(out[i], f.widest(xs[i], ys[i]));
    if (error > worst)
      worst = error, at = i;
    if (error > bound && shown++ < 10)
      ADD_FAILURE() << f.name << "(" << xs[i] << ", " << ys[i] << ") = " << out[i] << ", not "
                    << (single ? f.wide(xs[i], ys[i]) : double(f.widest(xs[i], ys[i])));
  }
  printf("%-10s %s %6.3f at (%a, %a)\n", f.name, single ? "f32" : "f64", worst, double(xs[at]),
         double(ys[at]));
}

class BinaryFunctions : public testing::TestWithParam<Binary> {};

TEST_P(BinaryFunctions, SingleWithinBound) { check<float>(GetParam(), GetParam().bound32); }
TEST_P(BinaryFunctions, DoubleWithinBound) { check<double>(GetParam(), GetParam().bound64); }

/// A kernel of a function whose second operand is the constant `y`.
template <typename Float>
Kernel makeKernelOfConstant(Value (*emit)(ImplicitLocOpBuilder &, Value, Value), Float y) {
  Element element = sizeof(Float) == 4 ? Element::F32 : Element::F64;
  return Kernel({element}, {element}, sizeof(Float) == 4 ? 16 : 8,
                [=](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  auto type = mlir::cast<mlir::ShapedType>(x[0].getType());
                  auto scalar = mlir::FloatAttr::get(type.getElementType(), double(y));
                  Value constant = mlir::arith::ConstantOp::create(
                      b, mlir::DenseElementsAttr::get(type, scalar));
                  return llvm::SmallVector<Value>{emit(b, x[0], constant)};
                });
}

/// Exponents that the compiler knows have shorter code, with the same special values.
TEST(PowerOfConstant, WithinBound) {
  for (float exponent : {0.0f, 1.0f, 2.0f, 3.0f, -1.0f, 0.5f, -0.5f, 2.5f}) {
    Kernel kernel = makeKernelOfConstant(emitPower, exponent);
    std::vector<float> in = specialValues<float>();
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 65521)
      in.push_back(std::bit_cast<float>(uint32_t(bits)));
    in.resize(in.size() / 16 * 16);
    std::vector<float> out(in.size());
    kernel.run({in.data()}, {out.data()}, in.size());
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_LE(ulpError(out[i], std::pow(double(in[i]), double(exponent))), 1.6)
          << in[i] << " to " << exponent << " is " << out[i];
  }
}

/// Divisors that are powers of two have shorter code, which is exact as well.
template <typename Float> void checkRemainderOfConstant() {
  using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> in = specialValues<Float>();
  std::mt19937_64 random(1);
  while (in.size() % 16 != 0 || in.size() < 1 << 16)
    in.push_back(std::bit_cast<Float>(Bits(random())));
  for (int k = -60; k < 60; ++k) // multiples of the divisors and their neighbours
    for (Float x : {std::ldexp(Float(1), k), std::ldexp(Float(1.5), k)})
      for (Float y : {x, std::nextafter(x, Float(0)), -x, -std::nextafter(x, 2 * x)})
        in.push_back(y);
  std::vector<Float> out(in.size());
  for (Float divisor :
       {Float(1), Float(-1), Float(2), Float(8), Float(0x1p40), Float(0.5), Float(3),
        Limits::infinity(), std::ldexp(Float(1), Limits::max_exponent - 1)}) {
    Kernel kernel = makeKernelOfConstant(emitRemainder, divisor);
    kernel.run({in.data()}, {out.data()}, in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      Float expected = std::fmod(in[i], divisor);
      bool isSame = std::isnan(expected)
                        ? std::isnan(out[i])
                        : std::bit_cast<Bits>(out[i]) == std::bit_cast<Bits>(expected);
      EXPECT_TRUE(isSame) << in[i] << " mod " << divisor << " is " << out[i] << ", not "
                          << expected;
    }
  }
}
TEST(RemainderOfConstant, SingleIsExact) { checkRemainderOfConstant<float>(); }
TEST(RemainderOfConstant, DoubleIsExact) { checkRemainderOfConstant<double>(); }

/// Prints nanoseconds an element; run with --gtest_also_run_disabled_tests.
TEST_P(BinaryFunctions, DISABLED_Speed) {
  const Binary &f = GetParam();
  for (bool single : {true, false}) {
    Element element = single ? Element::F32 : Element::F64;
    Kernel kernel({element, element}, {element}, single ? 16 : 8,
                  [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                    return llvm::SmallVector<Value>{f.emit(b, x[0], x[1])};
                  });
    constexpr size_t count = 2048;
    std::vector<double> in(count), out(count);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> inRange(0.01, 10);
    for (size_t i = 0; i < count; ++i) {
      if (single)
        reinterpret_cast<float *>(in.data())[i] = inRange(random);
      else
        in[i] = inRange(random);
    }
    double best = 1e9;
    for (int repeat = 0; repeat < 200; ++repeat) {
      auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 10; ++i)
        kernel.run({in.data(), in.data()}, {out.data()}, count);
      std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
      best = std::min(best, time.count() / 10 / count);
    }
    printf("%-10s %s %.3f ns an element\n", f.name, single ? "f32" : "f64", best);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BinaryFunctions, testing::ValuesIn(functions),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
