// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/Evaluator.h"
#include "compiler/hlo/HloDialect.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

struct Fold : testing::Test {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;

  void SetUp() override { context.loadDialect<hlo::HLODialect>(); }

  /// The first operation of the named kind in a module.
  Operation *parse(StringRef text, StringRef kind) {
    module = parseSourceString<ModuleOp>(text, &context);
    Operation *found = nullptr;
    if (module)
      module->walk([&](Operation *op) {
        if (!found && op->getName().getStringRef() == kind)
          found = op;
      });
    return found;
  }
  ElementsAttr ints(ArrayRef<int64_t> shape, ArrayRef<int32_t> values) {
    return DenseElementsAttr::get(RankedTensorType::get(shape, IntegerType::get(&context, 32)),
                                  values);
  }
};

constexpr const char *kText = R"(
  hlo.computation @add(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %s = hlo.add %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    hlo.return %s : tensor<i32>
  }
  hlo.computation @main(%x: tensor<4xi32>, %zero: tensor<i32>) -> tensor<i32> {
    %r = hlo.reduce %x, %zero {dimensions = array<i64: 0>, to_apply = @add} : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
    %n = hlo.negate %x : (tensor<4xi32>) -> tensor<4xi32>
    %id = hlo.replica_id : () -> tensor<ui32>
    hlo.return %r : tensor<i32>
  })";

TEST_F(Fold, AppliesComputations) {
  Operation *op = parse(kText, "hlo.reduce");
  ASSERT_TRUE(op);
  auto folded = evaluator::foldOperation(op, {ints({4}, {1, 2, 3, 4}), ints({}, {10})});
  ASSERT_TRUE(succeeded(folded));
  EXPECT_EQ((*folded)[0].getValues<int32_t>()[0], 20);
}

TEST_F(Fold, Elementwise) {
  Operation *op = parse(kText, "hlo.negate");
  ASSERT_TRUE(op);
  auto folded = evaluator::foldOperation(op, {ints({4}, {1, 2, 3, 4})});
  ASSERT_TRUE(succeeded(folded));
  EXPECT_EQ((*folded)[0].getValues<int32_t>()[3], -4);
}

TEST_F(Fold, RefusesWhatIsTooLargeOrNotConstant) {
  Operation *op = parse(kText, "hlo.negate");
  ASSERT_TRUE(op);
  EXPECT_TRUE(failed(evaluator::foldOperation(op, {ints({4}, {1, 2, 3, 4})}, /*maxElements=*/3)));
  EXPECT_TRUE(failed(evaluator::foldOperation(parse(kText, "hlo.replica_id"), {})));
}

} // namespace
