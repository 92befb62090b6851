// SPDX-License-Identifier: Apache-2.0
// Unary elementwise operations on pred, integers and floats.
//
// Transcendental functions of f32 and smaller are computed in double, those of f64 in long double,
// and rounded once.
#include "compiler/evaluator/ops/ElementKernels.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// A function of floats that is exact or correctly rounded in double.
template <auto function>
static void mapUnaryFloat(const KernelInfo &, const Scalar *const *operands, Scalar *results,
                          int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    results[i].f = function(operands[0][i].f);
}

/// A function of floats that is computed in more digits than the type has.
template <auto function> static KernelFunction chooseWiderUnary(ElementType type) {
  if (type == ElementType::F64)
    return mapUnaryFloat<[](double x) { return double(function((long double)(x))); }>;
  return mapUnaryFloat<[](double x) { return double(function(x)); }>;
}

static double signOfReal(double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }

static KernelFunction getUnaryFloatKernel(Operation *op, ElementType type) {
  using Result = KernelFunction;
  return TypeSwitch<Operation *, Result>(op)
      .Case<AbsOp>(
          [](auto) -> Result { return mapUnaryFloat<[](double x) { return std::fabs(x); }>; })
      .Case<CeilOp>(
          [](auto) -> Result { return mapUnaryFloat<[](double x) { return std::ceil(x); }>; })
      .Case<FloorOp>(
          [](auto) -> Result { return mapUnaryFloat<[](double x) { return std::floor(x); }>; })
      .Case<NegateOp>([](auto) -> Result { return mapUnaryFloat<[](double x) { return -x; }>; })
      .Case<RoundNearestAfzOp>(
          [](auto) -> Result { return mapUnaryFloat<[](double x) { return std::round(x); }>; })
      .Case<RoundNearestEvenOp>(
          [](auto) -> Result { return mapUnaryFloat<[](double x) { return std::nearbyint(x); }>; })
      .Case<SignOp>([](auto) -> Result { return mapUnaryFloat<signOfReal>; })
      .Case<SqrtOp>(
          [](auto) -> Result { return mapUnaryFloat<[](double x) { return std::sqrt(x); }>; })
      .Case<RealOp>([](auto) -> Result { return mapUnaryFloat<[](double x) { return x; }>; })
      .Case<ImagOp>([](auto) -> Result { return mapUnaryFloat<[](double) { return 0.0; }>; })
      .Case<IsFiniteOp>([](auto) -> Result {
        return mapUnary<[](Scalar x) { return Scalar::ofInt(std::isfinite(x.f)); }>;
      })
      .Case<AcosOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::acos(x); }>(type); })
      .Case<AcoshOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::acosh(x); }>(type); })
      .Case<AsinOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::asin(x); }>(type); })
      .Case<AsinhOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::asinh(x); }>(type); })
      .Case<AtanhOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::atanh(x); }>(type); })
      .Case<CbrtOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::cbrt(x); }>(type); })
      .Case<CosineOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::cos(x); }>(type); })
      .Case<CoshOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::cosh(x); }>(type); })
      .Case<ErfOp>([&](auto) { return chooseWiderUnary<[](auto x) { return std::erf(x); }>(type); })
      .Case<ExponentialOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::exp(x); }>(type); })
      .Case<ExponentialMinusOneOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::expm1(x); }>(type); })
      .Case<LogOp>([&](auto) { return chooseWiderUnary<[](auto x) { return std::log(x); }>(type); })
      .Case<LogPlusOneOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::log1p(x); }>(type); })
      .Case<LogisticOp>([&](auto) {
        return chooseWiderUnary<[](auto x) { return 1 / (1 + std::exp(-x)); }>(type);
      })
      .Case<RsqrtOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return 1 / std::sqrt(x); }>(type); })
      .Case<SineOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::sin(x); }>(type); })
      .Case<SinhOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::sinh(x); }>(type); })
      .Case<TanOp>([&](auto) { return chooseWiderUnary<[](auto x) { return std::tan(x); }>(type); })
      .Case<TanhOp>(
          [&](auto) { return chooseWiderUnary<[](auto x) { return std::tanh(x); }>(type); })
      .Default([](auto) { return nullptr; });
}

/// The bits of an integer without its sign extension.
static uint64_t maskTo(ElementType type, uint64_t value) {
  int shift = 64 - getBits(type);
  return value << shift >> shift;
}

static void countLeadingZeros(const KernelInfo &info, const Scalar *const *operands,
                              Scalar *results, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    results[i].i =
        llvm::countl_zero(maskTo(info.operand, operands[0][i].u)) - (64 - getBits(info.operand));
}

static void countOnes(const KernelInfo &info, const Scalar *const *operands, Scalar *results,
                      int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    results[i].i = llvm::popcount(maskTo(info.operand, operands[0][i].u));
}

static KernelFunction getIntegerKernel(Operation *op, ElementType type) {
  using Result = KernelFunction;
  bool isSigned = getDomain(type) == Domain::Signed, isPred = type == ElementType::PRED;
  return TypeSwitch<Operation *, Result>(op)
      .Case<NotOp>([&](auto) -> Result {
        if (isPred)
          return mapUnary<[](Scalar x) { return Scalar::ofInt(!x.i); }>;
        return mapUnary<[](Scalar x) { return Scalar::ofInt(~x.i); }>;
      })
      .Case<AbsOp>([&](auto) -> Result {
        if (!isSigned)
          return mapUnary<[](Scalar x) { return x; }>;
        return mapUnary<[](Scalar x) { return x.i < 0 ? Scalar::ofInt(int64_t(0 - x.u)) : x; }>;
      })
      .Case<NegateOp>([](auto) -> Result {
        return mapUnary<[](Scalar x) { return Scalar::ofInt(int64_t(0 - x.u)); }>;
      })
      .Case<SignOp>([](auto) -> Result {
        return mapUnary<[](Scalar x) { return Scalar::ofInt((x.i > 0) - (x.i < 0)); }>;
      })
      .Case<CountLeadingZerosOp>([](auto) -> Result { return countLeadingZeros; })
      .Case<PopcntOp>([](auto) -> Result { return countOnes; })
      .Case<RealOp>([](auto) -> Result { return mapUnary<[](Scalar x) { return x; }>; })
      .Default([](auto) { return nullptr; });
}

KernelFunction getUnaryKernel(Operation *op, ElementType operand) {
  switch (getDomain(operand)) {
  case Domain::Float:
    return getUnaryFloatKernel(op, operand);
  case Domain::Complex:
    return getComplexUnaryKernel(op, operand);
  default:
    return getIntegerKernel(op, operand);
  }
}

} // namespace hloc::evaluator
