// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ArrayReport.h"
#include "compiler/text/Shape.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

constexpr double kInfinity = INFINITY, kNan = NAN;

RankedTensorType arrayType(StringRef type, ArrayRef<int64_t> shape) {
  static MLIRContext context;
  return RankedTensorType::get(shape, text::getElementType(type, &context));
}

HostArray makeFloats(StringRef type, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  HostArray array(arrayType(type, shape));
  for (auto [i, value] : llvm::enumerate(values))
    array.set(i, {.real = value});
  return array;
}

bool equal(ArrayRef<double> a, ArrayRef<double> b, Tolerance tolerance, StringRef type = "f32") {
  int64_t size = a.size();
  return findDifference(makeFloats(type, size, a), makeFloats(type, size, b), tolerance).empty();
}

TEST(ArrayReport, WithoutToleranceOnlyEqualValuesPass) {
  EXPECT_TRUE(equal({1, kInfinity, kNan, 0.0}, {1, kInfinity, kNan, -0.0}, {}));
  EXPECT_FALSE(equal({1}, {1 + 0x1p-23}, {}));
  EXPECT_FALSE(equal({kInfinity}, {-kInfinity}, {}));
  EXPECT_FALSE(equal({kNan}, {1}, {}));
  EXPECT_FALSE(equal({1}, {kNan}, {}));
}

TEST(ArrayReport, RelativeAndAbsoluteTolerance) {
  EXPECT_TRUE(equal({100.5}, {100}, {.rtol = 0.01}));
  EXPECT_FALSE(equal({102}, {100}, {.rtol = 0.01}));
  EXPECT_TRUE(equal({0.25}, {0}, {.atol = 0.5}));
  EXPECT_FALSE(equal({kInfinity}, {1}, {.rtol = 1e30, .atol = 1e30}));
  EXPECT_FALSE(equal({1}, {kInfinity}, {.rtol = 1e30, .atol = 1e30}));
  EXPECT_FALSE(equal({1}, {kNan}, {.rtol = 1e30, .atol = 1e30}));
}

TEST(ArrayReport, UlpCountsRepresentableValues) {
  EXPECT_TRUE(equal({1}, {1 + 0x1p-23}, {.ulp = 1}));
  EXPECT_FALSE(equal({1}, {1 + 0x1p-22}, {.ulp = 1}));
  EXPECT_TRUE(equal({-0x1p-149}, {0x1p-149}, {.ulp = 2}));
  EXPECT_FALSE(equal({-0x1p-149}, {0x1p-149}, {.ulp = 1}));
  EXPECT_TRUE(equal({1}, {1.0078125}, {.ulp = 1}, "bf16"));
  EXPECT_FALSE(equal({-1e308}, {1e308}, {.ulp = 1000}, "f64"));
  EXPECT_FALSE(equal({kNan}, {kInfinity}, {.ulp = int64_t(1) << 40}));
}

TEST(ArrayReport, SaysWhereAndByHowMuch) {
  HostArray a = makeFloats("f32", {2, 2}, {1, 2, 3, 4}),
            b = makeFloats("f32", {2, 2}, {1, 2, 5, 4.5});
  EXPECT_EQ(findDifference(a, b, {}),
            "2 of 4 elements differ, first at [1,0]: 3 instead of 5; the largest difference is 2");
  EXPECT_EQ(findDifference(a, makeFloats("f16", {1}, {1}), {}), "f32[2,2] instead of f16[1]");
}

TEST(ArrayReport, IntegersFarApart) {
  HostArray a(arrayType("s64", {1})), b(arrayType("s64", {1}));
  a.set(0, {.integer = INT64_MIN}), b.set(0, {.integer = INT64_MAX});
  EXPECT_FALSE(findDifference(a, b, {.atol = 1e18}).empty());
  EXPECT_TRUE(findDifference(a, b, {.atol = 1e20}).empty());
}

TEST(ArrayReport, SummaryHasElementsAndExtremes) {
  EXPECT_EQ(summarize(makeFloats("f32", {3}, {1, kNan, 3})),
            "f32[3] {1, nan, 3}  min 1, max 3, mean 2  1 NaN");
  EXPECT_EQ(summarize(HostArray(arrayType("s32", {2, 5}))),
            "s32[2,5] {0, 0, 0, 0, 0, 0, 0, 0, ...}");
  EXPECT_EQ(summarize(HostArray(arrayType("f32", {0}))), "f32[0] {}");
}

} // namespace
