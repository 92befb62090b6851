// SPDX-License-Identifier: Apache-2.0
// x * y + z with one rounding, on processors without the instruction, in arithmetic that rounds
// each operation. S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", IEEE Transactions on Computers 57(4), 2008. Test:
// test/codegen/math/FmaTest.cpp.
#include "codegen/math/Expr.h"
#include "codegen/math/Math.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace hloc {

/// x + y of f64, rounded to odd: if it is inexact, to the neighbour whose last bit is set. Rounding
/// the result again, to at least two bits less, gives the same as rounding the exact sum.
static Expr addToOdd(Expr x, Expr y) {
  Pair sum = twoSum(x, y);
  Expr bits = bitsOf(sum.hi);
  // The other neighbour lies above if the error has the sum's sign.
  Expr step = ashr(bits ^ bitsOf(sum.lo), 63) | 1;
  Expr isInexact = lt(sum.lo, 0) | gt(sum.lo, 0); // not of infinities
  return asFloat(select(isInexact & eq(bits & 1, 0), bits + step, bits));
}

/// A number that is neither zero nor infinite nor NaN as a fraction of [1, 2) and a power of two.
struct Scaled {
  Expr fraction, exponent;
};

static Scaled takeApart(Expr x) {
  constexpr int64_t fractionBits = 52, bias = 1023;
  constexpr double toNormal = 0x1p54;
  Expr isSmall = lt(abs(x), 0x1p-1022);
  Expr bits = bitsOf(select(isSmall, x * toNormal, x));
  Expr exponent = (lshr(bits, fractionBits) & 0x7ff) - bias;
  Expr fraction = asFloat((bits & ~(int64_t(0x7ff) << fractionBits)) | (bias << fractionBits));
  return {fraction, select(isSmall, exponent - 54, exponent)};
}

/// 2^exponent, of at least -1022 and at most 1023.
static Expr scaleOf(Expr exponent) { return asFloat(shl(exponent + 1023, 52)); }

static Expr limit(Expr x, int64_t least, int64_t most) {
  x = select(lt(x, least), x.integer(least), x);
  return select(gt(x, most), x.integer(most), x);
}

/// x * 2^exponent, for what stays a number of f64 or becomes infinite, and any exponent that a
/// product has.
static Expr scale(Expr x, Expr exponent) {
  // The least and the greatest power need several steps, of which the last alone may leave the
  // range.
  for (int i = 0; i < 3; ++i) {
    Expr step = limit(exponent, -900, 900);
    x = x * scaleOf(step);
    exponent = exponent - step;
  }
  return x;
}

/// The product of fractions, exact: T. J. Dekker, "A floating-point technique for extending the
/// available precision", Numerische Mathematik 18, 1971.
static Pair multiplyFractions(Expr x, Expr y) {
  auto split = [](Expr x) -> Pair {
    Expr wide = x * 0x1.000002p27;
    Expr hi = wide - (wide - x);
    return {hi, x - hi};
  };
  Pair xs = split(x), ys = split(y);
  Expr product = x * y;
  Expr error = (xs.hi * ys.hi - product) + xs.hi * ys.lo + xs.lo * ys.hi + xs.lo * ys.lo;
  return {product, error};
}

