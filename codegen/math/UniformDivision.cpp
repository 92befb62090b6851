// SPDX-License-Identifier: Apache-2.0
// Division of f32 by what is the same in all steps of a loop, such as the sum of a softmax. With
// the divisor's reciprocal r, rounded to f32 before the loop, x / d is q - (q d - x) r, where q is
// x r rounded and both steps are fused multiply-adds. For 2^-26 <= d <= 2^26 and x zero or at least
// 2^-100, that has the bits of the quotient, the sign of a zero too: nothing overflows or
// underflows on the way, so only the fractions matter. The sum before its last rounding differs
// from the quotient by less than 2^-46, and of the fractions whose quotient is that close to the
// middle of two numbers, all were tried. What may be outside that range is divided: smaller x are
// found by their bits, other d, infinities, NaNs and overflows because the result is a NaN. Test:
// test/codegen/division-by-sums.hlo.
#include "codegen/math/Expr.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

#include <limits>

using namespace mlir;

namespace hloc {

static constexpr float kLeastDivisor = 0x1p-26f, kGreatestDivisor = 0x1p26f,
                       kLeastDividend = 0x1p-100f;

/// Folds the halves of a vector onto each other until it has at most `lanes` elements.
static Expr foldHalves(Expr x, int64_t lanes, function_ref<Expr(Expr, Expr)> combine) {
  ImplicitLocOpBuilder &b = *x.b;
  while (true) {
    int64_t count = cast<VectorType>(x.value.getType()).getNumElements();
    if (count <= lanes)
      return x;
    auto half = [&](int64_t first) {
      auto places = llvm::to_vector(llvm::seq(first, first + count / 2));
      return Expr{&b, vector::ShuffleOp::create(b, x.value, x.value, places)};
    };
    x = combine(half(0), half(count / 2));
  }
}

/// 1 / divisor, or NaN if the divisor is out of range.
static Expr invert(Expr divisor) {
  Expr isInRange = ge(divisor, kLeastDivisor) & le(divisor, kGreatestDivisor);
  return select(isInRange, 1.0 / divisor, divisor.real(std::numeric_limits<double>::quiet_NaN()));
}

static Expr divide(Expr x, Expr divisor, Expr reciprocal, int64_t lanes) {
  ImplicitLocOpBuilder &b = *x.b;
  Expr q = x * reciprocal;
  Expr quotient = fma(-fma(q, divisor, -x), reciprocal, q);
  // Twice the bits, so that the sign does not count, and one less, so that zeros are large.
  int64_t least = 2 * int64_t(llvm::bit_cast<uint32_t>(kLeastDividend)) - 1;
  Expr smallest = foldHalves(shl(bitsOf(x), 1) - 1, lanes, [&](Expr low, Expr high) {
    return Expr{&b, arith::MinUIOp::create(b, low, high)};
  });
  Expr sum = foldHalves(quotient, lanes, [](Expr low, Expr high) { return low + high; });
  return ifAny(isNan(sum) | ult(smallest, least), {quotient},
               [&]() -> SmallVector<Expr> { return {x / divisor}; })[0];
}

/// True if the loop is known to have a single step.
static bool isSingleStep(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  return trips && trips->ule(1);
}

void expandUniformDivision(Operation *root, int64_t lanes) {
  SmallVector<arith::DivFOp> divisions;
  root->walk([&](arith::DivFOp op) { divisions.push_back(op); });
  llvm::DenseMap<std::pair<Operation *, Value>, Value> reciprocals;
  for (arith::DivFOp op : divisions) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto loop = op->getParentOfType<scf::ForOp>();
    Value source = getSplatSource(op.getRhs());
    if (!type || !type.getElementType().isF32() || !loop || isSingleStep(loop) ||
        bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp) ||
        !loop.isDefinedOutsideOfLoop(source))
      continue;
    Value &inverse = reciprocals[{loop, source}];
    ImplicitLocOpBuilder before(op.getLoc(), loop), b(op.getLoc(), op);
    if (!inverse)
      inverse = invert({&before, source});
    Value reciprocal =
        inverse.getType() == type ? inverse : vector::BroadcastOp::create(b, type, inverse);
    Expr quotient = divide({&b, op.getLhs()}, {&b, op.getRhs()}, {&b, reciprocal}, lanes);
    op.replaceAllUsesWith(quotient.value);
    op.erase();
  }
}

} // namespace hloc
