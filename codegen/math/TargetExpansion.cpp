// SPDX-License-Identifier: Apache-2.0
// Operations that some targets lack, in terms of others: math.fma, roundings to integers,
// conversions from and to f16. And those for which some have an instruction that LLVM does not use.
// Test: test/codegen/extremes.hlo.
#include "codegen/math/Expr.h"
#include "codegen/math/FloatFormat.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

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

Value emitMultiplyAdd(ImplicitLocOpBuilder &b, Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z, arith::FastMathFlags::contract);
}

void expandFma(Operation *root) {
  for (math::FmaOp op : collect<math::FmaOp>(root)) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Expr x{&b, op.getA()}, y{&b, op.getB()}, z{&b, op.getC()};
    bool mayRoundTwice = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract);
    // The product of two f32 is exact in f64.
    Expr result = mayRoundTwice ? x * y + z
                  : x.isF32()   ? toF32(toF64(x) * toF64(y) + toF64(z))
                                : fusedDouble(x, y, z);
    op.replaceAllUsesWith(result.value);
    op.erase();
  }
}

/// If the only use of an f32 is its product with a power of two, which a bias of f16 can stand for:
/// that product and the power's exponent.
static std::pair<arith::MulFOp, int> matchScaled(Value x) {
  auto product = x.hasOneUse() ? dyn_cast<arith::MulFOp>(*x.user_begin()) : arith::MulFOp();
  llvm::APFloat factor(0.0);
  if (!product || product.getLhs() != x || !getElementTypeOrSelf(x.getType()).isF32() ||
      !matchPattern(getSplatSource(product.getRhs()), m_ConstantFloat(&factor)))
    return {};
  int exponent = factor.getExactLog2();
  if (exponent < -64 || exponent > 64)
    return {};
  return {product, exponent};
}

void expandHalf(Operation *root) {
  for (arith::ExtFOp op : collect<arith::ExtFOp>(root)) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Expr x{&b, op.getIn()};
    if (!x.element().isF16())
      continue;
    Expr bits{&b, arith::BitcastOp::create(b, x.intType(16), x.value)};
    FloatFormat format = getFloatFormat(b.getF16Type());
    if (auto [product, exponent] = matchScaled(op.getResult()); product) {
      format.bias -= exponent;
      product.replaceAllUsesWith(decodeByIntegers(bits, format).value);
      product.erase();
      op.erase();
      continue;
    }
    Expr single = decodeByIntegers(bits, format);
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

/// The greater, or the less, of x and y, which fill a register or are scalars; the number, if one
/// is none. +0 is greater than -0.
static Value emitRange(ImplicitLocOpBuilder &b, Value x, Value y, bool isMaximum) {
  Type element = getElementTypeOrSelf(x.getType());
  auto type = dyn_cast<VectorType>(x.getType());
  int64_t bits = element.getIntOrFloatBitWidth();
  auto constant = [&](unsigned width, int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(width), value));
  };
  // Which one is in the low bits; above them, that its sign is kept.
  Value mode = constant(32, isMaximum ? 0b0101 : 0b0100), currentRounding = constant(32, 4);
  std::string name = "llvm.x86.avx512.mask.range.";
  if (type) {
    int64_t lanes = type.getNumElements();
    Value all = constant(std::max<int64_t>(lanes, 8), -1);
    name += (bits == 32 ? "ps." : "pd.") + std::to_string(lanes * bits);
    SmallVector<Value> operands{x, y, mode, x, all};
    if (lanes * bits == 512)
      operands.push_back(currentRounding);
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands).getResult(0);
  }
  auto wide = VectorType::get({128 / bits}, element);
  Value rest = LLVM::PoisonOp::create(b, wide),
        first = vector::InsertOp::create(b, x, rest, ArrayRef<int64_t>{0});
  Value second = vector::InsertOp::create(b, y, rest, ArrayRef<int64_t>{0});
  name += bits == 32 ? "ss" : "sd";
  auto result = LLVM::CallIntrinsicOp::create(
      b, wide, b.getStringAttr(name),
      ValueRange{first, second, first, constant(8, -1), mode, currentRounding});
  return vector::ExtractOp::create(b, result.getResult(0), ArrayRef<int64_t>{0});
}

