// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on complex numbers. Functions of c64 are computed in double, those of c128
// in long double, and rounded once; only multiplication uses the type's own precision, so that it
// overflows where the usual four products do.
#include "compiler/evaluator/ops/ElementKernels.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

template <class T> using Complex = std::complex<T>;
template <class T> static Complex<T> widen(Scalar s) { return {T(s.c.re), T(s.c.im)}; }
template <class T> static Scalar narrow(Complex<T> z) {
  return Scalar::ofComplex(double(z.real()), double(z.imag()));
}

template <auto function> static KernelFunction chooseUnary(ElementType type) {
  if (type == ElementType::C128)
    return mapUnary<[](Scalar z) { return narrow(function(widen<long double>(z))); }>;
  return mapUnary<[](Scalar z) { return narrow(function(widen<double>(z))); }>;
}

template <auto function> static KernelFunction chooseBinary(ElementType type) {
  if (type == ElementType::C128)
    return mapBinary<[](Scalar a, Scalar b) {
      return narrow(function(widen<long double>(a), widen<long double>(b)));
    }>;
  return mapBinary<[](Scalar a, Scalar b) {
    return narrow(function(widen<double>(a), widen<double>(b)));
  }>;
}

/// e^z - 1 without cancellation near 0.
template <class T> static Complex<T> expMinusOne(Complex<T> z) {
  if (z.imag() == 0)
    return {std::expm1(z.real()), z.imag()};
  T half = std::sin(z.imag() / 2);
  T scale = std::exp(z.real());
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, scale * std::sin(z.imag())};
}

/// log(1 + z) without cancellation near 0.
template <class T> static Complex<T> logPlusOne(Complex<T> z) {
  T x = z.real(), y = z.imag();
  if (std::abs(x) > T(0.5) || std::abs(y) > T(0.5) || std::isnan(x) || std::isnan(y))
    return std::log(Complex<T>(1 + x, y));
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}

template <class T> static Complex<T> signOf(Complex<T> z) {
  T magnitude = std::abs(z);
  if (magnitude == 0)
    return {0, 0};
  return {z.real() / magnitude, z.imag() / magnitude};
}

template <class T> static Complex<T> power(Complex<T> base, Complex<T> exponent) {
  const Complex<T> zero(0, 0), one(1, 0);
  if (exponent == zero)
    return one;
  if (base == zero && exponent.real() > 0)
    return zero;
  if (exponent == one)
    return base;
  return std::pow(base, exponent);
}

