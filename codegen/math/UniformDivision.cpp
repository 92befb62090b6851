// SPDX-License-Identifier: Apache-2.0
// Division of f32 by what is the same in all steps of a loop, such as the sum of a softmax. With
// the divisor's reciprocal r, rounded to f32 before the loop, x / d is q - (q d - x) r, where q is
// x r rounded and both steps are fused multiply-adds. For 2^-26 <= d <= 2^26 and x zero or at least
// 2^-100, that has the bits of the quotient, the sign of a zero too: nothing overflows or
// underflows on the way, so only the fractions matter. The sum before its last rounding differs
// from the quotient by less than 2^-46, and of the fractions whose quotient is that close to the
// middle of two numbers, all were tried. What may be outside that range is divided: smaller x are
// found by their bits, other d, infinities, NaNs and overflows because the result is a NaN. Tests:
// test/codegen/math/UniformDivisionTest.cpp, test/codegen/division-by-sums.hlo.
#include "codegen/math/Expr.h"
#include "codegen/math/Math.h"
#include "compiler/target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
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

/// True if all that is done with an array is to load from it.
static bool isOnlyRead(Value pointer) {
  return llvm::all_of(pointer.getUsers(), [](Operation *user) {
    return isa<LLVM::LoadOp>(user) || (isa<LLVM::GEPOp>(user) && isOnlyRead(user->getResult(0)));
  });
}

/// True if `value` is the same in all steps of the loop; it is moved before the loop if it can be.
static bool makeInvariant(Value value, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    loop.moveOutOfLoop(constant);
    return true;
  }
  auto load = value.getDefiningOp<LLVM::LoadOp>();
  if (!load || load.getVolatile_() || load->getParentOp() != loop)
    return false;
  auto step = load.getAddr().getDefiningOp<LLVM::GEPOp>();
  Value base = step ? step.getBase() : load.getAddr();
  auto array = dyn_cast<BlockArgument>(base);
  auto function = array ? dyn_cast<LLVM::LLVMFuncOp>(array.getOwner()->getParentOp()) : nullptr;
  if (!function ||
      !function.getArgAttr(array.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName()) ||
      !isOnlyRead(array))
    return false;
  moveLoopInvariantCode(loop);
  // If the loop may have no steps, there may be no such element, except the first.
  if (!loop.isDefinedOutsideOfLoop(load.getAddr()) || (step && !loop.getStaticTripCount()))
    return false;
  loop.moveOutOfLoop(load);
  return true;
}

/// True if dividing takes longer than all other operations of the loop with those of divide().
static bool isWorthwhile(scf::ForOp loop, ArrayRef<arith::DivFOp> divisions, const Target &target) {
  double divided = 0, others = 0;
  for (Operation &op : *loop.getBody()) {
    auto type = op.getNumResults() == 1 ? dyn_cast<VectorType>(op.getResult(0).getType()) : nullptr;
    if (!type || isa<LLVM::LoadOp, vector::BroadcastOp, arith::ConstantOp>(op))
      continue;
    Type element = type.getElementType();
    double bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    (llvm::is_contained(divisions, &op) ? divided : others) +=
        std::max(1.0, double(type.getNumElements()) * bits / (8 * double(target.vectorBytes)));
  }
  return target.prefersReciprocals(divided, double(divisions.size()), others);
}

void expandUniformDivision(Operation *root, const Target &target) {
  llvm::MapVector<Operation *, SmallVector<arith::DivFOp>> loops;
  root->walk([&](arith::DivFOp op) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto loop = op->getParentOfType<scf::ForOp>();
    if (type && type.getElementType().isF32() && loop && !isSingleStep(loop) &&
        !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp))
      loops[loop].push_back(op);
  });
  for (auto &[op, divisions] : loops) {
    auto loop = cast<scf::ForOp>(op);
    llvm::erase_if(divisions, [&](arith::DivFOp division) {
      return !makeInvariant(getSplatSource(division.getRhs()), loop);
    });
    if (!isWorthwhile(loop, divisions, target))
      continue;
    llvm::DenseMap<Value, Value> reciprocals;
    for (arith::DivFOp division : divisions) {
      ImplicitLocOpBuilder before(division.getLoc(), loop), b(division.getLoc(), division);
      Value source = getSplatSource(division.getRhs());
      Value &inverse = reciprocals[source];
      if (!inverse)
        inverse = invert({&before, source});
      Type type = division.getType();
      Value reciprocal =
          inverse.getType() == type ? inverse : vector::BroadcastOp::create(b, type, inverse);
      Expr quotient = divide({&b, division.getLhs()}, {&b, division.getRhs()}, {&b, reciprocal},
                             target.getLanes(32));
      division.replaceAllUsesWith(quotient.value);
      division.erase();
    }
  }
}

} // namespace hloc