/// f(x, y), computed in parts of 512 bits; the number of elements is a power of two.
static Value emitInParts(ImplicitLocOpBuilder &b, Value x, Value y,
                         function_ref<Value(Value, Value)> f) {
  auto type = dyn_cast<VectorType>(x.getType());
  int64_t lanes = type ? type.getNumElements() : 1, half = lanes / 2;
  if (lanes * getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() <= 512)
    return f(x, y);
  SmallVector<int64_t> both = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  ArrayRef<int64_t> low = ArrayRef(both).take_front(half), high = ArrayRef(both).drop_front(half);
  auto take = [&](Value whole, ArrayRef<int64_t> which) {
    return vector::ShuffleOp::create(b, whole, whole, which);
  };
  Value first = emitInParts(b, take(x, low), take(y, low), f);
  Value second = emitInParts(b, take(x, high), take(y, high), f);
  return vector::ShuffleOp::create(b, first, second, both);
}

/// The greater, or the less, of x and y by the instructions that keep their second operand unless
/// the first is strictly greater (maxps): in both orders, they differ where both are zeros, or one
/// is a NaN. The union of the bits of +0 and -0 is -0, and that of a NaN and a number is a NaN.
static Value emitBothOrders(ImplicitLocOpBuilder &b, Value x, Value y, bool isMaximum) {
  auto order = isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Type bits =
      cast<VectorType>(x.getType())
          .clone(b.getIntegerType(getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth()));
  auto choose = [&](Value p, Value q) -> Value {
    Value isFirst = arith::CmpFOp::create(b, order, p, q);
    return arith::BitcastOp::create(b, bits, arith::SelectOp::create(b, isFirst, p, q));
  };
  Value first = choose(x, y), second = choose(y, x), extreme;
  if (isMaximum) {
    Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, y),
          none = arith::ExtSIOp::create(b, bits, isNone);
    extreme = arith::OrIOp::create(b, arith::AndIOp::create(b, first, second), none);
  } else {
    extreme = arith::OrIOp::create(b, first, second);
  }
  return arith::BitcastOp::create(b, x.getType(), extreme);
}

/// True if x is the same in all steps of `loop`, apart from what the loop may store in between.
static bool isSteady(Value x, LoopLikeOpInterface loop) {
  SmallVector<Value> pending{x};
  DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(value) || !seen.insert(value).second)
      continue;
    Operation *source = value.getDefiningOp();
    if (!source || source->getNumRegions() > 0)
      return false;
    llvm::append_range(pending, source->getOperands());
  }
  return true;
}

/// The scalar of which all elements of the vector x are copies, if it is a constant or the same in
/// all steps of the loop around `op`; otherwise null.
static Value getLimit(Value x, Operation *op) {
  if (auto splat = x.getDefiningOp<vector::BroadcastOp>())
    x = splat.getSource();
  Attribute constant;
  if (matchPattern(x, m_Constant(&constant))) {
    auto elements = dyn_cast<SplatElementsAttr>(constant);
    auto number = elements ? elements.getSplatValue<FloatAttr>() : dyn_cast<FloatAttr>(constant);
    OpBuilder b(op);
    return number ? arith::ConstantOp::create(b, op->getLoc(), number).getResult() : Value();
  }
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return isa<FloatType>(x.getType()) && loop && isSteady(x, loop) ? x : Value();
}

