// SPDX-License-Identifier: Apache-2.0
// Division of what is known not to be tiny, such as an image's bytes, by a constant c: as
// x * high + x * low, where high + low is 1 / c in twice the precision, with one fused
// multiply-add. The sum is so close to x / c that rounding it gives the quotient, unless the
// quotient is very close to the middle of two numbers. There are only a few such x for each c; they
// are computed here, and tried (after N. Brisebarre, J.-M. Muller and S. K. Raina, "Accelerating
// correctly rounded floating-point division when the divisor is known in advance"). Test:
// test/codegen/math/ConstantDivisionTest.cpp.
#include "codegen/math/Expr.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;

namespace hloc {

/// The largest distance of x * 2^s from the middle of two quotients times c, all as integers, at
/// which the sum may be on its other side; twice what the rounding of `low` and of its product
/// allow.
static constexpr int64_t kNearest = 32;

namespace {

template <typename Float> struct Reciprocal {
  /// Both have the sign of c, so that zeros and infinities have the right results.
  Float high, low;
  /// For smaller x other than zero a product or the quotient may be subnormal.
  Float least;
};

template <typename Float> struct Integers;
template <> struct Integers<float> {
  using Wide = uint64_t;
};
template <> struct Integers<double> {
  using Wide = unsigned __int128;
};

} // namespace

/// True if rounding the sum gives the quotient of `x`.
template <typename Float>
static bool isExact(Float x, Float c, const Reciprocal<Float> &reciprocal) {
  return std::fma(x, reciprocal.high, x * reciprocal.low) == x / c;
}

/// The inverse of odd `c` modulo 2^bits, where there are as many in `Wide`.
template <typename Wide> static Wide invert(Wide c) {
  Wide inverse = c; // right in three bits; each step doubles them
  for (int right = 3; right < int(8 * sizeof(Wide)); right *= 2)
    inverse *= 2 - c * inverse;
  return inverse;
}

/// True if rounding the sum gives the quotient of each x, whose quotient and products are normal.
template <typename Float> static bool isAlwaysExact(Float c, const Reciprocal<Float> &reciprocal) {
  using Wide = typename Integers<Float>::Wide;
  constexpr int digits = std::numeric_limits<Float>::digits;
  int exponent = 0;
  // Numbers from 2^(digits - 1) to 2^digits; scaling by powers of two changes nothing.
  auto divisor = Wide(std::ldexp(std::frexp(std::abs(c), &exponent), digits));
  int zeros = 0;
  while ((divisor >> zeros & 1) == 0)
    ++zeros;
  Wide inverse = invert<Wide>(divisor >> zeros), smallest = Wide(1) << (digits - 1);
  for (int shift : {digits, digits + 1}) {
    // x * 2^shift - middle * divisor = distance: the middle modulo 2^(shift - zeros).
    Wide period = Wide(1) << (shift - zeros);
    for (int64_t distance = -kNearest; distance <= kNearest; ++distance) {
      // No quotient is in the middle itself: middles are odd, and have a bit more than numbers.
      if (distance == 0 || llvm::countr_zero(uint64_t(distance)) < zeros)
        continue;
      Wide first = Wide(-(distance >> zeros)) * inverse & (period - 1);
      Wide begin = 2 * smallest; // middles are from 2^digits to 2^(digits + 1)
      for (Wide middle = begin / period * period + first; middle < 2 * begin; middle += period) {
        Wide x = (middle * divisor + Wide(distance)) >> shift;
        if (middle < begin || middle % 2 == 0 || x < smallest || x >= 2 * smallest)
          continue;
        if (!isExact(std::ldexp(Float(x), exponent - digits), c, reciprocal))
          return false;
      }
    }
  }
  return true;
}

/// The reciprocal of `c`, if it gives the quotient of every x.
template <typename Float> static std::optional<Reciprocal<Float>> findReciprocal(Float c) {
  using Limits = std::numeric_limits<Float>;
  int exponent = 0;
  Float fraction = std::frexp(c, &exponent);
  // Far from the ends of the range, and not a power of two, for which LLVM multiplies.
  if (!std::isfinite(c) || c == 0 || std::abs(exponent) > Limits::max_exponent / 2 ||
      std::abs(fraction) == Float(0.5))
    return std::nullopt;
  Reciprocal<Float> reciprocal;
  reciprocal.high = 1 / c;
  Float rest = std::fma(-c, reciprocal.high, Float(1)); // exact
  if (rest < 0) {
    reciprocal.high = std::nextafter(reciprocal.high, Float(0));
    rest = std::fma(-c, reciprocal.high, Float(1));
  }
  reciprocal.low = rest / c;
  if (reciprocal.low == 0)
    return std::nullopt;
  Float least = std::max(Limits::min() / std::abs(reciprocal.low), Limits::min() * std::abs(c));
  std::frexp(least, &exponent);
  reciprocal.least = std::ldexp(Float(1), exponent + 1);
  return isAlwaysExact(c, reciprocal) ? std::optional(reciprocal) : std::nullopt;
}

/// The exponent of a power of two that `x` is a multiple of, as far as is known: integers that were
/// converted, sums and products of these and constants, and their quotients. If x is not zero, it
/// is no smaller.
static std::optional<int> findGranule(Value x, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  constexpr int least = -100; // so that products are not subnormal
  if (depth == deepest)
    return std::nullopt;
  auto all = [&](ValueRange operands, auto combine) -> std::optional<int> {
    std::optional<int> result = findGranule(operands.front(), depth + 1);
    for (Value operand : operands.drop_front()) {
      std::optional<int> next = findGranule(operand, depth + 1);
      if (!result || !next)
        return std::nullopt;
      result = combine(*result, *next);
    }
    return result && *result >= least ? result : std::nullopt;
  };
  auto smaller = [](int x, int y) { return std::min(x, y); };
  APFloat constant(0.0);
  if (matchPattern(getSplatSource(x), m_ConstantFloat(&constant))) {
    if (constant.isZero())
      return 0;
    if (!constant.isFinite())
      return std::nullopt;
    APInt bits = constant.bitcastToAPInt();
    int digits = int(APFloat::semanticsPrecision(constant.getSemantics())),
        zeros = std::min<int>(bits.countr_zero(), digits - 1);
    return llvm::ilogb(constant) - (digits - 1) + zeros;
  }
  Operation *op = getSplatSource(x).getDefiningOp();
  if (!op) // what a loop carries
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<int>>(op)
      .Case<arith::SIToFPOp, arith::UIToFPOp>([](auto) { return 0; })
      .Case<arith::AddFOp, arith::SubFOp, arith::MaximumFOp, arith::MinimumFOp, arith::NegFOp,
            math::AbsFOp>([&](auto sum) { return all(sum->getOperands(), smaller); })
      .Case(
          [&](arith::SelectOp select) { return all(select->getOperands().drop_front(), smaller); })
      .Case([&](arith::MulFOp product) {
        return all(product->getOperands(), [](int x, int y) { return x + y; });
      })
      .Case([&](arith::DivFOp quotient) -> std::optional<int> {
        std::optional<int> granule = findGranule(quotient.getLhs(), depth + 1);
        if (!granule ||
            !matchPattern(getSplatSource(quotient.getRhs()), m_ConstantFloat(&constant)))
          return std::nullopt;
        // The least quotient other than zero, and a unit in its last place.
        int digits = int(APFloat::semanticsPrecision(constant.getSemantics()));
        int result = *granule - (llvm::ilogb(constant) + 1) - (digits - 1);
        return constant.isFiniteNonZero() && result >= least ? std::optional(result) : std::nullopt;
      })
      .Default([](auto) { return std::nullopt; });
}

/// x / c, whose numerator is a multiple of 2^granule; null if it takes a division.
template <typename Float> static Value divide(Expr x, Float c, int granule) {
  std::optional<Reciprocal<Float>> reciprocal = findReciprocal(c);
  if (!reciprocal || reciprocal->least > std::ldexp(Float(1), granule))
    return {};
  return fma(x, x.real(reciprocal->high), x * x.real(reciprocal->low)).value;
}

namespace {

struct Division {
  arith::DivFOp op;
  APFloat divisor;
  int granule;
};

} // namespace

void expandConstantDivision(Operation *root) {
  SmallVector<Division> divisions;
  root->walk([&](arith::DivFOp op) {
    Type element = getElementTypeOrSelf(op.getType());
    APFloat divisor(0.0);
    if (!isa<VectorType>(op.getType()) || !(element.isF32() || element.isF64()) ||
        bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp) ||
        !matchPattern(getSplatSource(op.getRhs()), m_ConstantFloat(&divisor)))
      return;
    if (std::optional<int> granule = findGranule(op.getLhs()))
      divisions.push_back({op, divisor, *granule});
  });
  for (Division &division : divisions) {
    arith::DivFOp op = division.op;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Expr x{&b, op.getLhs()};
    Value quotient = x.isF32() ? divide(x, division.divisor.convertToFloat(), division.granule)
                               : divide(x, division.divisor.convertToDouble(), division.granule);
    if (!quotient)
      continue;
    op.replaceAllUsesWith(quotient);
    op.erase();
  }
}

} // namespace hloc
