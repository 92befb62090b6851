// SPDX-License-Identifier: Apache-2.0
// Conversion between scalars and bytes, and rounding to every float type, against LLVM's APFloat.
#include "compiler/evaluator/core/Scalar.h"
#include "compiler/evaluator/core/SmallFloat.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace hloc::evaluator;
using enum ElementType;

namespace {

const llvm::fltSemantics &semanticsOf(ElementType type) {
  switch (type) {
  case F8E3M4:
    return llvm::APFloat::Float8E3M4();
  case F8E4M3:
    return llvm::APFloat::Float8E4M3();
  case F8E4M3FN:
    return llvm::APFloat::Float8E4M3FN();
  case F8E4M3FNUZ:
    return llvm::APFloat::Float8E4M3FNUZ();
  case F8E4M3B11FNUZ:
    return llvm::APFloat::Float8E4M3B11FNUZ();
  case F8E5M2:
    return llvm::APFloat::Float8E5M2();
  case F8E5M2FNUZ:
    return llvm::APFloat::Float8E5M2FNUZ();
  case BF16:
    return llvm::APFloat::BFloat();
  default:
    return llvm::APFloat::IEEEhalf();
  }
}

class SmallFloats : public testing::TestWithParam<ElementType> {};

TEST_P(SmallFloats, EveryCodeDecodesAsApFloatHasIt) {
  ElementType type = GetParam();
  for (uint32_t code = 0; code < 1u << getBits(type); ++code) {
    llvm::APFloat expected(semanticsOf(type), llvm::APInt(getBits(type), code));
    double value = decodeFloat(getFormat(type), code);
    if (expected.isNaN()) {
      EXPECT_TRUE(std::isnan(value)) << code;
      continue;
    }
    EXPECT_EQ(value, expected.convertToDouble()) << code;
    EXPECT_EQ(encodeFloat(getFormat(type), value), code);
  }
}

TEST_P(SmallFloats, RoundsToNearestEven) {
  ElementType type = GetParam();
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    // Random numbers, and halfway points between neighbours of the type.
    double value = std::ldexp(double(random() >> 11) * 0x1p-53 - 0.5, int(random() % 40) - 20);
    if (i % 2) {
      uint32_t code = uint32_t(random()) & ((1u << (getBits(type) - 1)) - 1);
      value = (decodeFloat(getFormat(type), code) + decodeFloat(getFormat(type), code + 1)) / 2;
    }
    llvm::APFloat expected(value);
    bool loses;
    expected.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &loses);
    if (expected.isNaN())
      EXPECT_TRUE(std::isnan(decodeFloat(getFormat(type), encodeFloat(getFormat(type), value))))
          << value;
    else
      EXPECT_EQ(encodeFloat(getFormat(type), value), expected.bitcastToAPInt().getZExtValue())
          << value;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SmallFloats,
                         testing::Values(F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ, F8E4M3B11FNUZ,
                                         F8E5M2, F8E5M2FNUZ, F16, BF16),
                         [](const auto &info) { return getName(info.param).str(); });

TEST(Scalars, IntegersWrapToTheirWidth) {
  Scalar s = Scalar::ofInt(9);
  wrap(S4, &s, 1);
  EXPECT_EQ(s.i, -7);
  s = Scalar::ofInt(-1);
  wrap(U4, &s, 1);
  EXPECT_EQ(s.i, 15);
}

TEST(Scalars, ConversionsToIntegersSaturate) {
  EXPECT_EQ(convert(F32, S8, Scalar::ofFloat(1000)).i, 127);
  EXPECT_EQ(convert(F32, S64, Scalar::ofFloat(1e30)).i, INT64_MAX);
  EXPECT_EQ(convert(F32, S64, Scalar::ofFloat(-INFINITY)).i, INT64_MIN);
  EXPECT_EQ(convert(F64, U64, Scalar::ofFloat(1e30)).u, UINT64_MAX);
  EXPECT_EQ(convert(F32, U8, Scalar::ofFloat(-3)).i, 0);
  EXPECT_EQ(convert(F32, S32, Scalar::ofFloat(NAN)).i, 0);
  EXPECT_EQ(convert(F32, PRED, Scalar::ofFloat(NAN)).i, 1);
  EXPECT_EQ(convert(S32, S8, Scalar::ofInt(300)).i, 44);
}

TEST(Scalars, IntegersRoundOnce) {
  // Just above the midpoint of two floats, where rounding to double first would make it a tie.
  int64_t value = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  EXPECT_EQ(convert(S64, F32, Scalar::ofInt(value)).f, double(float(value)));
  EXPECT_EQ(convert(U64, F32, Scalar::ofInt(-1)).f, 0x1p64);
}

TEST(Scalars, TotalOrder) {
  const double values[] = {-NAN, -INFINITY, -1, -0.0, 0.0, 1, INFINITY, NAN};
  for (int i = 0; i + 1 < 8; ++i)
    EXPECT_LT(totalOrderKey(values[i]), totalOrderKey(values[i + 1])) << i;
}

TEST(Scalars, BytesGoBothWays) {
  for (ElementType type :
       {PRED, S2, S4, S8, S64, U2, U4, U16, F4E2M1FN, F8E5M2, F16, BF16, F32, F64}) {
    Scalar s = convert(S32, type, Scalar::ofInt(1)), read;
    char bytes[8];
    store(type, &s, 1, bytes);
    load(type, bytes, 1, &read);
    EXPECT_EQ(s.u, read.u) << getName(type).str();
  }
}

} // namespace
