// SPDX-License-Identifier: Apache-2.0
// The end of exp in x86 code: a multiplication by 2^n. Test:
// test/codegen/exponential-of-masked.hlo.
#include "codegen/math/Expr.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"
#include "codegen/math/TargetExpansion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The value of a constant, or of a vector of equal ones.
static std::optional<double> getNumber(Value x) {
  if (auto splat = x.getDefiningOp<vector::BroadcastOp>())
    x = splat.getSource();
  APFloat number(0.0);
  if (!matchPattern(x, m_ConstantFloat(&number)))
    return std::nullopt;
  bool isInexact;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
  return number.convertToDouble();
}

/// n, of bits of which exp has made the float `field`'s exponent (Exponential.cpp): bits are those
/// of `shifted`, whose lowest are n + expBias.
static Value findRounded(Value field) {
  auto shift = field.getDefiningOp<arith::ShLIOp>();
  auto bits = shift ? shift.getLhs().getDefiningOp<arith::BitcastOp>() : nullptr;
  if (!bits)
    return {};
  Value shifted = bits.getIn();
  double magic =
      getElementTypeOrSelf(shifted.getType()).isF32() ? 0x1.8p23 + expBias32 : 0x1.8p52 + expBias64;
  for (Operation *user : shifted.getUsers())
    if (auto difference = dyn_cast<arith::SubFOp>(user);
        difference && difference.getLhs() == shifted && getNumber(difference.getRhs()) == magic)
      return difference;
  return {};
}

/// exp's polynomial in f32 without its scale: with all of its constants divided by that. Null for
/// anything but nested products and sums.
static Value emitUnscaled(ImplicitLocOpBuilder &b, Value x) {
  if (std::optional<double> number = getNumber(x)) {
    Type type = x.getType();
    auto value = b.getFloatAttr(getElementTypeOrSelf(type), *number / expScale32);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(cast<ShapedType>(type), value));
  }
  auto sum = x.getDefiningOp<math::FmaOp>();
  Value product = sum ? emitUnscaled(b, sum.getA()) : Value(),
        rest = product ? emitUnscaled(b, sum.getC()) : Value();
  return rest ? math::FmaOp::create(b, product, sum.getB(), rest, sum.getFastmath()) : Value();
}

/// x 2^n, for an n that is a whole number.
static Value emitScaled(ImplicitLocOpBuilder &b, Value x, Value n) {
  auto type = cast<VectorType>(x.getType());
  int64_t lanes = type.getNumElements(), bits = type.getElementTypeBitWidth();
  std::string name = "llvm.x86.avx512.mask.scalef." + std::string(bits == 32 ? "ps." : "pd.") +
                     std::to_string(lanes * bits);
  auto constant = [&](unsigned width, int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(width), value));
  };
  SmallVector<Value> operands{x, n, x, constant(std::max<int64_t>(lanes, 8), -1)};
  if (lanes * bits == 512)
    operands.push_back(constant(32, 4)); // as the current rounding mode says
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands).getResult(0);
}

namespace {
/// The end of exp of vectors: `power` times two powers of two, whose product is 2^n but for exp's
/// scale. `field` has n + expBias as its exponent.
struct Scaling {
  Value power, field, n;
};
} // namespace

static std::optional<Scaling> matchScaling(arith::MulFOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  auto inner = op.getLhs().getDefiningOp<arith::MulFOp>();
  auto rest = op.getRhs().getDefiningOp<arith::BitcastOp>();
  auto difference = rest ? rest.getIn().getDefiningOp<arith::SubIOp>() : nullptr;
  if (!type || !inner || !difference)
    return std::nullopt;
  int64_t lanes = type.getNumElements();
  auto half = inner.getRhs().getDefiningOp<arith::BitcastOp>();
  Value n = findRounded(difference.getLhs());
  if (!half || half.getIn() != difference.getRhs() || !n || !llvm::isPowerOf2_64(lanes) ||
      lanes * type.getElementTypeBitWidth() < 128)
    return std::nullopt;
  return Scaling{inner.getLhs(), difference.getLhs(), n};
}

void expandScaling(Operation *root) {
  for (arith::MulFOp op : collect<arith::MulFOp>(root)) {
    std::optional<Scaling> scaling = matchScaling(op);
    if (!scaling)
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value power = scaling->power;
    if (getElementTypeOrSelf(power.getType()).isF32())
      power = emitUnscaled(b, power);
    if (!power)
      continue;
    op.replaceAllUsesWith(
        emitInParts(b, power, scaling->n, [&](Value x, Value n) { return emitScaled(b, x, n); }));
    op.erase();
  }
}

void expandScalingByExponent(Operation *root) {
  for (arith::MulFOp op : collect<arith::MulFOp>(root)) {
    std::optional<Scaling> scaling = matchScaling(op);
    if (!scaling || !getElementTypeOrSelf(op.getType()).isF32())
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Expr n{&b, scaling->n}, power{&b, scaling->power}, field{&b, scaling->field};
    auto branch = scf::IfOp::create(b, TypeRange{op.getType()}, anyOf(!le(abs(n), 125)), true);
    b.setInsertionPointToStart(branch.thenBlock());
    // Small results in units of the least subnormal number: adding 2^23 rounds one to an integer,
    // which is in the low bits of the sum and is the bits of the result.
    Expr isSmall = lt(n, -126.5);
    Expr half = lshr(field, 1) & 0x7f800000, rest = field - half;
    Expr product =
        power * asFloat(half) * asFloat(select(isSmall, rest + (int64_t(149) << 23), rest));
    Expr units = bitsOf(product + 0x1p23) - bitsOf(product.real(0x1p23));
    scf::YieldOp::create(b, select(isSmall, asFloat(units), product).value);
    b.setInsertionPointToStart(branch.elseBlock());
    // The exponent of exp's scale, and the bias of n in the field.
    constexpr int64_t offset = 102 + expBias32;
    static_assert(expScale32 == 0x1p102);
    scf::YieldOp::create(b, asFloat(bitsOf(power) + (field - (offset << 23))).value);
    op.replaceAllUsesWith(branch.getResult(0));
    op.erase();
  }
}

} // namespace hloc
