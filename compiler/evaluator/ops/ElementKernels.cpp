// SPDX-License-Identifier: Apache-2.0
// Comparison, selection and conversion; and the selection of elementwise kernels.
#include "compiler/evaluator/ops/ElementKernels.h"
#include "compiler/evaluator/core/SmallFloat.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

//===- Compare -------------------------------------------------------------===//

template <class Get, class Results>
static void compareBy(Direction direction, Get get, const Scalar *a, const Scalar *b,
                      Results results, int64_t count) {
  auto each = [&](auto holds) {
    for (int64_t i = 0; i < count; ++i)
      results[i].i = holds(get(a[i]), get(b[i]));
  };
  switch (direction) {
  case Direction::EQ:
    return each([](auto x, auto y) { return x == y; });
  case Direction::NE:
    return each([](auto x, auto y) { return x != y; });
  case Direction::GE:
    return each([](auto x, auto y) { return x >= y; });
  case Direction::GT:
    return each([](auto x, auto y) { return x > y; });
  case Direction::LE:
    return each([](auto x, auto y) { return x <= y; });
  case Direction::LT:
    return each([](auto x, auto y) { return x < y; });
  }
}

namespace {
/// A complex number with the order of StableHLO: real part first.
struct Pair {
  double re, im;
  bool operator==(const Pair &o) const { return re == o.re && im == o.im; }
  bool operator!=(const Pair &o) const { return !(*this == o); }
  bool operator<(const Pair &o) const { return re != o.re ? re < o.re : im < o.im; }
  bool operator>(const Pair &o) const { return o < *this; }
  bool operator<=(const Pair &o) const { return *this < o || *this == o; }
  bool operator>=(const Pair &o) const { return *this > o || *this == o; }
};
} // namespace

/// `first` is the direction, `second` whether floats are compared in total order.
static void compareKernel(const KernelInfo &info, const Scalar *const *in, Scalar *out,
                          int64_t count) {
  auto direction = Direction(info.first);
  switch (getDomain(info.operand)) {
  case Domain::Complex:
    return compareBy(
        direction, [](Scalar s) { return Pair{s.c.re, s.c.im}; }, in[0], in[1], out, count);
  case Domain::Float:
    if (info.second)
      return compareBy(
          direction, [](Scalar s) { return totalOrderKey(s.f); }, in[0], in[1], out, count);
    return compareBy(direction, [](Scalar s) { return s.f; }, in[0], in[1], out, count);
  case Domain::Signed:
    return compareBy(direction, [](Scalar s) { return s.i; }, in[0], in[1], out, count);
  default:
    return compareBy(direction, [](Scalar s) { return s.u; }, in[0], in[1], out, count);
  }
}

//===- Select, clamp -------------------------------------------------------===//

static void selectKernel(const KernelInfo &, const Scalar *const *in, Scalar *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = in[0][i].i ? in[1][i] : in[2][i];
}

/// min(max(low, x), high), NaN if any is.
static void clampKernel(const KernelInfo &info, const Scalar *const *in, Scalar *out,
                        int64_t count) {
  auto each = [&](auto less, auto isNan) {
    for (int64_t i = 0; i < count; ++i) {
      Scalar low = in[0][i], x = in[1][i], high = in[2][i];
      if (isNan(x) || isNan(low) || isNan(high)) {
        out[i] = isNan(x) ? x : isNan(low) ? low : high;
        continue;
      }
      Scalar raised = less(x, low) ? low : x;
      out[i] = less(high, raised) ? high : raised;
    }
  };
  auto never = [](Scalar) { return false; };
  switch (getDomain(info.operand)) {
  case Domain::Float:
    return each(
        [](Scalar a, Scalar b) {
          return a.f < b.f || (a.f == b.f && std::signbit(a.f) > std::signbit(b.f));
        },
        [](Scalar a) { return std::isnan(a.f); });
  case Domain::Signed:
    return each([](Scalar a, Scalar b) { return a.i < b.i; }, never);
  case Domain::Complex:
    return each([](Scalar a, Scalar b) { return Pair{a.c.re, a.c.im} < Pair{b.c.re, b.c.im}; },
                [](Scalar a) { return std::isnan(a.c.re) || std::isnan(a.c.im); });
  default:
    return each([](Scalar a, Scalar b) { return a.u < b.u; }, never);
  }
}