/// Arctangent of complex numbers.
template <class T> static Complex<T> arcTangent(Complex<T> y, Complex<T> x) {
  const Complex<T> i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

KernelFunction getComplexUnaryKernel(Operation *op, ElementType type) {
  using Result = KernelFunction;
  return TypeSwitch<Operation *, Result>(op)
      .Case<RealOp>(
          [](auto) -> Result { return mapUnary<[](Scalar z) { return Scalar::ofFloat(z.c.re); }>; })
      .Case<ImagOp>(
          [](auto) -> Result { return mapUnary<[](Scalar z) { return Scalar::ofFloat(z.c.im); }>; })
      .Case<AbsOp>([&](auto) -> Result {
        if (type == ElementType::C128)
          return mapUnary<[](Scalar z) {
            return Scalar::ofFloat(
                double(std::hypot((long double)(z.c.re), (long double)(z.c.im))));
          }>;
        return mapUnary<[](Scalar z) { return Scalar::ofFloat(std::hypot(z.c.re, z.c.im)); }>;
      })
      .Case<IsFiniteOp>([](auto) -> Result {
        return mapUnary<[](Scalar z) {
          return Scalar::ofInt(std::isfinite(z.c.re) && std::isfinite(z.c.im));
        }>;
      })
      .Case<NegateOp>([](auto) -> Result {
        return mapUnary<[](Scalar z) { return Scalar::ofComplex(-z.c.re, -z.c.im); }>;
      })
      .Case<SignOp>([&](auto) { return chooseUnary<[](auto z) { return signOf(z); }>(type); })
      .Case<AcosOp>([&](auto) { return chooseUnary<[](auto z) { return std::acos(z); }>(type); })
      .Case<AcoshOp>([&](auto) { return chooseUnary<[](auto z) { return std::acosh(z); }>(type); })
      .Case<AsinOp>([&](auto) { return chooseUnary<[](auto z) { return std::asin(z); }>(type); })
      .Case<AsinhOp>([&](auto) { return chooseUnary<[](auto z) { return std::asinh(z); }>(type); })
      .Case<AtanhOp>([&](auto) { return chooseUnary<[](auto z) { return std::atanh(z); }>(type); })
      .Case<CosineOp>([&](auto) { return chooseUnary<[](auto z) { return std::cos(z); }>(type); })
      .Case<CoshOp>([&](auto) { return chooseUnary<[](auto z) { return std::cosh(z); }>(type); })
      .Case<SineOp>([&](auto) { return chooseUnary<[](auto z) { return std::sin(z); }>(type); })
      .Case<SinhOp>([&](auto) { return chooseUnary<[](auto z) { return std::sinh(z); }>(type); })
      .Case<TanOp>([&](auto) { return chooseUnary<[](auto z) { return std::tan(z); }>(type); })
      .Case<TanhOp>([&](auto) { return chooseUnary<[](auto z) { return std::tanh(z); }>(type); })
      .Case<ExponentialOp>(
          [&](auto) { return chooseUnary<[](auto z) { return std::exp(z); }>(type); })
      .Case<ExponentialMinusOneOp>(
          [&](auto) { return chooseUnary<[](auto z) { return expMinusOne(z); }>(type); })
      .Case<LogOp>([&](auto) { return chooseUnary<[](auto z) { return std::log(z); }>(type); })
      .Case<LogPlusOneOp>(
          [&](auto) { return chooseUnary<[](auto z) { return logPlusOne(z); }>(type); })
      .Case<SqrtOp>([&](auto) { return chooseUnary<[](auto z) { return std::sqrt(z); }>(type); })
      .Case<RsqrtOp>([&](auto) {
        return chooseUnary<[](auto z) { return decltype(z)(1, 0) / std::sqrt(z); }>(type);
      })
      .Case<CbrtOp>([&](auto) {
        return chooseUnary<[](auto z) {
          return power(z, decltype(z)(typename decltype(z)::value_type(1) / 3, 0));
        }>(type);
      })
      .Case<LogisticOp>([&](auto) {
        return chooseUnary<[](auto z) {
          return decltype(z)(1, 0) / (decltype(z)(1, 0) + std::exp(-z));
        }>(type);
      })
      .Default([](auto) { return nullptr; });
}

template <class T> static Scalar multiply(Scalar a, Scalar b) {
  T ar = T(a.c.re), ai = T(a.c.im), br = T(b.c.re), bi = T(b.c.im);
  return Scalar::ofComplex(ar * br - ai * bi, ar * bi + ai * br);
}

/// Real parts first; equal ones by imaginary part. NaN anywhere wins.
template <bool greater> static Scalar choose(Scalar a, Scalar b) {
  if (std::isnan(a.c.re) || std::isnan(a.c.im))
    return a;
  if (std::isnan(b.c.re) || std::isnan(b.c.im))
    return b;
  bool less = a.c.re != b.c.re ? a.c.re < b.c.re : a.c.im < b.c.im;
  return less == greater ? b : a;
}

KernelFunction getComplexBinaryKernel(Operation *op, ElementType type) {
  using Result = KernelFunction;
  return TypeSwitch<Operation *, Result>(op)
      .Case<AddOp>([](auto) -> Result {
        return mapBinary<[](Scalar a, Scalar b) {
          return Scalar::ofComplex(a.c.re + b.c.re, a.c.im + b.c.im);
        }>;
      })
      .Case<SubtractOp>([](auto) -> Result {
        return mapBinary<[](Scalar a, Scalar b) {
          return Scalar::ofComplex(a.c.re - b.c.re, a.c.im - b.c.im);
        }>;
      })
      .Case<MultiplyOp>([&](auto) -> Result {
        return type == ElementType::C64 ? mapBinary<multiply<float>> : mapBinary<multiply<double>>;
      })
      .Case<DivideOp>(
          [&](auto) { return chooseBinary<[](auto a, auto b) { return a / b; }>(type); })
      .Case<PowerOp>(
          [&](auto) { return chooseBinary<[](auto a, auto b) { return power(a, b); }>(type); })
      .Case<Atan2Op>(
          [&](auto) { return chooseBinary<[](auto y, auto x) { return arcTangent(y, x); }>(type); })
      .Case<MaximumOp>([](auto) -> Result { return mapBinary<choose<true>>; })
      .Case<MinimumOp>([](auto) -> Result { return mapBinary<choose<false>>; })
      .Default([](auto) { return nullptr; });
}

} // namespace hloc::evaluator
