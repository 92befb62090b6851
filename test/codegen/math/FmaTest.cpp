// SPDX-License-Identifier: Apache-2.0
// The emulation of a fused multiply-add has the same bits: for special numbers in every
// combination, sums that cancel, are half way between two numbers, or are subnormal, and random
// ones.
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace hloc;
using namespace hloc::test;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

template <typename Float> struct Triples {
  std::vector<Float> x, y, z;

  void add(Float a, Float b, Float c) {
    x.push_back(a);
    y.push_back(b);
    z.push_back(c);
  }

  void addSpecial() {
    using Limits = std::numeric_limits<Float>;
    std::vector<Float> values;
    for (Float v :
         {Float(0), Float(1), Float(3), Float(1) / 3, 1 + Limits::epsilon(), Limits::min(),
          Limits::denorm_min(), Limits::min() - Limits::denorm_min(), 3 * Limits::denorm_min(),
          Limits::max(), Limits::infinity(), Limits::quiet_NaN(), Limits::epsilon(),
          std::sqrt(Limits::min()), std::sqrt(Limits::max()), Limits::min() * Float(0.7)})
      values.insert(values.end(), {v, -v});
    for (Float a : values)
      for (Float b : values)
        for (Float c : values)
          add(a, b, c);
  }

  /// With exponents that are `spread` apart at most, products and addends of which are about as
  /// great, so that they cancel or meet half way, and exponents near the ends of the range.
  void addRandom(int count) {
    constexpr int digits = std::numeric_limits<Float>::digits,
                  least = std::numeric_limits<Float>::min_exponent;
    std::mt19937_64 random(1);
    auto fraction = [&](int bits) { // of few bits, for exact results
      auto value = Float(random() >> (64 - bits) | uint64_t(1) << (bits - 1));
      return std::ldexp(random() % 2 ? value : -value, -bits);
    };
    auto between = [&](int low, int high) {
      return low + int(random() % uint64_t(high - low + 1));
    };
    for (int i = 0; i < count; ++i) {
      int bits = i % 3 == 0 ? between(2, digits) : digits;
      int place = i % 4 == 0   ? between(least - 2 * digits, least + digits) // of the product
                  : i % 4 == 1 ? between(-least - digits, -least + 2)
                               : between(least, -least);
      int first = std::clamp(between(least, -least), place + least, place - least);
      first = std::clamp(first, least, -least);
      Float a = std::ldexp(fraction(bits), first), b = std::ldexp(fraction(digits), place - first);
      Float c = std::ldexp(fraction(bits), place + between(-digits - 3, digits + 3));
      if (i % 5 == 0)
        c = -a * b;
      add(a, b, c);
    }
  }
};

template <typename Float> void check(unsigned lanes) {
  using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
  Element element = sizeof(Float) == 4 ? Element::F32 : Element::F64;
  Kernel kernel(
      {element, element, element}, {element}, lanes,
      [](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
        return llvm::SmallVector<Value>{mlir::math::FmaOp::create(b, x[0], x[1], x[2])};
      },
      emulateFma);
  Triples<Float> triples;
  triples.addSpecial();
  triples.addRandom(200000);
  triples.x.resize(triples.x.size() / lanes * lanes);
  std::vector<Float> results(triples.x.size());
  kernel.run({triples.x.data(), triples.y.data(), triples.z.data()}, {results.data()},
             results.size());
  int wrong = 0;
  for (size_t i = 0; i < results.size() && wrong < 10; ++i) {
    Float expected = std::fma(triples.x[i], triples.y[i], triples.z[i]);
    bool same = std::isnan(expected)
                    ? std::isnan(results[i])
                    : std::bit_cast<Bits>(expected) == std::bit_cast<Bits>(results[i]);
    if (!same) {
      ++wrong;
      ADD_FAILURE() << std::hexfloat << double(triples.x[i]) << " * " << double(triples.y[i])
                    << " + " << double(triples.z[i]) << " = " << double(expected) << ", not "
                    << double(results[i]);
    }
  }
}

TEST(FmaTest, F32) { check<float>(8); }
TEST(FmaTest, F64) { check<double>(4); }
TEST(FmaTest, ScalarF64) { check<double>(1); }

} // namespace
