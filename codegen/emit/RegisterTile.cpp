// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/RegisterTile.h"
#include "codegen/emit/Fence.h"
#include "codegen/emit/Fold.h"
#include "codegen/math/Math.h"
#include "compiler/hlo/ElementType.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The fewest vectors of accumulators for which LLVM may not unroll a tile's loop.
static constexpr int64_t kLongTile = 8;

VectorValue emitZero(IndexBuilder &index, Type element) {
  auto &b = index.b;
  auto zero = [&](Type type) -> Value {
    Type full = index.getLanes() > 1 ? Type(VectorType::get({index.getLanes()}, type)) : type;
    return arith::ConstantOp::create(b, b.getZeroAttr(full));
  };
  if (auto complex = dyn_cast<ComplexType>(element))
    return {zero(complex.getElementType()), zero(complex.getElementType())};
  return {zero(getRegisterType(element)), {}};
}

VectorValue emitMultiplyAdd(IndexBuilder &index, Type element, VectorValue x, VectorValue y,
                            VectorValue sum) {
  auto &b = index.b;
  x = broadcastLanes(index, x);
  y = broadcastLanes(index, y);
  if (isa<ComplexType>(element)) {
    Value re = emitMultiplyAdd(b, x.re, y.re, sum.re), im = emitMultiplyAdd(b, x.re, y.im, sum.im);
    Value minus = arith::NegFOp::create(b, x.im);
    return {emitMultiplyAdd(b, minus, y.im, re), emitMultiplyAdd(b, x.im, y.re, im)};
  }
  if (isa<FloatType>(element))
    return {emitMultiplyAdd(b, x.re, y.re, sum.re), {}};
  if (hlo::isPred(element))
    return {arith::OrIOp::create(b, sum.re, arith::AndIOp::create(b, x.re, y.re)), {}};
  return {arith::AddIOp::create(b, sum.re, arith::MulIOp::create(b, x.re, y.re)), {}};
}

Value emitPairMultiplyAdd(IndexBuilder &index, Value x, Value y, Value sum) {
  auto &b = index.b;
  auto type = cast<VectorType>(sum.getType());
  if (type.getElementType().isF32()) {
    auto asFloats = [&](Value bits) -> Value {
      return vector::BitCastOp::create(
          b, VectorType::get({2 * type.getNumElements()}, b.getBF16Type()), bits);
    };
    std::string bits = std::to_string(32 * type.getNumElements());
    auto sums = LLVM::CallIntrinsicOp::create(
        b, type, b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps." + bits),
        ValueRange{sum, asFloats(x), asFloats(y)});
    return sums.getResult(0);
  }
  StringRef name = type.getNumElements() == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                   : type.getNumElements() == 8 ? "llvm.x86.avx2.pmadd.wd"
                                                : "llvm.x86.sse2.pmadd.wd";
  auto products = LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), ValueRange{x, y});
  return arith::AddIOp::create(b, sum, products.getResult(0));
}

Value emitQuadMultiplyAdd(IndexBuilder &index, Value x, Value y, Value sum) {
  auto type = cast<VectorType>(sum.getType());
  std::string bits = std::to_string(32 * type.getNumElements());
  auto sums = LLVM::CallIntrinsicOp::create(
      index.b, type, index.b.getStringAttr("llvm.x86.avx512.vpdpbusd." + bits),
      ValueRange{sum, x, y});
  return sums.getResult(0);
}

/// 128 in each byte of a vector of integers.
static Value getOffsets(ImplicitLocOpBuilder &b, Type type) {
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<ShapedType>(type), APInt::getSplat(bits, APInt(8, 128))));
}

Value emitOffset(ImplicitLocOpBuilder &b, Value vector) {
  return arith::XOrIOp::create(b, vector, getOffsets(b, vector.getType()));
}

Value emitOffsetMultiplyAdd(IndexBuilder &index, Value words, Value sum) {
  auto type = cast<VectorType>(words.getType());
  auto bytes = VectorType::get({4 * type.getNumElements()}, index.b.getI8Type());
  return emitQuadMultiplyAdd(index, getOffsets(index.b, bytes),
                             vector::BitCastOp::create(index.b, bytes, words), sum);
}

/// Registers that the accumulators of a tile take.
static int64_t countSums(KernelContext &context, TileShape shape, Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  unsigned bits = (complex ? complex.getElementType() : element).getIntOrFloatBitWidth();
  int64_t lanes = context.target.getLanes(std::max(8u, bits));
  return shape.rows * shape.vectors * llvm::divideCeil(context.index.getLanes(), lanes) *
         (complex ? 2 : 1);
}

