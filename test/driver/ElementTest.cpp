// SPDX-License-Identifier: Apache-2.0
// The runtime's functions on elements, compared with MLIR's types and LLVM's floats.
#include "runtime/program/Element.h"
#include "compiler/driver/HostArray.h"
#include "compiler/text/Shape.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/program/Random.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

constexpr StringLiteral kNarrow[] = {"f16",           "bf16",      "f8e5m2",     "f8e4m3",
                                     "f8e3m4",        "f8e4m3fn",  "f8e5m2fnuz", "f8e4m3fnuz",
                                     "f8e4m3b11fnuz", "f8e8m0fnu", "f4e2m1fn"};

HostArray makeArray(StringRef type, int64_t count) {
  static MLIRContext context;
  return HostArray(RankedTensorType::get(count, text::getElementType(type, &context)));
}

const runtime::Element &findElement(StringRef name) {
  return hloc::findElement(makeArray(name, 0).getElementType());
}

bool isSame(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : llvm::bit_cast<uint64_t>(a) == llvm::bit_cast<uint64_t>(b);
}

TEST(Element, FloatsOfAllBitsAreThoseOfLlvm) {
  for (StringRef type : kNarrow) {
    const runtime::Element &element = findElement(type);
    int64_t count = int64_t(1) << element.bits;
    HostArray array = makeArray(type, count);
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(&array.bytes[i * element.getBytes()], &i, element.getBytes());
      double expected = array.get(i).real;
      EXPECT_TRUE(isSame(element.read(&array.bytes[i * element.getBytes()]).real, expected))
          << type.str() << ", bits " << i << ", " << expected;
    }
  }
}

TEST(Element, RandomFloatsAreRoundedToNearest) {
  for (StringRef type : {"f16", "bf16", "f32", "f64", "f8e5m2", "f8e4m3", "f8e3m4", "f8e4m3fn",
                         "f8e5m2fnuz", "f8e4m3fnuz", "f8e4m3b11fnuz", "f4e2m1fn"}) {
    const runtime::Element &element = findElement(type);
    std::mt19937_64 some(3), same(3);
    HostArray array = makeArray(type, 1);
    for (int i = 0; i < 1000; ++i) {
      char drawn[runtime::Element::mostBytes];
      element.draw(some, 0, drawn);
      array.set(0, {.real = runtime::drawNormal(same)});
      EXPECT_TRUE(isSame(element.read(drawn).real, array.get(0).real)) << type.str();
    }
  }
}

TEST(Element, RandomNumbersAreThoseOfTheirFormula) {
  std::mt19937_64 some(5), same(5);
  for (int i = 0; i < 10000; ++i) {
    double a = double((same() >> 11) + 1) * 0x1p-53, b = double(same() >> 11) * 0x1p-53;
    double expected = std::sqrt(-2 * std::log(a)) * std::cos(2 * M_PI * b);
    EXPECT_NEAR(runtime::drawNormal(some), expected, 1e-14);
  }
}

TEST(Element, RandomNumbersAreTheSameOnEveryMachine) {
  std::mt19937_64 source(0);
  uint64_t hash = 0;
  for (int i = 0; i < 10000; ++i)
    hash = hash * 31 + llvm::bit_cast<uint64_t>(runtime::drawNormal(source));
  EXPECT_EQ(hash, 9890298473563037878u);
}

TEST(Element, DistancesOfIntegersMayExceedTheirType) {
  int64_t least = INT64_MIN, most = INT64_MAX;
  EXPECT_EQ(findElement("s64").getDistance(reinterpret_cast<char *>(&least),
                                           reinterpret_cast<char *>(&most)),
            0x1p64);
}

TEST(Element, TypesWithoutSignAreOrderedByTheirBits) {
  char half[] = {126}, two[] = {char(128)};
  EXPECT_EQ(findElement("f8e8m0fnu").getUlpsApart(half, two), 2);
}

} // namespace
