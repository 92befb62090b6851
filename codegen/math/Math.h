// SPDX-License-Identifier: Apache-2.0
// Builders that emit HLO's elementwise arithmetic as straight-line arith/math/vector operations.
//
// Every function takes and gives scalars or vectors (any power-of-two length) of the same shape.
// Transcendentals take f32 or f64; narrower floats are widened by the caller (emitConvert). What is
// emitted lowers to vector instructions on AVX2, AVX-512 and NEON: no library call, no table in
// memory. The only control flow is an scf.if or scf.while around rare slow paths (huge arguments of
// sin, cos and tan, huge ratios of remainder, integer power), taken when any lane needs it.
//
// Special values follow C's Annex F, subnormals are kept, error bounds are those of
// test/codegen/math. The arithmetic is compensated in places: never put reassociation or
// value-changing fast-math flags on the operations emitted.
//
// For targets without fused multiply-add, f16 conversions or rounding to integers, run expandFma,
// expandHalf and expandRounding over the function afterwards.
#ifndef HLOC_CODEGEN_MATH_MATH_H
#define HLOC_CODEGEN_MATH_MATH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace hloc {

struct Target;

//===-- Floats ------------------------------------------------------------------------------===//

#define MATH_FUNCTION(operation, emitter, expression)                                              \
  mlir::Value emitter(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
#include "codegen/math/Functions.def"

mlir::Value emitAtan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtan2(mlir::ImplicitLocOpBuilder &b, mlir::Value y, mlir::Value x);
mlir::Value emitPower(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);

/// x * y + z, which HLO lets round once or twice: by one instruction where the target has it, else
/// by two.
mlir::Value emitMultiplyAdd(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y,
                            mlir::Value z);
/// 1 where `x` is neither infinite nor NaN.
mlir::Value emitIsFinite(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// C's fmod, exact: the sign of `x`; x fmod inf = x.
mlir::Value emitRemainder(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
/// The nearest integer, halves away from zero.
mlir::Value emitRoundNearestAfz(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// -1, 1, or `x` itself where it is a zero or NaN.
mlir::Value emitSign(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

//===-- Complex numbers ---------------------------------------------------------------------===//

/// A complex number as its two parts, both f32 or both f64, scalars or vectors.
struct ComplexValue {
  mlir::Value re, im;
};

/// |z|, without intermediate overflow; infinite if either part is, even beside a NaN.
mlir::Value emitComplexAbs(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexAcos(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexAcosh(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexAsin(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexAsinh(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexAtan2(mlir::ImplicitLocOpBuilder &b, ComplexValue y, ComplexValue x);
ComplexValue emitComplexAtanh(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexCbrt(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexCos(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexCosh(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexDivide(mlir::ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue y);
ComplexValue emitComplexExp(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexExpm1(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexLog(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexLog1p(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexLogistic(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexMultiply(mlir::ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue y);
ComplexValue emitComplexPower(mlir::ImplicitLocOpBuilder &b, ComplexValue x, ComplexValue y);
ComplexValue emitComplexRsqrt(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
/// z / |z|, or 0.
ComplexValue emitComplexSign(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexSin(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexSinh(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexSqrt(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexTan(mlir::ImplicitLocOpBuilder &b, ComplexValue z);
ComplexValue emitComplexTanh(mlir::ImplicitLocOpBuilder &b, ComplexValue z);

//===-- Integers ----------------------------------------------------------------------------===//

// Signless operands of any width; HLO's results where C's are undefined. Signed forms serve sN,
// Unsigned ones uN.

/// Truncated quotient; x/0 = -1 (all ones), MIN/-1 = MIN. A constant divisor stays cheap.
mlir::Value emitSignedDivide(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value emitUnsignedDivide(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
/// x - y * trunc(x / y); x rem 0 = x, MIN rem -1 = 0.
mlir::Value emitSignedRemainder(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value emitUnsignedRemainder(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
/// Shifts; amounts are unsigned, those of the width or more give 0 (arithmetic: the sign).
mlir::Value emitShiftLeft(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value amount);
mlir::Value emitShiftRightLogical(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value amount);
mlir::Value emitShiftRightArithmetic(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                                     mlir::Value amount);
/// x^y modulo 2^width with all bits of y. If `isSigned`, a negative y gives 1 for x == 1, else 0.
mlir::Value emitIntegerPower(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y,
                             bool isSigned);
/// The high half of the double-width product.
mlir::Value emitSignedMulhi(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value emitUnsignedMulhi(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value emitPopcnt(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// Zero bits above the highest set bit; the width for 0.
mlir::Value emitCountLeadingZeros(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// |x| of signed numbers; |MIN| = MIN.
mlir::Value emitIntegerAbs(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// -1, 0 or 1.
mlir::Value emitIntegerSign(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

//===-- Conversions -------------------------------------------------------------------------===//

// A value of an HLO element type travels in registers as its register type: i1 for pred, signless
// iN for integers (uiN too), f32 and f64 as themselves, every narrower float (bf16 and f16 also)
// as the signless integer of its bits: i16, i8, i6 or i4.

/// The register type of one element of HLO element type `element` (no complex).
mlir::Type getRegisterType(mlir::Type element);
/// HLO's `convert` between element types `from` and `to` (none complex); `x` has from's register
/// type, the result to's. Floats round once, to nearest even; floats to integers saturate, with NaN
/// to 0; to pred, x != 0. Operands of type f16, bf16 or an f8 type instead of their bits are taken
/// too.
mlir::Value emitConvert(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type from,
                        mlir::Type to);
/// The f32 value, exact, of the bits of a float narrower than f32.
mlir::Value emitDecodeFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value bits,
                            mlir::FloatType format);
/// The bits of `format`, narrower than f32, nearest to `x` (f32 or f64).
mlir::Value emitEncodeFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::FloatType format);
/// What is known of an f32 that becomes a bf16 number, from nothing to most.
enum class BrainSource {
  Any,
  Computed, ///< if it is NaN, its low half is zero, as of what instructions compute from bf16
  Exact     ///< it is a bf16 number
};
/// The bits of the bf16 number nearest to `x` (f32).
mlir::Value emitEncodeBrain(mlir::ImplicitLocOpBuilder &b, mlir::Value x, BrainSource source);
/// HLO's `reduce-precision` of a float of type `element` (register type or the float itself).
mlir::Value emitReducePrecision(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type element,
                                unsigned exponentBits, unsigned mantissaBits);
/// HLO's `stochastic-convert` of a float of type `from` (register type) to the signed or unsigned
/// integer type `to`: rounds away from zero where `random` (unsigned, as wide as `from`) is less
/// than the fraction.
mlir::Value emitStochasticConvert(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value random,
                                  mlir::Type from, mlir::Type to);

//===-- Targets -----------------------------------------------------------------------------===//

/// Replaces every math.fma under `root`, for targets without the instruction: by a multiplication
/// and an addition if that is allowed (it comes from emitMultiplyAdd), otherwise by arithmetic that
/// rounds once.
void expandFma(mlir::Operation *root);
/// Replaces divisions by constants under `root` of vectors of f32 and f64 that are made of integers
/// and constants, for targets with fused multiply-add: by two operations that give the same bits.
void expandConstantDivision(mlir::Operation *root);
/// Replaces divisions under `root` of vectors of f32 by what is the same in all steps of a loop,
/// for targets with fused multiply-add, where operations that give the same bits take less time.
void expandUniformDivision(mlir::Operation *root, const Target &target);
/// Replaces every math.fma under `root` by arithmetic that gives the same bits as the instruction
/// for all numbers, but is many times slower.
void emulateFma(mlir::Operation *root);
/// Replaces every arith.extf from and arith.truncf to f16 under `root` by integer operations, for
/// targets without the conversions (x86 without F16C).
void expandHalf(mlir::Operation *root);
/// Replaces every math.floor, ceil, trunc and roundeven of f32 and f64 under `root` by arithmetic,
/// for targets without the instructions (x86 without SSE4.1).
void expandRounding(mlir::Operation *root);
/// Replaces every arith.maximumf and minimumf of f32 and f64 under `root`, for x86. Those of
/// vectors become maxps or minps in both orders, or in one if an operand is a constant or the same
/// in all steps of a loop; but other maxima, and scalars, become AVX-512's instruction that
/// distinguishes zeros (vrangeps) if there is one. LLVM's own code is up to twice as long.
void expandExtremes(mlir::Operation *root, bool hasRange);
/// Replaces the two multiplications by powers of two with which exp of vectors ends, so that
/// subnormal results round once, by AVX-512's instruction that does the same (vscalefps).
void expandScaling(mlir::Operation *root);
/// Replaces every conversion from vectors of at least sixteen 4-bit integers to f32 under `root` by
/// a look-up in a table of sixteen with AVX-512 (vpermps). LLVM's own code shifts twice and
/// converts.
void expandNibbles(mlir::Operation *root);

} // namespace hloc

#endif // HLOC_CODEGEN_MATH_MATH_H
