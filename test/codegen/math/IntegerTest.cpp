// SPDX-License-Identifier: Apache-2.0
// Integer operations: all pairs of 8-bit numbers, and edge cases and random pairs of wider ones.
#include "codegen/math/Math.h"
#include "test/codegen/math/Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "gtest/gtest.h"

#include <limits>
#include <random>

using namespace hloc;
using namespace hloc::test;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

/// The definitions, in 128 bits so that nothing overflows.
using Wide = __int128;

struct Operation {
  const char *name;
  bool isSigned;
  Value (*emit)(ImplicitLocOpBuilder &, Value, Value);
  Wide (*define)(Wide x, Wide y, unsigned width);
};

void PrintTo(const Operation &f, std::ostream *os) { *os << f.name; }

Wide unsignedOf(Wide x, unsigned width) { return x & ((Wide(1) << width) - 1); }

Wide powerOf(Wide x, Wide y, unsigned width) {
  if (y < 0)
    return x == 1;
  Wide result = 1;
  for (; y; y >>= 1) {
    if (y & 1)
      result = unsignedOf(result * x, width);
    x = unsignedOf(x * x, width);
  }
  return result;
}

const Operation operations[] = {
    {"SignedDivide", true, emitSignedDivide,
     [](Wide x, Wide y, unsigned) { return y ? x / y : Wide(-1); }},
    {"UnsignedDivide", false, emitUnsignedDivide,
     [](Wide x, Wide y, unsigned) { return y ? x / y : Wide(-1); }},
    {"SignedRemainder", true, emitSignedRemainder,
     [](Wide x, Wide y, unsigned) { return y ? x % y : x; }},
    {"UnsignedRemainder", false, emitUnsignedRemainder,
     [](Wide x, Wide y, unsigned) { return y ? x % y : x; }},
    {"ShiftLeft", false, emitShiftLeft,
     [](Wide x, Wide y, unsigned w) { return y < w ? x << y : Wide(0); }},
    {"ShiftRightLogical", false, emitShiftRightLogical,
     [](Wide x, Wide y, unsigned w) { return y < w ? x >> y : Wide(0); }},
    {"ShiftRightArithmetic", true, emitShiftRightArithmetic,
     [](Wide x, Wide y, unsigned w) { return x >> (unsignedOf(y, w) < w ? int(y) : int(w - 1)); }},
    {"SignedPower", true,
     [](ImplicitLocOpBuilder &b, Value x, Value y) { return emitIntegerPower(b, x, y, true); },
     powerOf},
    {"UnsignedPower", false,
     [](ImplicitLocOpBuilder &b, Value x, Value y) { return emitIntegerPower(b, x, y, false); },
     powerOf},
    {"SignedMulhi", true, emitSignedMulhi, [](Wide x, Wide y, unsigned w) { return (x * y) >> w; }},
    {"UnsignedMulhi", false, emitUnsignedMulhi,
     [](Wide x, Wide y, unsigned w) {
       return Wide((static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y)) >> w);
     }},
    {"Popcnt", false, [](ImplicitLocOpBuilder &b, Value x, Value) { return emitPopcnt(b, x); },
     [](Wide x, Wide, unsigned) { return Wide(__builtin_popcountll(x)); }},
    {"CountLeadingZeros", false,
     [](ImplicitLocOpBuilder &b, Value x, Value) { return emitCountLeadingZeros(b, x); },
     [](Wide x, Wide, unsigned w) { return x ? Wide(__builtin_clzll(x)) - (64 - w) : Wide(w); }},
    {"Abs", true, [](ImplicitLocOpBuilder &b, Value x, Value) { return emitIntegerAbs(b, x); },
     [](Wide x, Wide, unsigned) { return x < 0 ? -x : x; }},
    {"Sign", true, [](ImplicitLocOpBuilder &b, Value x, Value) { return emitIntegerSign(b, x); },
     [](Wide x, Wide, unsigned) { return Wide(x > 0) - Wide(x < 0); }},
};

Element elementOf(unsigned width) {
  return width == 8    ? Element::I8
         : width == 16 ? Element::I16
         : width == 32 ? Element::I32
                       : Element::I64;
}

