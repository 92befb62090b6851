// SPDX-License-Identifier: Apache-2.0
// Float functions against wider ones of the C library, over a sample of all bit patterns; with
// HLOC_MATH_STRIDE=1 in the environment, over every f32.
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"
#include "test/codegen/math/Ulp.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "gtest/gtest.h"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace hloc;
using namespace hloc::test;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

struct Unary {
  const char *name;
  Value (*emit)(ImplicitLocOpBuilder &, Value);
  double (*wide)(double);
  long double (*widest)(long double);
  double bound32, bound64; // units in the last place
};

void PrintTo(const Unary &f, std::ostream *os) { *os << f.name; }

const Unary functions[] = {
    {"exp", emitExp, std::exp, expl, 1.1, 1.1},
    {"expm1", emitExpm1, std::expm1, expm1l, 2, 2},
    {"log", emitLog, std::log, logl, 1.1, 1.1},
    {"log1p", emitLog1p, std::log1p, log1pl, 1.5, 1.5},
    {"tanh", emitTanh, std::tanh, tanhl, 2.6, 2.6},
    {"logistic", emitLogistic, [](double x) { return 1 / (1 + std::exp(-x)); },
     [](long double x) { return 1 / (1 + expl(-x)); }, 2.5, 2.5},
    {"sin", emitSin, std::sin, sinl, 1.3, 1},
    {"cos", emitCos, std::cos, cosl, 1.3, 1},
    {"tan", emitTan, std::tan, tanl, 2.6, 2.5},
    {"sinh", emitSinh, std::sinh, sinhl, 2, 2.5},
    {"cosh", emitCosh, std::cosh, coshl, 2, 2},
    {"asinh", emitAsinh, std::asinh, asinhl, 3, 3},
    {"acosh", emitAcosh, std::acosh, acoshl, 3, 3},
    {"atanh", emitAtanh, std::atanh, atanhl, 3, 3},
    {"asin", emitAsin, std::asin, asinl, 2, 2},
    {"acos", emitAcos, std::acos, acosl, 2, 2},
    {"atan", emitAtan, std::atan, atanl, 2.2, 2},
    {"erf", emitErf, std::erf, erfl, 2.5, 2.5},
    {"cbrt", emitCbrt, std::cbrt, cbrtl, 0.6, 0.6},
    {"sqrt", emitSqrt, std::sqrt, sqrtl, 0.5, 0.5},
    {"rsqrt", emitRsqrt, [](double x) { return 1 / std::sqrt(x); },
     [](long double x) { return 1 / sqrtl(x); }, 1.5, 1.5},
    {"round", emitRoundNearestAfz, std::round, roundl, 0, 0},
    {"floor",
     [](ImplicitLocOpBuilder &b, Value x) -> Value { return mlir::math::FloorOp::create(b, x); },
     std::floor, floorl, 0, 0},
    {"ceil",
     [](ImplicitLocOpBuilder &b, Value x) -> Value { return mlir::math::CeilOp::create(b, x); },
     std::ceil, ceill, 0, 0},
    {"trunc",
     [](ImplicitLocOpBuilder &b, Value x) -> Value { return mlir::math::TruncOp::create(b, x); },
     std::trunc, truncl, 0, 0},
    {"roundeven",
     [](ImplicitLocOpBuilder &b, Value x) -> Value {
       return mlir::math::RoundEvenOp::create(b, x);
     },
     std::nearbyint, nearbyintl, 0, 0},
    {"sign", emitSign, [](double x) { return x > 0   ? 1
                                             : x < 0 ? -1
                                                     : x; },
     [](long double x) -> long double { return x > 0   ? 1
                                               : x < 0 ? -1
                                                       : x; }, 0, 0},
};

/// The greatest error, apart for results that are subnormal.
template <typename Float> struct Worst {
  double normal = 0, subnormal = 0;
  Float normalAt = 0, subnormalAt = 0;
  uint64_t count = 0;

  template <typename Wide> void add(Float x, Float actual, Wide exact) {
    double error = ulpError(actual, exact);
    bool small = std::abs(exact) < std::numeric_limits<Float>::min();
    double &worst = small ? subnormal : normal;
    ++count;
    if (error > worst) {
      worst = error;
      (small ? subnormalAt : normalAt) = x;
    }
  }
  void report(const char *name) const {
    printf("%-10s %s normal %6.3f at %-13a subnormal %6.3f at %-13a (%llu values)\n", name,
           sizeof(Float) == 4 ? "f32" : "f64", normal, double(normalAt), subnormal,
           double(subnormalAt), (unsigned long long)count);
  }
};

