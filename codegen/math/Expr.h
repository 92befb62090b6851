// SPDX-License-Identifier: Apache-2.0
// Formula notation for the emitters: values with operators that create arith and math operations.
// Internal to codegen/math.
#ifndef HLOC_CODEGEN_MATH_EXPR_H
#define HLOC_CODEGEN_MATH_EXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <type_traits>

namespace hloc {

/// A scalar or vector value and the builder that extends it. Operators pick the float or integer
/// operation by element type; a C++ number as the second operand is a constant of the same type.
struct Expr {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;

  operator mlir::Value() const { return value; }
  mlir::Type element() const;
  unsigned width() const;
  bool isFloat() const;
  bool isF32() const { return element().isF32(); }

  /// Constants of this value's type. `integer` truncates to the width.
  Expr real(double constant) const;
  Expr integer(int64_t constant) const;
  /// A constant of this shape with float bits `bits` (f32: the low half).
  Expr fromBits(uint64_t bits) const;
  template <typename T> Expr constant(T c) const {
    return isFloat() ? real(static_cast<double>(c)) : integer(static_cast<int64_t>(c));
  }
  /// This shape with another element type.
  mlir::Type typeOf(mlir::Type element) const;
  mlir::Type intType(unsigned width) const;
};

Expr operator+(Expr x, Expr y);
Expr operator-(Expr x, Expr y);
Expr operator*(Expr x, Expr y);
Expr operator/(Expr x, Expr y);
Expr operator-(Expr x);
Expr operator&(Expr x, Expr y);
Expr operator|(Expr x, Expr y);
Expr operator^(Expr x, Expr y);
Expr operator!(Expr x);

#define HLOC_EXPR_CONSTANT(op)                                                                     \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                        \
  Expr operator op(Expr x, T c) {                                                                  \
    return x op x.constant(c);                                                                     \
  }                                                                                                \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                        \
  Expr operator op(T c, Expr x) {                                                                  \
    return x.constant(c) op x;                                                                     \
  }
HLOC_EXPR_CONSTANT(+)
HLOC_EXPR_CONSTANT(-)
HLOC_EXPR_CONSTANT(*)
HLOC_EXPR_CONSTANT(/)
HLOC_EXPR_CONSTANT(&)
HLOC_EXPR_CONSTANT(|)
HLOC_EXPR_CONSTANT(^)
#undef HLOC_EXPR_CONSTANT

// Ordered float comparisons, signed integer ones; `ne` is true for NaN.
Expr lt(Expr x, Expr y);
Expr le(Expr x, Expr y);
Expr gt(Expr x, Expr y);
Expr ge(Expr x, Expr y);
Expr eq(Expr x, Expr y);
Expr ne(Expr x, Expr y);
Expr ult(Expr x, Expr y);
#define HLOC_EXPR_COMPARE(name)                                                                    \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                        \
  Expr name(Expr x, T c) {                                                                         \
    return name(x, x.constant(c));                                                                 \
  }
HLOC_EXPR_COMPARE(lt)
HLOC_EXPR_COMPARE(le)
HLOC_EXPR_COMPARE(gt)
HLOC_EXPR_COMPARE(ge)
HLOC_EXPR_COMPARE(eq)
HLOC_EXPR_COMPARE(ne)
HLOC_EXPR_COMPARE(ult)
#undef HLOC_EXPR_COMPARE

Expr isNan(Expr x);
Expr select(Expr condition, Expr onTrue, Expr onFalse);
/// Maximum and minimum of x and a limit that is not NaN; a NaN x is kept.
Expr atLeast(Expr x, Expr limit);
Expr atMost(Expr x, Expr limit);

/// x * y + z, rounded once: slow on targets without fused multiply-add.
Expr fma(Expr x, Expr y, Expr z);
/// x * y + z, rounded once on targets with fused multiply-add, otherwise after each operation.
Expr multiplyAdd(Expr x, Expr y, Expr z);
Expr sqrt(Expr x);
Expr abs(Expr x);
Expr copysign(Expr magnitude, Expr sign);
Expr trunc(Expr x);
Expr floor(Expr x);
Expr roundeven(Expr x);

// Shifts by a constant or by lane; amounts must be below the width.
Expr shl(Expr x, Expr amount);
Expr lshr(Expr x, Expr amount);
Expr ashr(Expr x, Expr amount);
Expr shl(Expr x, int64_t amount);
Expr lshr(Expr x, int64_t amount);
Expr ashr(Expr x, int64_t amount);

/// Reinterprets a float as the integer of its width, and back.
Expr bitsOf(Expr x);
Expr asFloat(Expr bits);
/// Value conversions; integers to `width` bits.
Expr sext(Expr x, unsigned width);
Expr zext(Expr x, unsigned width);
Expr truncInt(Expr x, unsigned width);
Expr toF32(Expr x);
Expr toF64(Expr x);
Expr toSignedInt(Expr x, unsigned width);
Expr fromSignedInt(Expr x, mlir::Type element);
Expr fromUnsignedInt(Expr x, mlir::Type element);

/// The scalar that `x` broadcasts to all lanes, or `x` itself, to recognize constants.
mlir::Value getSplatSource(mlir::Value x);
/// An i1 that is true if any lane of the i1 vector (or the scalar) is.
mlir::Value anyOf(Expr condition);

/// coefficients[0] + coefficients[1] x + ..., even and odd powers in parallel chains.
Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients);
/// Likewise in one chain: the fewest operations.
Expr horner(Expr x, llvm::ArrayRef<double> coefficients);

/// x + y as sum and rounding error, |x| >= |y| (or x zero).
struct Pair {
  Expr hi, lo;
};
Pair fastTwoSum(Expr x, Expr y);
Pair twoSum(Expr x, Expr y);
Pair twoProduct(Expr x, Expr y);

/// An scf.if that runs `then` if any lane of `condition` is true, which is rare, and otherwise
/// yields `otherwise`.
llvm::SmallVector<Expr> ifAny(Expr condition, llvm::ArrayRef<Expr> otherwise,
                              llvm::function_ref<llvm::SmallVector<Expr>()> then);

} // namespace hloc

#endif // HLOC_CODEGEN_MATH_EXPR_H
