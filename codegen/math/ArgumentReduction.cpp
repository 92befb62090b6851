// SPDX-License-Identifier: Apache-2.0
// x 2/pi modulo 4 for x = m 2^e: of the product of m and the bits of 2/pi, the bits above the
// quadrant are never computed, and those far below are not needed. Which words of 2/pi matter is
// chosen by a tree of selects on the exponent, so that no table in memory is needed.
#include "codegen/math/ArgumentReduction.h"

using namespace mlir;

namespace hloc {

// 32 zero bits, then the bits after the point of 2/pi.
constexpr uint64_t twoOverPi[] = {
    0x00000000a2f9836e, 0x4e441529fc2757d1, 0xf534ddc0db629599, 0x3c439041fe5163ab,
    0xdebbc561b7246e3a, 0x424dd2e006492eea, 0x09d1921cfe1deb1c, 0xb129a73ee88235f5,
    0x2ebb4484e99c7026, 0xb45f7e413991d639, 0x835339f49c845f8b, 0xbdf9283b1ff897ff,
    0xde05980fef2f118b, 0x5a0a6d1f6d367ecf, 0x27cb09b74f463f66, 0x9e5fea2d7527bac7,
    0xebe5f17b3d0739f7, 0x8a5292ea6bfb5fb1, 0x1f8d5d0856033046, 0xfc7b6bab00000000};

/// `count` words of 64 bits of twoOverPi from bit `position` (64-bit lanes, below 2^levels * 64).
static SmallVector<Expr> window(Expr position, unsigned count, unsigned levels) {
  Expr index = lshr(position, 6);
  unsigned needed = (1u << levels) - 1 + count + 1;
  SmallVector<Expr> words;
  for (unsigned i = 0; i < needed; ++i)
    words.push_back(position.integer(i < std::size(twoOverPi) ? twoOverPi[i] : 0));
  for (int level = levels - 1; level >= 0; --level) {
    unsigned step = 1u << level;
    Expr taken = ne(index & step, 0);
    for (unsigned i = 0; i + step < words.size(); ++i)
      words[i] = select(taken, words[i + step], words[i]);
    words.truncate(words.size() - step);
  }
  Expr shift = position & 63;
  SmallVector<Expr> result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back(shl(words[i], shift) | lshr(lshr(words[i + 1], 1), 63 - shift));
  return result;
}

/// The exact f64 value of an integer below 2^32 in a 64-bit lane.
static Expr unsignedToFloat(Expr x) { return asFloat(x | int64_t(0x4330000000000000)) - 0x1p52; }
static Expr lowHalf(Expr x) { return x & int64_t(0xffffffff); }

// The window starts at weight 2^1, so that its product with m starts at 2^(1 + width of m).
static QuarterPeriods reduceSingle(Expr x) {
  Expr bits = zext(bitsOf(x), 64);
  Expr mantissa = (bits & 0x7fffff) | 0x800000;
  Expr exponent = lshr(bits, 23) - 150;
  SmallVector<Expr> words = window(exponent + 30, 2, 2);
  Expr w0 = lshr(words[0], 32), w1 = lowHalf(words[0]), w2 = lshr(words[1], 32);
  // Two integer bits, 62 of fraction.
  Expr product = shl(mantissa * w0, 32) + mantissa * w1 + lshr(mantissa * w2, 32);
  Expr rounded = product + (int64_t(1) << 61);
  Expr quadrant = truncInt(lshr(rounded, 62), 32);
  Expr fraction = (rounded & ((int64_t(1) << 62) - 1)) - (int64_t(1) << 61);
  Expr high =
      asFloat(lowHalf(lshr(fraction, 32) ^ int64_t(0x80000000)) | int64_t(0x4330000000000000)) -
      0x1.000008p52;
  Expr value = multiplyAdd(high, high.real(0x1p32), unsignedToFloat(lowHalf(fraction)));
  Expr r = value * 0x1.921fb54442d18p-62;
  Expr hi = toF32(r);
  return {hi, toF32(r - toF64(hi)), quadrant};
}

static QuarterPeriods reduceDouble(Expr x) {
  Expr bits = bitsOf(x);
  Expr mantissa = (bits & ((int64_t(1) << 52) - 1)) | (int64_t(1) << 52);
  Expr exponent = lshr(bits, 52) - 1075;
  SmallVector<Expr> words = window(exponent + 30, 3, 4);
  // 245 bits of product in 32-bit limbs, least first; the two lowest of them are dropped.
  SmallVector<Expr> limbs;
  for (Expr word : llvm::reverse(words)) {
    limbs.push_back(lowHalf(word));
    limbs.push_back(lshr(word, 32));
  }
  Expr low = lowHalf(mantissa), high = lshr(mantissa, 32);
  Expr carry = lshr(low * limbs[0], 32);
  SmallVector<Expr> product;
  for (unsigned k = 1; k < 6; ++k) {
    Expr p = low * limbs[k], q = high * limbs[k - 1];
    Expr sum = carry + lowHalf(p) + lowHalf(q);
    product.push_back(lowHalf(sum));
    carry = lshr(sum, 32) + lshr(p, 32) + lshr(q, 32);
  }
  // product[4] holds two integer bits and 30 of fraction; product[3..1] the next 96.
  Expr rounded = product[4] + (int64_t(1) << 29);
  Expr quadrant = lshr(rounded, 30) & 3;
  Expr top = unsignedToFloat(rounded & ((int64_t(1) << 30) - 1)) - 0x1p29;
  Pair leading = fastTwoSum(top * 0x1p32, unsignedToFloat(product[3]));
  Expr trailing =
      fma(unsignedToFloat(product[1]), top.real(0x1p-32), unsignedToFloat(product[2])) * 0x1p-32;
  Pair value = fastTwoSum(leading.hi, leading.lo + trailing);
  Expr scale = top.real(0x1.921fb54442d18p-62);
  Expr hi = value.hi * scale;
  Expr lo =
      fma(value.hi, scale, -hi) + fma(value.hi, top.real(0x1.1a62633145c07p-116), value.lo * scale);
  return {hi, lo, quadrant};
}

QuarterPeriods reduceLarge(Expr x) { return x.isF32() ? reduceSingle(x) : reduceDouble(x); }

} // namespace hloc