/// Of f64. All is scaled so that the product is one of fractions, and neither overflows nor loses
/// bits. How an addend that is very far above or below it compares with it is all that matters.
static Expr emulateDouble(Expr x, Expr y, Expr z) {
  constexpr int64_t far = 200;
  Scaled xs = takeApart(x), ys = takeApart(y), zs = takeApart(z);
  Pair product = multiplyFractions(xs.fraction, ys.fraction);
  Expr isAbove = gt(zs.exponent - (xs.exponent + ys.exponent), far);
  Expr exponent = select(isAbove, zs.exponent - far, xs.exponent + ys.exponent);
  Expr addend = zs.fraction * scaleOf(limit(zs.exponent - exponent, -far, far));
  addend = select(eq(z, 0), z, addend);

  // The sum of three, as one that is rounded and a rest that is rounded to odd.
  Pair low = twoSum(addend, product.lo), high = twoSum(product.hi, low.hi);
  Expr rest = addToOdd(low.lo, high.lo);
  Expr sum = high.hi + rest;

  // A result that is subnormal has its last bit in a fixed place: adding a number with its last bit
  // there, and taking it away, rounds it so.
  Expr least = scaleOf(limit(-1022 - exponent, -1022, 1000)); // of normal numbers, as scaled
  Expr shift = copysign(least, sum);
  Pair shifted = twoSum(shift, high.hi);
  Expr rounded = (shifted.hi + addToOdd(shifted.lo, rest)) - shift;
  sum = select(lt(abs(sum), least), copysign(rounded, sum), sum);

  // Factors that are infinite, NaN or zero, and addends that are infinite or NaN.
  auto isFinite = [](Expr x) { return lt(abs(x), INFINITY); };
  Expr areFinite = isFinite(x) & isFinite(y);
  Expr isOrdinary = areFinite & isFinite(z) & ne(x, 0) & ne(y, 0);
  Expr plain = select(areFinite & !isFinite(z), z, x * y + z); // whose product may overflow
  return select(isOrdinary, scale(sum, exponent), plain);
}

/// Of f32: the product is exact in f64.
static Expr emulateSingle(Expr x, Expr y, Expr z) {
  return toF32(addToOdd(toF64(x) * toF64(y), toF64(z)));
}

namespace {

/// Functions for f64 in the module, because the arithmetic is too long to be repeated.
class FmaFunctions {
public:
  explicit FmaFunctions(Operation *root) : root(root) {}

  Value call(ImplicitLocOpBuilder &b, Value x, Value y, Value z) {
    auto type = dyn_cast<VectorType>(x.getType());
    if (!type || type.getNumElements() <= kLanes)
      return LLVM::CallOp::create(b, getFunction(x.getType()), ValueRange{x, y, z}).getResult();
    SmallVector<int64_t> both = llvm::to_vector(llvm::seq<int64_t>(0, type.getNumElements()));
    auto half = [&](ArrayRef<int64_t> which) {
      auto take = [&](Value whole) { return vector::ShuffleOp::create(b, whole, whole, which); };
      return call(b, take(x), take(y), take(z));
    };
    Value first = half(ArrayRef(both).take_front(both.size() / 2)),
          second = half(ArrayRef(both).drop_front(both.size() / 2));
    return vector::ShuffleOp::create(b, first, second, both);
  }

private:
  /// Lanes of f64 in the registers that every processor has.
  static constexpr int64_t kLanes = 2;

  LLVM::LLVMFuncOp getFunction(Type type) {
    auto vectorType = dyn_cast<VectorType>(type);
    LLVM::LLVMFuncOp &function = functions[vectorType ? vectorType.getNumElements() : 0];
    if (function)
      return function;
    auto b = ImplicitLocOpBuilder::atBlockBegin(root->getLoc(), &root->getRegion(0).front());
    std::string name = "hloc.fma." + std::to_string(vectorType ? vectorType.getNumElements() : 0);
    function = LLVM::LLVMFuncOp::create(
        b, name, LLVM::LLVMFunctionType::get(type, {type, type, type}), LLVM::Linkage::Internal);
    function.setNoInline(true);
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    Expr x{&b, entry->getArgument(0)}, y{&b, entry->getArgument(1)}, z{&b, entry->getArgument(2)};
    LLVM::ReturnOp::create(b, emulateDouble(x, y, z));
    return function;
  }

  Operation *root;
  llvm::DenseMap<int64_t, LLVM::LLVMFuncOp> functions;
};

} // namespace

void emulateFma(Operation *root) {
  FmaFunctions functions(root);
  SmallVector<math::FmaOp> operations;
  root->walk([&](math::FmaOp op) { operations.push_back(op); });
  for (math::FmaOp op : operations) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Expr x{&b, op.getA()}, y{&b, op.getB()}, z{&b, op.getC()};
    op.replaceAllUsesWith(x.isF32() ? emulateSingle(x, y, z).value
                                    : functions.call(b, x.value, y.value, z.value));
    op.erase();
  }
}

} // namespace hloc
