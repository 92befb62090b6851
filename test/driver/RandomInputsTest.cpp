// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/RandomInputs.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/text/Shape.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

RankedTensorType arrayType(StringRef type, ArrayRef<int64_t> shape) {
  static MLIRContext context;
  return RankedTensorType::get(shape, text::getElementType(type, &context));
}

TEST(RandomInputs, TheSameSeedGivesTheSameArray) {
  RankedTensorType type = arrayType("f32", {100});
  EXPECT_EQ(makeRandomArray(type, 7, 0).bytes, makeRandomArray(type, 7, 0).bytes);
  EXPECT_NE(makeRandomArray(type, 7, 0).bytes, makeRandomArray(type, 8, 0).bytes);
}

TEST(RandomInputs, FloatsAreNormal) {
  HostArray array = makeRandomArray(arrayType("f64", {10000}), 1, 0);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < array.getCount(); ++i)
    sum += array.get(i).real, squares += array.get(i).real * array.get(i).real;
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
}

TEST(RandomInputs, FloatsWithoutSignsArePositive) {
  HostArray array = makeRandomArray(arrayType("f8e8m0fnu", {1000}), 1, 0);
  for (int64_t i = 0; i < array.getCount(); ++i)
    EXPECT_GT(array.get(i).real, 0);
}

TEST(RandomInputs, IntegersStayBelowTheirBound) {
  for (StringRef type : {"s32", "u8", "u64"}) {
    HostArray array = makeRandomArray(arrayType(type, {1000}), 1, 5);
    int64_t most = 0;
    for (int64_t i = 0; i < array.getCount(); ++i) {
      EXPECT_GE(array.get(i).integer, 0);
      most = std::max(most, array.get(i).integer);
    }
    EXPECT_EQ(most, 4);
  }
}

TEST(RandomInputs, FollowsAParameterToWhereItIsAnIndex) {
  MLIRContext context;
  context.loadDialect<hlo::HLODialect>();
  auto module = parseSourceString<ModuleOp>(R"mlir(
    hlo.computation @inner(%i: tensor<i32>, %x: tensor<10xf32>) -> tensor<4xf32> {
      %s = hlo.dynamic_slice %x, %i {dynamic_slice_sizes = array<i64: 4>} : (tensor<10xf32>, tensor<i32>) -> tensor<4xf32>
      hlo.return %s : tensor<4xf32>
    }
    hlo.computation @main(%i: tensor<1xi32>, %x: tensor<10xf32>, %n: tensor<i32>) -> tensor<4xf32> attributes {entry} {
      %j = hlo.reshape %i : (tensor<1xi32>) -> tensor<i32>
      %s = hlo.call %j, %x {to_apply = @inner} : (tensor<i32>, tensor<10xf32>) -> tensor<4xf32>
      hlo.return %s : tensor<4xf32>
    }
  )mlir",
                                            &context);
  ASSERT_TRUE(module);
  Block &body = llvm::to_vector(module->getOps<hlo::ComputationOp>())[1]->getRegion(0).front();
  EXPECT_EQ(findIndexBound(body.getArgument(0)), 7);
  EXPECT_EQ(findIndexBound(body.getArgument(1)), 0);
  EXPECT_EQ(findIndexBound(body.getArgument(2)), 0);
}

} // namespace
