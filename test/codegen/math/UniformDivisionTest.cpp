// SPDX-License-Identifier: Apache-2.0
// Division by what is the same in all steps of a loop gives the bits of a division: where quotients
// are closest to the middle of two numbers, at both ends of the range in which products do, of
// zeros, infinities, NaNs, subnormal and any numbers.
#include "codegen/math/Math.h"
#include "compiler/target/Target.h"
#include "test/codegen/math/Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Vectors of two registers.
constexpr unsigned kLanes = 16;

/// Divides in a loop of two steps, before which the divisors are known.
llvm::SmallVector<Value> emitQuotients(ImplicitLocOpBuilder &b, mlir::ValueRange x) {
  Value zero = mlir::arith::ConstantIndexOp::create(b, 0),
        one = mlir::arith::ConstantIndexOp::create(b, 1),
        two = mlir::arith::ConstantIndexOp::create(b, 2);
  auto loop = mlir::scf::ForOp::create(
      b, zero, two, one, x[0],
      [&](mlir::OpBuilder &body, mlir::Location loc, Value, mlir::ValueRange) {
        Value quotient = mlir::arith::DivFOp::create(body, loc, x[0], x[1]);
        mlir::scf::YieldOp::create(body, loc, quotient);
      });
  return {loop.getResult(0)};
}

void expectQuotients(const std::vector<float> &x, const std::vector<float> &divisors) {
  static const Kernel kernel({Element::F32, Element::F32}, {Element::F32}, kLanes, emitQuotients,
                             [](mlir::Operation *module) {
                               Target target; // one that divides slowly
                               target.vectorBytes = kLanes / 2 * sizeof(float);
                               target.machine.costs.divideF32 = 100;
                               target.machine.rates.simple = 1;
                               expandUniformDivision(module, target);
                               int branches = 0;
                               module->walk([&](mlir::scf::IfOp) { ++branches; });
                               EXPECT_EQ(branches, 1);
                             });
  std::vector<float> quotients(x.size());
  kernel.run({x.data(), divisors.data()}, {quotients.data()}, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    float expected = x[i] / divisors[i];
    bool isSame = std::isnan(expected)
                      ? std::isnan(quotients[i])
                      : std::bit_cast<uint32_t>(quotients[i]) == std::bit_cast<uint32_t>(expected);
    ASSERT_TRUE(isSame) << x[i] << " / " << divisors[i] << " = " << quotients[i];
  }
}

/// The inverse of an odd number modulo 2^64.
uint64_t invert(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i)
    inverse *= 2 - odd * inverse;
  return inverse;
}

/// Calls `use` with each significand x of 24 bits for which x / d is k / (2^s d) away from m / 2^s,
/// the middle of two numbers: x 2^s - m d = k with an odd m of 25 bits, where s is 24 if x >= d and
/// otherwise 25, and |k| is at most 7.
void findNearMiddles(uint64_t d, llvm::function_ref<void(uint64_t)> use) {
  int zeros = std::countr_zero(d);
  for (int s : {24, 25}) {
    uint64_t period = 1ull << s >> zeros;
    for (int64_t odd = -7; odd <= 7; odd += 2) {
      int64_t k = odd * (1ll << zeros); // else m would not be odd
      if (std::abs(k) > 7)
        continue;
      uint64_t m = (-uint64_t(odd) * invert(d >> zeros)) & (period - 1);
      for (; m < 1 << 25; m += period) {
        uint64_t x = (m * d + uint64_t(k)) >> s;
        if (m >= 1 << 24 && x >> 23 == 1 && (x >= d) == (s == 24))
          use(x);
      }
    }
  }
}

} // namespace

/// All significands.
TEST(UniformDivision, NearTheMiddle) {
  std::mt19937 random(3);
  std::vector<float> numbers, divisors;
  size_t count = 0;
  auto test = [&] {
    count += numbers.size();
    numbers.resize(numbers.size() / kLanes * kLanes + kLanes, 1);
    divisors.resize(numbers.size(), 1);
    expectQuotients(numbers, divisors);
    numbers.clear();
    divisors.clear();
  };
  for (uint64_t d = 1 << 23; d < 1 << 24; ++d) {
    findNearMiddles(d, [&](uint64_t x) {
      // From 2^-100, and half of them close to it.
      unsigned bits = random();
      int exponent = (bits & 1) ? 0 : int((bits >> 1) & 127);
      numbers.push_back(std::ldexp(float(x), exponent - 123));
      divisors.push_back(std::ldexp(float(d), int((bits >> 8) & 31) - 40));
    });
    if (numbers.size() > 1 << 20)
      test();
    if (HasFatalFailure())
      return;
  }
  test();
  EXPECT_GT(count, 30'000'000u);
}

TEST(UniformDivision, AnyBits) {
  std::mt19937_64 random(5);
  std::vector<float> numbers(1 << 20), divisors(1 << 20);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::bit_cast<float>(uint32_t(random()));
    divisors[i] = std::bit_cast<float>(uint32_t(random()));
  }
  expectQuotients(numbers, divisors);
}

/// Each special dividend alone among ordinary ones, so that nothing else makes its register divide.
TEST(UniformDivision, SpecialValues) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> special = {0,
                                0x1p-100f,
                                0x1.fffffep-101f,
                                Limits::min(),
                                Limits::denorm_min(),
                                Limits::max(),
                                Limits::infinity(),
                                Limits::quiet_NaN()};
  std::vector<float> scales = {1,
                               3,
                               0x1p-26f,
                               0x1.fffffep-27f,
                               0x1p26f,
                               0x1.000002p26f,
                               1e30f,
                               1e-30f,
                               0,
                               Limits::max(),
                               Limits::denorm_min(),
                               Limits::infinity(),
                               Limits::quiet_NaN()};
  std::vector<float> numbers, divisors;
  for (float x : special)
    for (float divisor : scales)
      for (float sign : {1.0f, -1.0f})
        for (float divisorSign : {1.0f, -1.0f})
          for (unsigned lane = 0, vector = numbers.size() / kLanes; lane < kLanes; ++lane) {
            bool isSpecial = lane == vector % kLanes;
            numbers.push_back(isSpecial ? x * sign : 7);
            divisors.push_back(isSpecial ? divisor * divisorSign : 3);
          }
  expectQuotients(numbers, divisors);
}