/// The greater, or the less, of the vector x and `limit`, all elements of which are `scalar`, by
/// the instruction that keeps x unless `limit` is strictly greater, or less (maxps, minps). That is
/// wrong if `limit` is a NaN, or the zero that wins over the other one. A second instruction makes
/// up for it: for the greater a sum with NaN, +0 or, where nothing is wrong, -0; for the less a
/// union with the bits of a NaN, -0 or +0. What it adds is computed once, before the loop.
static Value emitLimit(ImplicitLocOpBuilder &b, Value x, Value limit, Value scalar,
                       bool isMaximum) {
  auto element = cast<FloatType>(scalar.getType());
  unsigned width = element.getWidth();
  Type integer = b.getIntegerType(width);
  auto constant = [&](APInt value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(integer, value));
  };
  APInt sign = APInt::getSignMask(width), none = APInt::getZero(width);
  Value zero = constant(isMaximum ? none : sign), same = constant(isMaximum ? sign : none);
  Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       arith::BitcastOp::create(b, integer, scalar), zero);
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, scalar, scalar);
  Value correction = arith::SelectOp::create(b, isNan, constant(APInt::getAllOnes(width)),
                                             arith::SelectOp::create(b, isZero, zero, same));
  auto type = cast<VectorType>(x.getType());
  auto order = isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value isFirst = arith::CmpFOp::create(b, order, limit, x);
  Value kept = arith::SelectOp::create(b, isFirst, limit, x);
  auto broadcast = [&](Value value) {
    return vector::BroadcastOp::create(b, type.clone(value.getType()), value);
  };
  if (isMaximum)
    return arith::AddFOp::create(b, kept,
                                 broadcast(arith::BitcastOp::create(b, element, correction)));
  auto bits = type.clone(integer);
  Value both =
      arith::OrIOp::create(b, arith::BitcastOp::create(b, bits, kept), broadcast(correction));
  return arith::BitcastOp::create(b, type, both);
}

template <typename Op> static void expandExtreme(Operation *root, bool isMaximum, bool hasRange) {
  for (Op op : collect<Op>(root)) {
    Value x = op.getLhs(), y = op.getRhs();
    Type element = getElementTypeOrSelf(x.getType());
    auto type = dyn_cast<VectorType>(x.getType());
    int64_t lanes = type ? type.getNumElements() : 1, bits = element.getIntOrFloatBitWidth();
    if (bits < 32 || !llvm::isPowerOf2_64(lanes) || (type && lanes * bits < 128))
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value extreme, first, second;
    if (type) {
      first = getLimit(x, op);
      second = getLimit(y, op);
    }
    if (first || second) {
      extreme =
          second ? emitLimit(b, x, y, second, isMaximum) : emitLimit(b, y, x, first, isMaximum);
    } else if (type && (!isMaximum || !hasRange)) {
      extreme = emitBothOrders(b, x, y, isMaximum);
    } else if (hasRange) {
      Value number =
          emitInParts(b, x, y, [&](Value x, Value y) { return emitRange(b, x, y, isMaximum); });
      Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, y),
            none = arith::AddFOp::create(b, x, y);
      extreme = arith::SelectOp::create(b, isNone, none, number);
    } else {
      continue; // scalars would leave their registers
    }
    op.replaceAllUsesWith(extreme);
    op.erase();
  }
}

void expandExtremes(Operation *root, bool hasRange) {
  expandExtreme<arith::MaximumFOp>(root, /*isMaximum=*/true, hasRange);
  expandExtreme<arith::MinimumFOp>(root, /*isMaximum=*/false, hasRange);
}

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

/// The n below which exp in a float of `bits` bits is zero: half the smallest number is 2^n.
static double getLeastPower(int64_t bits) { return bits == 32 ? -150 : -1075; }

/// x 2^n, for an n that is a whole number. Zero for an n for which exp is that: on some processors,
/// the instruction is many times slower if it rounds to zero.
static Value emitScaled(ImplicitLocOpBuilder &b, Value x, Value n) {
  auto type = cast<VectorType>(x.getType());
  int64_t lanes = type.getNumElements(), bits = type.getElementTypeBitWidth();
  std::string name = "llvm.x86.avx512.mask.scalef." + std::string(bits == 32 ? "ps." : "pd.") +
                     std::to_string(lanes * bits);
  auto constant = [&](unsigned width, int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(width), value));
  };
  auto filled = [&](double value) -> Value {
    auto attribute = b.getFloatAttr(type.getElementType(), value);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, attribute));
  };
  // True for NaNs.
  Value isWanted =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UGE, n, filled(getLeastPower(bits)));
  Value mask =
      vector::BitCastOp::create(b, VectorType::get({1}, b.getIntegerType(lanes)), isWanted);
  mask = vector::ExtractOp::create(b, mask, ArrayRef<int64_t>{0});
  if (lanes < 8)
    mask = arith::ExtUIOp::create(b, b.getI8Type(), mask);
  SmallVector<Value> operands{x, n, filled(0), mask};
  if (lanes * bits == 512)
    operands.push_back(constant(32, 4)); // as the current rounding mode says
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands).getResult(0);
}