//===- Conversions ---------------------------------------------------------===//

static void convertKernel(const KernelInfo &info, const Scalar *const *in, Scalar *out,
                          int64_t count) {
  bool bothFloats = isFloat(info.operand) && isFloat(info.result);
  for (int64_t i = 0; i < count; ++i)
    out[i] = bothFloats ? in[0][i] : convert(info.operand, info.result, in[0][i]);
}

/// `first` is exponent bits, `second` mantissa bits. Works on the bits of the operand's own format,
/// or of the next one that has infinities and a zero: overflow gives infinity, everything below the
/// smallest normal number zero.
static void reducePrecisionKernel(const KernelInfo &info, const Scalar *const *in, Scalar *out,
                                  int64_t count) {
  ElementType type = info.operand == ElementType::F8E8M0FNU ? ElementType::F32
                     : getBits(info.operand) <= 8           ? ElementType::F16
                                                            : info.operand;
  FloatFormat format = getFormat(type);
  int mantissa = format.mantissaBits;
  uint64_t sign = uint64_t(1) << (mantissa + format.exponentBits);
  uint64_t infinity = sign - (uint64_t(1) << mantissa);
  auto toBits = [&](double value) -> uint64_t {
    if (type == ElementType::F64)
      return llvm::bit_cast<uint64_t>(value);
    if (type == ElementType::F32)
      return llvm::bit_cast<uint32_t>(float(value));
    return encodeFloat(format, value);
  };
  auto fromBits = [&](uint64_t bits) -> double {
    if (type == ElementType::F64)
      return llvm::bit_cast<double>(bits);
    if (type == ElementType::F32)
      return llvm::bit_cast<float>(uint32_t(bits));
    return decodeFloat(format, uint32_t(bits));
  };
  for (int64_t i = 0; i < count; ++i) {
    if (std::isnan(in[0][i].f)) {
      out[i] = in[0][i];
      continue;
    }
    uint64_t bits = toBits(in[0][i].f);
    if (info.second < mantissa) {
      uint64_t last = uint64_t(1) << (mantissa - info.second);
      bits = (bits + (last >> 1) - 1 + ((bits & last) != 0)) & ~(last - 1);
    }
    if (info.first < format.exponentBits) {
      uint64_t bias = (uint64_t(1) << (format.exponentBits - 1)) - 1;
      uint64_t reducedBias = (uint64_t(1) << (info.first - 1)) - 1;
      uint64_t exponent = bits & infinity;
      if (exponent > (bias + reducedBias) << mantissa)
        bits = (bits & sign) | infinity;
      else if (exponent <= (bias - reducedBias) << mantissa)
        bits &= sign;
    }
    out[i] = convert(type, info.operand, Scalar::ofFloat(fromBits(bits)));
  }
}

/// The value of the result type next to `toward` in the direction away from zero.
static double nextMagnitude(ElementType type, double toward) {
  if (type == ElementType::F32)
    return std::nextafter(float(toward), std::numeric_limits<float>::infinity());
  FloatFormat format = getFormat(type);
  return decodeFloat(format, encodeFloat(format, toward) + 1);
}

