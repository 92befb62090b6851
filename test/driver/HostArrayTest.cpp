// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HostArray.h"
#include "compiler/text/Shape.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

RankedTensorType arrayType(StringRef type, ArrayRef<int64_t> shape) {
  static MLIRContext context;
  return RankedTensorType::get(shape, text::getElementType(type, &context));
}

HostArray makeIntegers(StringRef type, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  HostArray array(arrayType(type, shape));
  for (auto [i, value] : llvm::enumerate(values))
    array.set(i, {.integer = value});
  return array;
}

/// The memory of an array; checks that reading it gives the array again.
std::vector<int> memoryOf(const HostArray &array, ArrayRef<int64_t> minorToMajor) {
  std::vector<char> memory(getMemoryBytes(array.type), char(0x55));
  toMemory(array, minorToMajor, memory.data());
  EXPECT_EQ(fromMemory(array.type, minorToMajor, memory.data()).bytes, array.bytes);
  std::vector<int> bytes;
  for (char c : memory)
    bytes.push_back(uint8_t(c));
  return bytes;
}

TEST(HostArray, RowMajorIsCopied) {
  HostArray array = makeIntegers("u8", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(memoryOf(array, {1, 0}), (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST(HostArray, LayoutsOrderTheElements) {
  HostArray array = makeIntegers("u8", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(memoryOf(array, {0, 1}), (std::vector<int>{1, 4, 2, 5, 3, 6}));
  HostArray cube = makeIntegers("u16", {2, 1, 2}, {1, 2, 3, 4});
  EXPECT_EQ(memoryOf(cube, {0, 2, 1}), (std::vector<int>{1, 0, 3, 0, 2, 0, 4, 0}));
}

TEST(HostArray, SmallTypesArePacked) {
  EXPECT_EQ(memoryOf(makeIntegers("s4", {3}, {1, -2, -8}), {0}), (std::vector<int>{0xe1, 0x08}));
  EXPECT_EQ(memoryOf(makeIntegers("u2", {5}, {3, 2, 1, 0, 3}), {0}),
            (std::vector<int>{0x1b, 0x03}));
  EXPECT_EQ(memoryOf(makeIntegers("u4", {2, 2}, {1, 2, 3, 4}), {0, 1}),
            (std::vector<int>{0x31, 0x42}));
}

TEST(HostArray, PredsTakeAByte) {
  EXPECT_EQ(memoryOf(makeIntegers("pred", {3}, {1, 0, 1}), {0}), (std::vector<int>{1, 0, 1}));
}

TEST(HostArray, ScalarsAndEmptyArrays) {
  EXPECT_EQ(memoryOf(makeIntegers("s16", {}, {-2}), {}), (std::vector<int>{0xfe, 0xff}));
  EXPECT_EQ(memoryOf(HostArray(arrayType("s4", {0, 3})), {1, 0}), std::vector<int>());
}

TEST(HostArray, ElementsAreRoundedAndWrapped) {
  HostArray halves(arrayType("f16", {3}));
  halves.set(0, {.real = 1 + 0x1p-11}), halves.set(1, {.real = 1e6}), halves.set(2, {.real = -0.0});
  EXPECT_EQ(halves.get(0).real, 1.0);
  EXPECT_EQ(halves.get(1).real, INFINITY);
  EXPECT_TRUE(std::signbit(halves.get(2).real));
  HostArray bytes = makeIntegers("s8", {2}, {200, -1});
  EXPECT_EQ(bytes.get(0).integer, -56);
  EXPECT_EQ(bytes.getText(1), "-1");
  EXPECT_EQ(makeIntegers("u64", {1}, {-1}).getText(0), "18446744073709551615");
  HostArray complex(arrayType("c64", {1}));
  complex.set(0, {.real = 0.5, .imaginary = -2});
  EXPECT_EQ(complex.getText(0), "(0.5, -2)");
}

} // namespace
