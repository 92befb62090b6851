// SPDX-License-Identifier: Apache-2.0
// Division by a constant without dividing gives the bits of a division: of integers and their
// multiples, zeros, infinities, all significands; by divisors of every kind. What may be tiny is
// still divided.
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
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

constexpr unsigned kLanes = 8;

template <typename Float>
using IntegerOf = std::conditional_t<sizeof(Float) == 4, int32_t, int64_t>;

/// (integer * scale) / divisor, by an instruction that divides or not.
template <typename Float> class Quotients {
public:
  Quotients(Float scale, Float divisor) : scale(scale), divisor(divisor) {
    bool isF32 = sizeof(Float) == 4;
    auto emit = [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) -> llvm::SmallVector<Value> {
      auto type = mlir::VectorType::get({kLanes}, isF32 ? mlir::Type(b.getF32Type())
                                                        : mlir::Type(b.getF64Type()));
      auto constant = [&](Float value) -> Value {
        return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, value));
      };
      Value number = mlir::arith::SIToFPOp::create(b, type, x[0]);
      number = mlir::arith::MulFOp::create(b, number, constant(scale));
      return {mlir::arith::DivFOp::create(b, number, constant(divisor))};
    };
    kernel = std::make_unique<Kernel>(isF32 ? Element::I32 : Element::I64,
                                      isF32 ? Element::F32 : Element::F64, kLanes, emit,
                                      [&](mlir::Operation *module) {
                                        expandConstantDivision(module);
                                        module->walk([&](mlir::arith::DivFOp) { divides = true; });
                                      });
  }

  void expectBits(const std::vector<IntegerOf<Float>> &integers) const {
    std::vector<Float> quotients(integers.size());
    kernel->run({integers.data()}, {quotients.data()}, integers.size());
    for (size_t i = 0; i < integers.size(); ++i) {
      Float x = Float(integers[i]) * scale, expected = x / divisor;
      ASSERT_EQ(std::bit_cast<IntegerOf<Float>>(quotients[i]),
                std::bit_cast<IntegerOf<Float>>(expected))
          << x << " / " << divisor;
    }
  }

  bool divides = false;

private:
  Float scale, divisor;
  std::unique_ptr<Kernel> kernel;
};

template <typename Float> std::vector<IntegerOf<Float>> makeIntegers(std::mt19937_64 &random) {
  std::vector<IntegerOf<Float>> integers;
  for (int i = 0; i < 256; ++i)
    integers.insert(integers.end(), {IntegerOf<Float>(i), IntegerOf<Float>(-i)});
  while (integers.size() < 40000)
    integers.push_back(IntegerOf<Float>(random()) >> random() % 20);
  return integers;
}

template <typename Float> void expectDivisors() {
  using Limits = std::numeric_limits<Float>;
  std::mt19937_64 random(7);
  std::vector<IntegerOf<Float>> integers = makeIntegers<Float>(random);
  std::vector<Float> divisors = {3,   -3,          7,    10,   255,  -0.1,  Float(0.229),
                                 360, Float(M_PI), 1e-3, 1e10, 1e-9, 1.875, Float(0x1.fffffep0)};
  for (int i = 0; i < 60; ++i)
    divisors.push_back(std::ldexp(1 + Float(random() >> 40) / (1 << 24), int(random() % 40) - 20));
  int divided = 0;
  for (Float divisor : divisors) {
    // The last one overflows.
    for (Float scale : {Float(1), Float(-1), Float(0.37), std::ldexp(Limits::max(), -30)}) {
      Quotients<Float> quotients(scale, divisor);
      quotients.expectBits(integers);
      divided += quotients.divides;
    }
  }
  EXPECT_LT(divided, 10);
}

/// Tiny numbers, of which products would be subnormal, and divisors at the ends of the range.
template <typename Float> void expectDivisions() {
  using Limits = std::numeric_limits<Float>;
  std::mt19937_64 random(7);
  std::vector<IntegerOf<Float>> integers = makeIntegers<Float>(random);
  for (auto [scale, divisor] : {std::pair(Limits::min(), Float(3)),
                                {Limits::denorm_min(), Float(3)},
                                {1, Limits::max()},
                                {1, Limits::min()},
                                {1, Limits::denorm_min()},
                                {1, Limits::infinity()},
                                {1, Float(2)}}) {
    Quotients<Float> quotients(scale, divisor);
    quotients.expectBits(integers);
    EXPECT_TRUE(quotients.divides) << scale << " / " << divisor;
  }
}

} // namespace

TEST(ConstantDivision, GivesTheQuotient) {
  expectDivisors<float>();
  expectDivisors<double>();
}

TEST(ConstantDivision, DividesWhatMayBeTiny) {
  expectDivisions<float>();
  expectDivisions<double>();
}

/// Of an argument nothing is known.
TEST(ConstantDivision, DividesArguments) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  ImplicitLocOpBuilder b(module->getLoc(), module->getBodyRegion());
  auto type = mlir::VectorType::get({kLanes}, b.getF32Type());
  Value argument = module->getBody()->addArgument(type, module->getLoc());
  auto three = mlir::DenseElementsAttr::get(type, 3.0f);
  Value divisor = mlir::arith::ConstantOp::create(b, three);
  mlir::arith::DivFOp::create(b, argument, divisor);
  expandConstantDivision(*module);
  EXPECT_TRUE(mlir::isa<mlir::arith::DivFOp>(module->getBody()->back()));
}

TEST(ConstantDivision, AllSignificands) {
  std::vector<int32_t> significands(1 << 23);
  for (size_t i = 0; i < significands.size(); ++i)
    significands[i] = int32_t(i) + (1 << 23);
  for (float divisor : {3.0f, 255.0f, 0.229f, 1.3333334f, 0x1.fffffep0f, 0x1.000002p0f})
    Quotients<float>(1, divisor).expectBits(significands);
}