void expandScaling(Operation *root) {
  for (arith::MulFOp op : collect<arith::MulFOp>(root)) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto inner = op.getLhs().getDefiningOp<arith::MulFOp>();
    auto rest = op.getRhs().getDefiningOp<arith::BitcastOp>();
    auto difference = rest ? rest.getIn().getDefiningOp<arith::SubIOp>() : nullptr;
    if (!type || !inner || !difference)
      continue;
    int64_t lanes = type.getNumElements();
    auto half = inner.getRhs().getDefiningOp<arith::BitcastOp>();
    Value n = findRounded(difference.getLhs());
    if (!half || half.getIn() != difference.getRhs() || !n || !llvm::isPowerOf2_64(lanes) ||
        lanes * type.getElementTypeBitWidth() < 128)
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    // A lower limit of the argument, beyond which exp is zero, is not needed then.
    auto shifted = n.getDefiningOp<arith::SubFOp>().getLhs().getDefiningOp<math::FmaOp>();
    auto limited = shifted ? shifted.getA().getDefiningOp<arith::SelectOp>() : nullptr;
    if (limited && getNumber(limited.getTrueValue()).value_or(0) < 0 &&
        llvm::all_of(limited->getUsers(), llvm::IsaPred<math::FmaOp>))
      limited.replaceAllUsesWith(limited.getFalseValue());
    Value power = inner.getLhs();
    if (type.getElementType().isF32())
      power = emitUnscaled(b, power);
    if (!power)
      continue;
    op.replaceAllUsesWith(
        emitInParts(b, power, n, [&](Value x, Value n) { return emitScaled(b, x, n); }));
    op.erase();
  }
}

/// The numbers that the i4 `codes` encode, looked up in a table of 16 entries. The number of codes
/// is a power of two.
static Value emitFromTable(ImplicitLocOpBuilder &b, Value codes, bool isSigned) {
  constexpr int64_t count = 16;
  int64_t lanes = cast<VectorType>(codes.getType()).getNumElements();
  if (lanes > count) {
    SmallVector<int64_t> both = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    auto half = [&](ArrayRef<int64_t> which) {
      return emitFromTable(b, vector::ShuffleOp::create(b, codes, codes, which), isSigned);
    };
    Value first = half(ArrayRef(both).take_front(lanes / 2));
    Value second = half(ArrayRef(both).drop_front(lanes / 2));
    return vector::ShuffleOp::create(b, first, second, both);
  }
  auto type = VectorType::get({count}, b.getF32Type());
  SmallVector<float> numbers;
  for (int code = 0; code < count; ++code)
    numbers.push_back(float(isSigned && code >= count / 2 ? code - count : code));
  Value table = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(numbers)));
  Value index = arith::ExtUIOp::create(b, type.clone(b.getI32Type()), codes);
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                                       ValueRange{table, index})
      .getResult(0);
}

template <typename Op> static void expandFromNibbles(Operation *root, bool isSigned) {
  for (Op op : collect<Op>(root)) {
    Value codes = op.getIn();
    bool isNegative = isSigned; // if its first bit is set
    if (auto extension = codes.getDefiningOp<arith::ExtSIOp>()) {
      codes = extension.getIn();
      isNegative = true;
    } else if (auto extension = codes.getDefiningOp<arith::ExtUIOp>()) {
      codes = extension.getIn();
      isNegative = false;
    }
    auto type = dyn_cast<VectorType>(codes.getType());
    if (!type || !type.getElementType().isInteger(4) || type.getNumElements() < 16 ||
        !llvm::isPowerOf2_64(type.getNumElements()) || !getElementTypeOrSelf(op.getType()).isF32())
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(emitFromTable(b, codes, isNegative));
    op.erase();
  }
}

void expandNibbles(Operation *root) {
  expandFromNibbles<arith::SIToFPOp>(root, /*isSigned=*/true);
  expandFromNibbles<arith::UIToFPOp>(root, /*isSigned=*/false);
}

} // namespace hloc