/// A tile's loop from `lower` to `upper` over `step`, which takes k and `sums` accumulators. Loops
/// with many accumulators are not unrolled: loop overhead is hidden behind the arithmetic, and
/// copies of the body would take most of a kernel's compile time.
static SmallVector<Value> buildSteps(KernelContext &context, Value lower, Value upper, int64_t sums,
                                     ValueRange initial,
                                     function_ref<SmallVector<Value>(Value, ValueRange)> step) {
  // LLVM would schedule unrolled copies of a body that fills the registers so that they spill.
  bool isLong = sums >= kLongTile;
  Value end = isLong && getConstant(upper) ? hideConstant(context.b, upper) : upper;
  return buildFor(context, lower, end, 1, initial, step, Rounds::Some);
}

SmallVector<VectorValue> buildTile(KernelContext &context, TileShape shape, Type element,
                                   int64_t group, Value lower, Value upper,
                                   ArrayRef<VectorValue> initial,
                                   function_ref<VectorValue(int64_t, Value)> left,
                                   function_ref<VectorValue(int64_t, Value)> right,
                                   TileKeeps keeps) {
  if (getConstant(upper) == 0)
    return SmallVector<VectorValue>(initial);
  auto asParts = [&](VectorValue words) {
    auto type =
        VectorType::get({group * context.index.getLanes()}, context.b.getIntegerType(32 / group));
    return vector::BitCastOp::create(context.b, type, broadcastLanes(context.index, words).re);
  };
  auto step = [&](Value k, ValueRange now) {
    SmallVector<VectorValue> next = unpackLanes(element, now), values;
    // The values of one operand stay in registers; each one of the other is used at once.
    bool keepsRows = keeps == TileKeeps::Fewest && shape.rows < shape.vectors;
    int64_t kept = keepsRows ? shape.rows : shape.vectors,
            passing = keepsRows ? shape.vectors : shape.rows;
    for (int64_t i = 0; i < kept; ++i)
      values.push_back(keepsRows ? left(i, k) : right(i, k));
    for (int64_t j = 0; j < passing; ++j) {
      VectorValue passed = keepsRows ? right(j, k) : left(j, k);
      for (auto [i, value] : llvm::enumerate(values)) {
        if (!passed.re || !value.re)
          return SmallVector<Value>(now);
        int64_t row = keepsRows ? i : j, v = keepsRows ? j : i;
        VectorValue x = keepsRows ? value : passed, y = keepsRows ? passed : value,
                    &sum = next[row * shape.vectors + v];
        if (group == 1)
          sum = emitMultiplyAdd(context.index, element, x, y, sum);
        else
          sum.re = (group == 2 ? emitPairMultiplyAdd : emitQuadMultiplyAdd)(
              context.index, asParts(x), asParts(y), sum.re);
      }
    }
    return packLanes(next);
  };
  return unpackLanes(element, buildSteps(context, lower, upper, countSums(context, shape, element),
                                         packLanes(initial), step));
}

int64_t countTilePieces(int64_t most) { return llvm::divideCeil(most, kPieceSteps); }

SmallVector<VectorValue> buildTileInPieces(KernelContext &context, TileShape shape, Type element,
                                           int64_t group, Value count,
                                           ArrayRef<VectorValue> initial,
                                           function_ref<VectorValue(int64_t, Value)> left,
                                           function_ref<VectorValue(int64_t, Value)> right,
                                           function_ref<void(Value)> before) {
  auto &b = context.b;
  Value steps = context.index.constant(kPieceSteps);
  std::optional<int64_t> known = getConstant(count);
  SmallVector<Value> sums =
      buildFor(context, context.index.constant(0), count, kPieceSteps, packLanes(initial),
               [&](Value start, ValueRange now) {
                 before(b.createOrFold<arith::DivUIOp>(start, steps));
                 Value end = b.createOrFold<arith::AddIOp>(start, steps);
                 if (!known || *known % kPieceSteps != 0)
                   end = b.createOrFold<arith::MinSIOp>(end, count);
                 return packLanes(buildTile(context, shape, element, group, start, end,
                                            unpackLanes(element, now), left, right));
               });
  return unpackLanes(element, sums);
}

SmallVector<Value> transposeSquare(ImplicitLocOpBuilder &b, SmallVector<Value> rows) {
  if (rows.size() < 2) // a single one may not be a vector
    return rows;
  int64_t size = rows.size(), width = cast<VectorType>(rows[0].getType()).getNumElements();
  // Exchange blocks of half the size, again and again: small blocks stay within 128 bits, where
  // shuffles are fastest.
  for (int64_t half = size / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width; ++lane) {
      bool isUpper = lane & half;
      low.push_back(isUpper ? width + lane - half : lane);
      high.push_back(isUpper ? width + lane : lane + half);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & half)
        continue;
      Value first = vector::ShuffleOp::create(b, rows[i], rows[i + half], low);
      rows[i + half] = vector::ShuffleOp::create(b, rows[i], rows[i + half], high);
      rows[i] = first;
    }
    // Keeps LLVM from searching for better shuffles across all steps, which are optimal already.
    if (half == 4)
      for (Value &row : rows)
        row = fence(b, row);
  }
  return rows;
}

} // namespace hloc
