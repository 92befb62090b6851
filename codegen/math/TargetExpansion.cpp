// SPDX-License-Identifier: Apache-2.0
// Operations that some targets lack, in terms of others: math.fma, roundings to integers,
// conversions from and to f16.
#include "codegen/math/Expr.h"
#include "codegen/math/FloatFormat.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace hloc {

/// x as the sum of two parts of half its precision, found by clearing bits: never overflows.
static Pair splitHalf(Expr x) {
  Expr bits = bitsOf(x);
  Expr hi = asFloat(bits & (int64_t(-1) << 27));
  return {hi, x - hi};
}

/// Within half a unit in the last place and a little; exact where the result is representable.
static Expr fusedDouble(Expr x, Expr y, Expr z) {
  // A product that overflows may meet an addend that brings it back.
  Expr overflows = ge(abs(x * y), 0x1p1023);
  Expr down = select(overflows, x.real(0x1p-64), x.real(1));
  Expr up = select(overflows, x.real(0x1p64), x.real(1));
  y = y * down;
  z = z * down;
  Expr product = x * y;
  Pair xs = splitHalf(x), ys = splitHalf(y);
  Expr error = xs.lo * ys.lo - (((product - xs.hi * ys.hi) - xs.lo * ys.hi) - xs.hi * ys.lo);
  Pair sum = twoSum(product, z);
  Expr precise = sum.hi + (sum.lo + error);
  // Infinities make the error terms NaN.
  Expr finite = lt(abs(sum.hi), sum.hi.real(INFINITY)) & lt(abs(product), product.real(INFINITY));
  return select(finite, precise, sum.hi) * up;
}

template <typename Op> static SmallVector<Op> collect(Operation *root) {
  SmallVector<Op> operations;
  root->walk([&](Op op) { operations.push_back(op); });
  return operations;
}

void expandFma(Operation *root) {
  for (math::FmaOp op : collect<math::FmaOp>(root)) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Expr x{&b, op.getA()}, y{&b, op.getB()}, z{&b, op.getC()};
    // The product of two f32 is exact in f64.
    Expr result = x.isF32() ? toF32(toF64(x) * toF64(y) + toF64(z)) : fusedDouble(x, y, z);
    op.replaceAllUsesWith(result.value);
    op.erase();
  }
}

void expandHalf(Operation *root) {
  for (arith::ExtFOp op : collect<arith::ExtFOp>(root)) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Expr x{&b, op.getIn()};
    if (!x.element().isF16())
      continue;
    Expr bits{&b, arith::BitcastOp::create(b, x.intType(16), x.value)};
    Expr single = decodeByIntegers(bits, getFloatFormat(b.getF16Type()));
    bool toDouble = getElementTypeOrSelf(op.getType()).isF64();
    op.replaceAllUsesWith((toDouble ? toF64(single) : single).value);
    op.erase();
  }
  for (arith::TruncFOp op : collect<arith::TruncFOp>(root)) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF16())
      continue;
    Expr bits = encodeByIntegers({&b, op.getIn()}, getFloatFormat(b.getF16Type()));
    op.replaceAllUsesWith(arith::BitcastOp::create(b, type, bits.value).getResult());
    op.erase();
  }
}

/// To the nearest integer: adding 2^(mantissa bits) leaves no digits after the point. Numbers that
/// great already are integers (or not numbers).
static Expr nearestInteger(Expr x) {
  Expr magnitude = abs(x);
  double limit = x.isF32() ? 0x1p23 : 0x1p52;
  return select(lt(magnitude, limit), copysign((magnitude + limit) - limit, x), x);
}

/// Applies `f` to the operand of every Op.
template <typename Op> static void expandUnary(Operation *root, function_ref<Expr(Expr)> f) {
  for (Op op : collect<Op>(root)) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(f({&b, op.getOperand()}).value);
    op.erase();
  }
}

void expandRounding(Operation *root) {
  // A correction by 1 where rounding went the other way; -0 comes from the argument's sign.
  auto corrected = [](Expr x, Expr wrong, Expr nearest, double step) {
    return copysign(select(wrong, nearest + step, nearest), x);
  };
  expandUnary<math::RoundEvenOp>(root, nearestInteger);
  expandUnary<math::FloorOp>(root, [&](Expr x) {
    Expr nearest = nearestInteger(x);
    return corrected(x, gt(nearest, x), nearest, -1);
  });
  expandUnary<math::CeilOp>(root, [&](Expr x) {
    Expr nearest = nearestInteger(x);
    return corrected(x, lt(nearest, x), nearest, 1);
  });
  expandUnary<math::TruncOp>(root, [&](Expr x) {
    Expr magnitude = abs(x), nearest = nearestInteger(magnitude);
    return corrected(x, gt(nearest, magnitude), nearest, -1);
  });
}

} // namespace hloc
