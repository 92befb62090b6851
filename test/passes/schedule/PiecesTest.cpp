// SPDX-License-Identifier: Apache-2.0
// The pieces of loop kernels: where concatenations along one dimension of the results change their
// operand.
#include "passes/schedule/Pieces.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

class PiecesTest : public ::testing::Test {
protected:
  PiecesTest() { context.loadDialect<hlo::HLODialect>(); }

  Pieces analyze(const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "hlo.kernel_function @k <loop> attributes {reuse = array<i64: -1>} {" + body + "}",
        &context);
    EXPECT_TRUE(module) << body;
    return Pieces((*module->getOps<hlo::KernelFunctionOp>().begin()).getBody().front());
  }
  /// Expects the piece from `lower` to `upper` to read these operands, in the order from the result
  /// on.
  void expectPiece(const Piece &piece, int64_t lower, int64_t upper,
                   std::vector<unsigned> operands) {
    EXPECT_EQ(piece.range.lower, lower);
    EXPECT_EQ(piece.range.upper, upper);
    std::vector<unsigned> found;
    for (auto &[op, operand] : piece.sources)
      found.push_back(operand);
    EXPECT_EQ(found, operands);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_F(PiecesTest, ConcatenationsOfOneDimensionAreCutTogether) {
  Pieces pieces = analyze(R"(
^bb0(%x: tensor<4x30xf32>, %y: tensor<4x20xf32>, %z: tensor<4x50xf32>):
  %a = hlo.concatenate %x, %y {dimension = 1 : i64} : (tensor<4x30xf32>, tensor<4x20xf32>) -> tensor<4x50xf32>
  %b = hlo.concatenate %y, %x {dimension = 1 : i64} : (tensor<4x20xf32>, tensor<4x30xf32>) -> tensor<4x50xf32>
  %c = hlo.multiply %b, %z : (tensor<4x50xf32>, tensor<4x50xf32>) -> tensor<4x50xf32>
  %d = hlo.add %a, %c : (tensor<4x50xf32>, tensor<4x50xf32>) -> tensor<4x50xf32>
  hlo.return %d : tensor<4x50xf32>)");
  EXPECT_EQ(pieces.dimension, 1);
  ASSERT_EQ(pieces.list.size(), 3u);
  expectPiece(pieces.list[0], 0, 20, {0, 0});
  expectPiece(pieces.list[1], 20, 30, {1, 0});
  expectPiece(pieces.list[2], 30, 50, {1, 1});
}

TEST_F(PiecesTest, SlicesAndTransposesAreFollowed) {
  Pieces pieces = analyze(R"(
^bb0(%x: tensor<30x4xf32>, %e: tensor<0x4xf32>, %y: tensor<20x4xf32>):
  %a = hlo.concatenate %x, %e, %y {dimension = 0 : i64} : (tensor<30x4xf32>, tensor<0x4xf32>, tensor<20x4xf32>) -> tensor<50x4xf32>
  %b = hlo.slice %a {starts = array<i64: 25, 0>, limits = array<i64: 45, 4>, strides = array<i64: 1, 1>} : (tensor<50x4xf32>) -> tensor<20x4xf32>
  %c = hlo.transpose %b {dimensions = array<i64: 1, 0>} : (tensor<20x4xf32>) -> tensor<4x20xf32>
  hlo.return %c : tensor<4x20xf32>)");
  EXPECT_EQ(pieces.dimension, 1);
  ASSERT_EQ(pieces.list.size(), 2u);
  expectPiece(pieces.list[0], 0, 5, {0});
  expectPiece(pieces.list[1], 5, 20, {2});
}

TEST_F(PiecesTest, NestedConcatenationsAreCutToo) {
  Pieces pieces = analyze(R"(
^bb0(%x: tensor<3xf32>, %y: tensor<4xf32>):
  %a = hlo.concatenate %x, %y {dimension = 0 : i64} : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %b = hlo.negate %a : (tensor<7xf32>) -> tensor<7xf32>
  %c = hlo.concatenate %y, %b {dimension = 0 : i64} : (tensor<4xf32>, tensor<7xf32>) -> tensor<11xf32>
  hlo.return %c : tensor<11xf32>)");
  ASSERT_EQ(pieces.list.size(), 3u);
  expectPiece(pieces.list[1], 4, 7, {1, 0});
  expectPiece(pieces.list[2], 7, 11, {1, 1});
}

TEST_F(PiecesTest, OtherOrdersHaveNone) {
  // Elements are requested at two offsets, so that no index has one operand.
  EXPECT_TRUE(analyze(R"(
^bb0(%x: tensor<3xf32>, %y: tensor<4xf32>):
  %a = hlo.concatenate %x, %y {dimension = 0 : i64} : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %b = hlo.slice %a {starts = array<i64: 0>, limits = array<i64: 6>, strides = array<i64: 1>} : (tensor<7xf32>) -> tensor<6xf32>
  %c = hlo.slice %a {starts = array<i64: 1>, limits = array<i64: 7>, strides = array<i64: 1>} : (tensor<7xf32>) -> tensor<6xf32>
  %d = hlo.add %b, %c : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  hlo.return %d : tensor<6xf32>)")
                  .list.empty());
  EXPECT_TRUE(analyze(R"(
^bb0(%x: tensor<3xf32>, %y: tensor<4xf32>):
  %a = hlo.concatenate %x, %y {dimension = 0 : i64} : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
  %b = hlo.reverse %a {dimensions = array<i64: 0>} : (tensor<7xf32>) -> tensor<7xf32>
  hlo.return %b : tensor<7xf32>)")
                  .list.empty());
}