/// Rounds the magnitude up with the probability of the truncated fraction: if the random integer,
/// as a fraction of 2^bits, is less. `first` is the random number's width.
static void stochasticConvertKernel(const KernelInfo &info, const Scalar *const *in, Scalar *out,
                                    int64_t count) {
  double scale = std::ldexp(1.0, int(info.first));
  for (int64_t i = 0; i < count; ++i) {
    double value = in[0][i].f, magnitude = std::fabs(value);
    bool toFloat = isFloat(info.result);
    if (!std::isfinite(value) || (!toFloat && magnitude >= 0x1p63)) {
      out[i] = convert(info.operand, info.result, in[0][i]);
      continue;
    }
    double below, above;
    if (toFloat) {
      Scalar rounded = convert(info.operand, info.result, Scalar::ofFloat(magnitude));
      below = rounded.f;
      if (below > magnitude || std::isnan(below)) { // it was rounded up: step back
        FloatFormat format = getFormat(info.result);
        uint32_t code = info.result == ElementType::F32 ? llvm::bit_cast<uint32_t>(float(below))
                                                        : encodeFloat(format, below);
        below = info.result == ElementType::F32 ? double(llvm::bit_cast<float>(code - 1))
                                                : decodeFloat(format, code - 1);
      }
      above = below == magnitude ? below : nextMagnitude(info.result, below);
    } else {
      below = std::floor(magnitude);
      above = below + 1;
    }
    double fraction = above == below ? 0 : (magnitude - below) / (above - below);
    bool up = double(in[1][i].u) < std::floor(fraction * scale);
    double chosen = std::copysign(up ? above : below, value);
    out[i] = convert(ElementType::F64, info.result, Scalar::ofFloat(chosen));
  }
}

KernelFunction getOtherKernel(Operation *op, KernelInfo &info) {
  if (auto compare = dyn_cast<CompareOp>(op)) {
    info.first = int64_t(compare.getDirection());
    info.second = compare.getType() == ComparisonType::TOTALORDER;
    return compareKernel;
  }
  if (auto reduce = dyn_cast<ReducePrecisionOp>(op)) {
    info.first = reduce.getExponentBits();
    info.second = reduce.getMantissaBits();
    bool valid = isFloat(info.operand) && info.first >= 1 && info.second >= 0;
    return valid ? reducePrecisionKernel : nullptr;
  }
  if (auto stochastic = dyn_cast<StochasticConvertOp>(op)) {
    auto random = getElementType(getElementTypeOrSelf(stochastic.getRandom()));
    info.first = random ? getBits(*random) : 0;
    return random && isFloat(info.operand) && !isComplex(info.result) ? stochasticConvertKernel
                                                                      : nullptr;
  }
  if (isa<SelectOp>(op))
    return selectKernel;
  if (isa<ConvertOp>(op))
    return convertKernel;
  if (isa<ClampOp>(op)) {
    info.operand = info.result;
    return clampKernel;
  }
  return nullptr;
}

ElementType getAccumulationType(ElementType type) {
  if (type == ElementType::BF16 || type == ElementType::F8E8M0FNU)
    return ElementType::F32;
  if (type == ElementType::F32)
    return ElementType::F64;
  return isFloat(type) && getBits(type) <= 8 ? ElementType::F16 : type;
}

ElementType getArrayAccumulationType(ElementType type) {
  return type == ElementType::F32 ? type : getAccumulationType(type);
}

ElementKernel getElementKernel(Operation *op) {
  if (op->getNumOperands() < 1 || op->getNumResults() != 1)
    return {};
  auto operand = getElementType(getElementTypeOrSelf(op->getOperand(0)));
  auto result = getElementType(getElementTypeOrSelf(op->getResult(0)));
  if (!operand || !result)
    return {};
  ElementKernel kernel;
  kernel.info.operand = *operand;
  kernel.info.result = kernel.rounding = *result;
  kernel.function = getOtherKernel(op, kernel.info);
  if (!kernel.function && op->getNumOperands() == 1)
    kernel.function = getUnaryKernel(op, *operand);
  if (!kernel.function && op->getNumOperands() == 2)
    kernel.function = getBinaryKernel(op, *operand);
  return kernel;
}

} // namespace hloc::evaluator
