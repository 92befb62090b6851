// SPDX-License-Identifier: Apache-2.0
// The interiors of loop kernels: which indices need no element of a border, and which operands they
// read.
#include "passes/schedule/Interior.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

class InteriorTest : public ::testing::Test {
protected:
  InteriorTest() { context.loadDialect<hlo::HLODialect>(); }

  Interior analyze(const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "hlo.kernel_function @k <loop> attributes {reuse = array<i64: -1>} {" + body + "}",
        &context);
    EXPECT_TRUE(module) << body;
    return Interior((*module->getOps<hlo::KernelFunctionOp>().begin()).getBody().front());
  }
  void expectRange(const Interior &interior, size_t dimension, int64_t lower, int64_t upper) {
    EXPECT_EQ(interior.box[dimension].lower, lower);
    EXPECT_EQ(interior.box[dimension].upper, upper);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_F(InteriorTest, SlicesOfAPadLeaveOutTheBorder) {
  Interior interior = analyze(R"(
^bb0(%x: tensor<30x64xf32>, %p: tensor<f32>):
  %a = hlo.pad %x, %p {low = array<i64: 1, 2>, high = array<i64: 1, 2>, interior = array<i64: 0, 0>} : (tensor<30x64xf32>, tensor<f32>) -> tensor<32x68xf32>
  %b = hlo.slice %a {starts = array<i64: 0, 0>, limits = array<i64: 30, 64>, strides = array<i64: 1, 1>} : (tensor<32x68xf32>) -> tensor<30x64xf32>
  %c = hlo.slice %a {starts = array<i64: 2, 3>, limits = array<i64: 32, 67>, strides = array<i64: 1, 1>} : (tensor<32x68xf32>) -> tensor<30x64xf32>
  %d = hlo.add %b, %c : (tensor<30x64xf32>, tensor<30x64xf32>) -> tensor<30x64xf32>
  hlo.return %d : tensor<30x64xf32>)");
  EXPECT_EQ(interior.sources.size(), 1u);
  expectRange(interior, 0, 1, 29);
  expectRange(interior, 1, 2, 63);
  // Of eight vectors of 8 elements, those that begin at 8 to 48.
  EXPECT_DOUBLE_EQ(interior.getShare(1, 8), 28.0 / 30 * 6 / 8);
  EXPECT_FALSE(interior.isWhole(0));
}

TEST_F(InteriorTest, RolledArraysComeFromTheLargestPiece) {
  Interior interior = analyze(R"(
^bb0(%x: tensor<100xf32>):
  %last = hlo.slice %x {starts = array<i64: 97>, limits = array<i64: 100>, strides = array<i64: 1>} : (tensor<100xf32>) -> tensor<3xf32>
  %most = hlo.slice %x {starts = array<i64: 0>, limits = array<i64: 97>, strides = array<i64: 1>} : (tensor<100xf32>) -> tensor<97xf32>
  %a = hlo.concatenate %last, %most {dimension = 0 : i64} : (tensor<3xf32>, tensor<97xf32>) -> tensor<100xf32>
  hlo.return %a : tensor<100xf32>)");
  ASSERT_EQ(interior.sources.size(), 1u);
  EXPECT_EQ(interior.sources.begin()->second, 1u);
  expectRange(interior, 0, 3, 100);
}

TEST_F(InteriorTest, StridesAndReversalsAreFollowed) {
  Interior interior = analyze(R"(
^bb0(%x: tensor<60xf32>, %p: tensor<f32>):
  %a = hlo.pad %x, %p {low = array<i64: 5>, high = array<i64: 0>, interior = array<i64: 0>} : (tensor<60xf32>, tensor<f32>) -> tensor<65xf32>
  %b = hlo.reverse %a {dimensions = array<i64: 0>} : (tensor<65xf32>) -> tensor<65xf32>
  %c = hlo.slice %b {starts = array<i64: 1>, limits = array<i64: 65>, strides = array<i64: 2>} : (tensor<65xf32>) -> tensor<32xf32>
  hlo.return %c : tensor<32xf32>)");
  // Element i comes from 64 - (2 i + 1) of the padded array, which is 5 or more up to i = 29.
  expectRange(interior, 0, 0, 30);
}

TEST_F(InteriorTest, UnitDimensionsMayBeDropped) {
  Interior interior = analyze(R"(
^bb0(%x: tensor<1x60xf32>, %p: tensor<f32>):
  %a = hlo.pad %x, %p {low = array<i64: 0, 2>, high = array<i64: 0, 2>, interior = array<i64: 0, 0>} : (tensor<1x60xf32>, tensor<f32>) -> tensor<1x64xf32>
  %b = hlo.reshape %a : (tensor<1x64xf32>) -> tensor<64xf32>
  hlo.return %b : tensor<64xf32>)");
  EXPECT_EQ(interior.sources.size(), 1u);
  expectRange(interior, 0, 2, 62);
}

TEST_F(InteriorTest, PositionsThatAreNotKnownGiveNoInterior) {
  Interior interior = analyze(R"(
^bb0(%x: tensor<60xf32>, %p: tensor<f32>):
  %a = hlo.pad %x, %p {low = array<i64: 2>, high = array<i64: 2>, interior = array<i64: 0>} : (tensor<60xf32>, tensor<f32>) -> tensor<64xf32>
  %b = hlo.reshape %a : (tensor<64xf32>) -> tensor<4x16xf32>
  hlo.return %b : tensor<4x16xf32>)");
  EXPECT_TRUE(interior.sources.empty());
  EXPECT_TRUE(interior.isWhole(0));
  EXPECT_TRUE(interior.isWhole(1));
}

TEST_F(InteriorTest, OperationsThatWouldLeaveLessThanHalfAreLeftOut) {
  Interior interior = analyze(R"(
^bb0(%x: tensor<40xf32>, %y: tensor<40xf32>, %p: tensor<f32>):
  %a = hlo.concatenate %x, %y {dimension = 0 : i64} : (tensor<40xf32>, tensor<40xf32>) -> tensor<80xf32>
  %b = hlo.pad %x, %p {low = array<i64: 41>, high = array<i64: -1>, interior = array<i64: 0>} : (tensor<40xf32>, tensor<f32>) -> tensor<80xf32>
  %c = hlo.add %a, %b : (tensor<80xf32>, tensor<80xf32>) -> tensor<80xf32>
  hlo.return %c : tensor<80xf32>)");
  // The pad, whose operand begins at 41, is left out; the first operand of the concatenation is
  // half.
  ASSERT_EQ(interior.sources.size(), 1u);
  EXPECT_TRUE(mlir::isa<hlo::ConcatenateOp>(interior.sources.begin()->first));
  EXPECT_EQ(interior.sources.begin()->second, 0u);
  expectRange(interior, 0, 0, 40);
}

TEST_F(InteriorTest, DilatedPadsHaveNoInterior) {
  Interior interior = analyze(R"(
^bb0(%x: tensor<32xf32>, %p: tensor<f32>):
  %a = hlo.pad %x, %p {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 1>} : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  hlo.return %a : tensor<64xf32>)");
  EXPECT_TRUE(interior.sources.empty());
}