constexpr size_t blockSize = 1 << 14;

class FloatFunctions : public testing::TestWithParam<Unary> {};

uint64_t sweepStride() {
  const char *stride = std::getenv("HLOC_MATH_STRIDE");
  return stride ? std::strtoull(stride, nullptr, 10) : 2053;
}

TEST_P(FloatFunctions, SingleWithinBound) {
  const Unary &f = GetParam();
  Kernel kernel({Element::F32}, {Element::F32}, 16,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{f.emit(b, x[0])};
                });
  std::vector<float> in(blockSize), out(blockSize);
  Worst<float> worst;
  uint64_t stride = sweepStride();
  for (uint64_t start = 0; start < (uint64_t(1) << 32); start += stride * blockSize) {
    for (size_t i = 0; i < blockSize; ++i)
      in[i] = std::bit_cast<float>(uint32_t(start + i * stride));
    kernel.run({in.data()}, {out.data()}, blockSize);
    for (size_t i = 0; i < blockSize; ++i)
      worst.add(in[i], out[i], f.wide(double(in[i])));
  }
  worst.report(f.name);
  EXPECT_LE(worst.normal, f.bound32);
  EXPECT_LE(worst.subnormal, f.bound32);
}

TEST_P(FloatFunctions, DoubleWithinBound) {
  const Unary &f = GetParam();
  Kernel kernel({Element::F64}, {Element::F64}, 8,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{f.emit(b, x[0])};
                });
  std::vector<double> in(blockSize), out(blockSize);
  Worst<double> worst;
  std::mt19937_64 random(1);
  uint64_t total = 2'000'000'000 / sweepStride();
  for (uint64_t done = 0; done < total; done += blockSize) {
    for (size_t i = 0; i < blockSize; ++i) {
      // Half of them any bit pattern, half near 1, where most functions bend.
      uint64_t bits = random();
      if (i % 2)
        bits = (bits & 0x800fffffffffffffu) | (uint64_t(1023 - 20 + random() % 32) << 52);
      in[i] = std::bit_cast<double>(bits);
    }
    kernel.run({in.data()}, {out.data()}, blockSize);
    for (size_t i = 0; i < blockSize; ++i)
      worst.add(in[i], out[i], f.widest((long double)(in[i])));
  }
  worst.report(f.name);
  EXPECT_LE(worst.normal, f.bound64);
  EXPECT_LE(worst.subnormal, f.bound64);
}

/// Scalars and vectors of other lengths give the same bits.
TEST_P(FloatFunctions, SameForAllShapes) {
  const Unary &f = GetParam();
  std::vector<float> in(4096), expected(in.size()), out(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = std::bit_cast<float>(uint32_t(i << 20));
  for (unsigned lanes : {16, 1, 2, 32}) {
    Kernel kernel({Element::F32}, {Element::F32}, lanes,
                  [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                    return llvm::SmallVector<Value>{f.emit(b, x[0])};
                  });
    std::vector<float> &result = lanes == 16 ? expected : out;
    kernel.run({in.data()}, {result.data()}, in.size());
    for (size_t i = 0; i < in.size() && lanes != 16; ++i)
      EXPECT_TRUE(std::bit_cast<uint32_t>(out[i]) == std::bit_cast<uint32_t>(expected[i]) ||
                  (std::isnan(out[i]) && std::isnan(expected[i])))
          << f.name << "(" << in[i] << ") with " << lanes << " lanes";
  }
}

/// Prints nanoseconds an element; run with --gtest_also_run_disabled_tests.
TEST_P(FloatFunctions, DISABLED_Speed) {
  const Unary &f = GetParam();
  for (bool single : {true, false}) {
    Element element = single ? Element::F32 : Element::F64;
    Kernel kernel({element}, {element}, single ? 16 : 8,
                  [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                    return llvm::SmallVector<Value>{f.emit(b, x[0])};
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
        kernel.run({in.data()}, {out.data()}, count);
      std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
      best = std::min(best, time.count() / 10 / count);
    }
    printf("%-10s %s %.3f ns an element\n", f.name, single ? "f32" : "f64", best);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FloatFunctions, testing::ValuesIn(functions),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
