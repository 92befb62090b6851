// SPDX-License-Identifier: Apache-2.0
// The index maps of data movement agree with the evaluator.
#include "compiler/evaluator/core/Evaluator.h"
#include "compiler/hlo/Movement.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

SmallVector<int64_t> indexOf(int64_t position, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= shape[d])
    index[d] = position % shape[d];
  return index;
}

/// The position of the element of an operand of `shape` that stands at `at` of the result; nullopt
/// if none does.
std::optional<int64_t> findElement(const hlo::IndexMap &map, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> at) {
  int64_t position = 0;
  for (auto [to, size] : llvm::zip_equal(map, shape)) {
    int64_t index = to.stride * at[to.dimension] + to.offset;
    if (index % to.divisor != 0 || index < 0 || index / to.divisor >= size)
      return std::nullopt;
    position = position * size + index / to.divisor;
  }
  return position;
}

struct IndexMapTest : testing::Test {
  MLIRContext context;

  void SetUp() override { context.loadDialect<hlo::HLODialect>(); }

  /// Whether each element of the result of `op`, on operands whose elements all differ, is that
  /// which the maps name; of a pad, the padding value where they name none.
  void check(const std::string &arguments, const std::string &op, const std::string &result) {
    std::string text = "hlo.computation @main(" + arguments + ") -> " + result + " {\n%r = " + op +
                       "\nhlo.return %r : " + result + "\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    hlo::MovementInterface movement;
    module->walk([&](hlo::MovementInterface found) { movement = found; });
    ASSERT_TRUE(movement) << op;
    SmallVector<ElementsAttr> operands;
    int32_t next = 1;
    for (Value operand : movement->getOperands()) {
      auto type = cast<RankedTensorType>(operand.getType());
      SmallVector<int32_t> values(type.getNumElements());
      for (int32_t &value : values)
        value = next++;
      operands.push_back(DenseElementsAttr::get(type, ArrayRef<int32_t>(values)));
    }
    auto folded = evaluator::foldOperation(movement, operands);
    ASSERT_TRUE(succeeded(folded)) << op;
    auto shape = cast<RankedTensorType>(movement->getResult(0).getType()).getShape();
    auto elements = llvm::to_vector((*folded)[0].getValues<int32_t>());
    for (auto [position, element] : llvm::enumerate(elements)) {
      SmallVector<int32_t> sources;
      for (auto [i, operand] : llvm::enumerate(operands)) {
        bool isPadding = isa<hlo::PadOp>(movement) && i == 1;
        if (isPadding && !sources.empty())
          continue;
        auto found = findElement(movement.getIndexMap(i), operand.getShapedType().getShape(),
                                 indexOf(position, shape));
        if (found)
          sources.push_back(operand.getValues<int32_t>()[*found]);
      }
      EXPECT_EQ(sources, SmallVector<int32_t>{element}) << op << " at " << position;
    }
  }
};

TEST_F(IndexMapTest, Broadcast) {
  check("%x: tensor<3x2xi32>",
        "hlo.broadcast %x {dimensions = array<i64: 2, 0>} : (tensor<3x2xi32>) -> tensor<2x4x3xi32>",
        "tensor<2x4x3xi32>");
  check("%x: tensor<i32>",
        "hlo.broadcast %x {dimensions = array<i64>} : (tensor<i32>) -> tensor<2xi32>",
        "tensor<2xi32>");
}

TEST_F(IndexMapTest, Transpose) {
  check("%x: tensor<2x3x4xi32>",
        "hlo.transpose %x {dimensions = array<i64: 2, 0, 1>} : (tensor<2x3x4xi32>) -> "
        "tensor<4x2x3xi32>",
        "tensor<4x2x3xi32>");
}

TEST_F(IndexMapTest, Reverse) {
  check("%x: tensor<2x3x4xi32>",
        "hlo.reverse %x {dimensions = array<i64: 0, 2>} : (tensor<2x3x4xi32>) -> "
        "tensor<2x3x4xi32>",
        "tensor<2x3x4xi32>");
}

TEST_F(IndexMapTest, Slice) {
  check("%x: tensor<5x7xi32>",
        "hlo.slice %x {starts = array<i64: 1, 2>, limits = array<i64: 4, 7>, strides = array<i64: "
        "1, 2>} : (tensor<5x7xi32>) -> tensor<3x3xi32>",
        "tensor<3x3xi32>");
}

TEST_F(IndexMapTest, Pad) {
  check("%x: tensor<3x4xi32>, %p: tensor<i32>",
        "hlo.pad %x, %p {low = array<i64: 2, -1>, high = array<i64: 1, 3>, interior = array<i64: "
        "2, 1>} : (tensor<3x4xi32>, tensor<i32>) -> tensor<10x9xi32>",
        "tensor<10x9xi32>");
}

TEST_F(IndexMapTest, Concatenate) {
  check("%x: tensor<2x3xi32>, %y: tensor<2x0xi32>, %z: tensor<2x4xi32>",
        "hlo.concatenate %x, %y, %z {dimension = 1 : i64} : (tensor<2x3xi32>, tensor<2x0xi32>, "
        "tensor<2x4xi32>) -> tensor<2x7xi32>",
        "tensor<2x7xi32>");
}

} // namespace