template <typename Int>
void check(const Operation &f, unsigned width, unsigned lanes,
           const std::function<Value(ImplicitLocOpBuilder &, Value, Value)> &emit,
           const std::vector<Int> &xs, const std::vector<Int> &ys) {
  Element element = elementOf(8 * sizeof(Int));
  Kernel kernel({element, element}, {element}, lanes,
                [&](ImplicitLocOpBuilder &b, mlir::ValueRange x) {
                  return llvm::SmallVector<Value>{emit(b, x[0], x[1])};
                });
  std::vector<Int> out(xs.size());
  kernel.run({xs.data(), ys.data()}, {out.data()}, xs.size());
  int shown = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    auto value = [&](Int v) {
      Wide bits = unsignedOf(v, width);
      return f.isSigned && (bits >> (width - 1)) ? bits - (Wide(1) << width) : bits;
    };
    Wide expected = unsignedOf(f.define(value(xs[i]), value(ys[i]), width), width);
    if (unsignedOf(out[i], width) != expected && shown++ < 5)
      ADD_FAILURE() << f.name << width << "(" << int64_t(xs[i]) << ", " << int64_t(ys[i])
                    << ") = " << int64_t(out[i]) << ", not " << int64_t(Int(expected));
  }
}

class IntegerOperations : public testing::TestWithParam<Operation> {};

/// 8, 4 and 2 bits: all pairs. The narrow ones are cut off from and put back into bytes.
TEST_P(IntegerOperations, AllPairsOfNarrow) {
  const Operation &f = GetParam();
  std::vector<int8_t> xs, ys;
  for (int x = -128; x < 128; ++x)
    for (int y = -128; y < 128; ++y) {
      xs.push_back(x);
      ys.push_back(y);
    }
  for (unsigned width : {8, 4, 2})
    for (unsigned lanes : {1, 32}) {
      auto emit = [&](ImplicitLocOpBuilder &b, Value x, Value y) -> Value {
        if (width == 8)
          return f.emit(b, x, y);
        mlir::Type narrow = b.getIntegerType(width), wide = x.getType();
        if (auto vector = mlir::dyn_cast<mlir::VectorType>(wide))
          narrow = vector.clone(narrow);
        Value result = f.emit(b, mlir::arith::TruncIOp::create(b, narrow, x),
                              mlir::arith::TruncIOp::create(b, narrow, y));
        return mlir::arith::ExtUIOp::create(b, wide, result);
      };
      check<int8_t>(f, width, lanes, emit, xs, ys);
    }
}

template <typename Int> void checkWide(const Operation &f) {
  constexpr unsigned width = 8 * sizeof(Int);
  using Limits = std::numeric_limits<Int>;
  std::vector<Int> edges = {0,
                            1,
                            2,
                            3,
                            5,
                            7,
                            31,
                            63,
                            64,
                            width - 1,
                            width,
                            width + 1,
                            10,
                            100,
                            Int(-1),
                            Int(-2),
                            Int(-3),
                            Int(-7),
                            Limits::min(),
                            Limits::max(),
                            Int(Limits::max() - 1),
                            Int(Limits::min() + 1),
                            Int(Limits::max() / 2)};
  std::vector<Int> xs, ys;
  for (Int x : edges)
    for (Int y : edges) {
      xs.push_back(x);
      ys.push_back(y);
    }
  std::mt19937_64 random(1);
  while (xs.size() < 65536) {
    xs.push_back(Int(random() >> (random() % 64)));
    ys.push_back(Int(random() >> (random() % 64)));
  }
  for (unsigned lanes : {1, 16})
    check<Int>(f, width, lanes, f.emit, xs, ys);
  // Divisors known to the compiler.
  llvm::StringRef name = f.name;
  if (!name.contains("Divide") && !name.contains("Remainder") && !name.contains("Power"))
    return;
  for (Int divisor : {Int(0), Int(1), Int(-1), Int(3), Int(-7), Int(16), Limits::min()}) {
    std::fill(ys.begin(), ys.end(), divisor);
    auto emit = [&](ImplicitLocOpBuilder &b, Value x, Value) {
      mlir::TypedAttr value = b.getIntegerAttr(b.getIntegerType(width), int64_t(divisor));
      if (auto vector = mlir::dyn_cast<mlir::VectorType>(x.getType()))
        value = mlir::DenseElementsAttr::get(vector, mlir::Attribute(value));
      return f.emit(b, x, mlir::arith::ConstantOp::create(b, value));
    };
    check<Int>(f, width, 16, emit, xs, ys);
  }
}

TEST_P(IntegerOperations, Of16Bits) { checkWide<int16_t>(GetParam()); }
TEST_P(IntegerOperations, Of32Bits) { checkWide<int32_t>(GetParam()); }
TEST_P(IntegerOperations, Of64Bits) { checkWide<int64_t>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, IntegerOperations, testing::ValuesIn(operations),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
