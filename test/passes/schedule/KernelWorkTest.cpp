// SPDX-License-Identifier: Apache-2.0
// How often a kernel computes its values, and the dimension of the lanes; and the effect on
// predictions.
#include "passes/schedule/KernelWork.h"
#include "mlir/Parser/Parser.h"
#include "passes/schedule/Prediction.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

class KernelWorkTest : public ::testing::Test {
protected:
  KernelWorkTest() {
    context.loadDialect<hlo::HLODialect>();
    TargetOptions options;
    options.cpu = "x86-64-v3";
    options.triple = "x86_64-linux-gnu";
    target = llvm::cantFail(makeTarget(options));
  }

  /// A kernel of kind `kind` with this body.
  hlo::KernelFunctionOp parse(const std::string &kind, const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "hlo.kernel_function @k <" + kind + "> attributes {reuse = array<i64: -1>} {" + body + "}",
        &context);
    EXPECT_TRUE(module) << body;
    return *module->getOps<hlo::KernelFunctionOp>().begin();
  }
  /// What a loop kernel asks of its first argument.
  Requests ask(const std::string &body, LaneOrder order = LaneOrder::BySize) {
    hlo::KernelFunctionOp kernel = parse("loop", body);
    KernelProblem problem{kernel.getKind(), kernel.getBody().front(), kernel.getReuse(), target,
                          CostModel(target)};
    return KernelWork(problem, order).getRequests(kernel.getBody().getArgument(0));
  }
  double predict(const std::string &kind, const std::string &body) {
    return predictKernel(parse(kind, body), target).time;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Target target;
};

const char *kGather = R"(
^bb0(%x: tensor<SIZExf32>, %i: tensor<4096x1xi32>):
  %r = hlo.gather %x, %i {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64>, slice_sizes = array<i64: 1>, start_index_map = array<i64: 0>} : (tensor<SIZExf32>, tensor<4096x1xi32>) -> tensor<4096xf32>
  hlo.return %r : tensor<4096xf32>
)";

std::string gatherFrom(const std::string &size) {
  std::string text = kGather;
  for (size_t at; (at = text.find("SIZE")) != std::string::npos;)
    text.replace(at, 4, size);
  return text;
}

} // namespace

TEST_F(KernelWorkTest, UsersAtOneIndexShareAnElement) {
  Requests requests = ask(R"(
^bb0(%x: tensor<1024xf32>):
  %a = hlo.negate %x : (tensor<1024xf32>) -> tensor<1024xf32>
  %b = hlo.multiply %x, %a : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  hlo.return %b : tensor<1024xf32>)");
  EXPECT_DOUBLE_EQ(requests.rows, 1024);
  EXPECT_DOUBLE_EQ(requests.getTotal(), 1024);
}

TEST_F(KernelWorkTest, SlicesAtTwoPlacesAskTwice) {
  Requests requests = ask(R"(
^bb0(%x: tensor<1025xf32>):
  %a = hlo.slice %x {starts = array<i64: 0>, limits = array<i64: 1024>, strides = array<i64: 1>} : (tensor<1025xf32>) -> tensor<1024xf32>
  %b = hlo.slice %x {starts = array<i64: 1>, limits = array<i64: 1025>, strides = array<i64: 1>} : (tensor<1025xf32>) -> tensor<1024xf32>
  %c = hlo.add %a, %b : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  hlo.return %c : tensor<1024xf32>)");
  EXPECT_DOUBLE_EQ(requests.rows, 2048);
}

TEST_F(KernelWorkTest, EqualSlicesAskOnce) {
  Requests requests = ask(R"(
^bb0(%x: tensor<1025xf32>):
  %a = hlo.slice %x {starts = array<i64: 0>, limits = array<i64: 1024>, strides = array<i64: 1>} : (tensor<1025xf32>) -> tensor<1024xf32>
  %b = hlo.slice %x {starts = array<i64: 0>, limits = array<i64: 1024>, strides = array<i64: 1>} : (tensor<1025xf32>) -> tensor<1024xf32>
  %c = hlo.add %a, %b : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  hlo.return %c : tensor<1024xf32>)");
  EXPECT_DOUBLE_EQ(requests.rows, 1024);
}

TEST_F(KernelWorkTest, WhatIsTheSameAlongRowsIsAskedOncePerRow) {
  Requests requests = ask(R"(
^bb0(%x: tensor<64xf32>):
  %a = hlo.broadcast %x {dimensions = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x512xf32>
  hlo.return %a : tensor<64x512xf32>)");
  EXPECT_DOUBLE_EQ(requests.uniform, 64);
  EXPECT_DOUBLE_EQ(requests.getTotal(), 64);
}

TEST_F(KernelWorkTest, LanesOfATransposeLieAtDistances) {
  Requests requests = ask(R"(
^bb0(%x: tensor<64x512xf32>):
  %a = hlo.transpose %x {dimensions = array<i64: 1, 0>} : (tensor<64x512xf32>) -> tensor<512x64xf32>
  hlo.return %a : tensor<512x64xf32>)");
  EXPECT_DOUBLE_EQ(requests.strided, 64 * 512);
}

TEST_F(KernelWorkTest, ColumnsOfShortRowsAreTakenFromWholeVectors) {
  auto column = [](std::string size) {
    return "^bb0(%x: tensor<512x" + size +
           "xf32>):\n  %a = hlo.slice %x {starts = array<i64: 0, 1>, "
           "limits = array<i64: 512, 2>, strides = array<i64: 1, 1>} : (tensor<512x" +
           size + "xf32>) -> tensor<512x1xf32>\n  hlo.return %a : tensor<512x1xf32>";
  };
  EXPECT_DOUBLE_EQ(ask(column("3")).rows, 3 * 512);
  EXPECT_DOUBLE_EQ(ask(column("30")).strided, 512);
}

TEST_F(KernelWorkTest, LanesOfAGatherLieAnywhere) {
  EXPECT_DOUBLE_EQ(ask(gatherFrom("1000")).apart, 4096);
}

TEST_F(KernelWorkTest, GatheringFromFarAwayTakesLonger) {
  double near = predict("loop", gatherFrom("1000")), far = predict("loop", gatherFrom("100000000"));
  EXPECT_GT(far, 2 * near);
}

TEST_F(KernelWorkTest, AFewElementsTakeAsLongAsTheirChain) {
  // Of one element what counts is that each function waits for the one before.
  double one = predict("loop", R"(
^bb0(%x: tensor<1xf32>):
  %a = hlo.sine %x : (tensor<1xf32>) -> tensor<1xf32>
  %b = hlo.sine %a : (tensor<1xf32>) -> tensor<1xf32>
  hlo.return %b : tensor<1xf32>)");
  double eight = predict("loop", R"(
^bb0(%x: tensor<8xf32>):
  %a = hlo.sine %x : (tensor<8xf32>) -> tensor<8xf32>
  %b = hlo.sine %a : (tensor<8xf32>) -> tensor<8xf32>
  hlo.return %b : tensor<8xf32>)");
  EXPECT_DOUBLE_EQ(one, eight);
}

TEST_F(KernelWorkTest, AnUpdateInPlaceTakesWhatItsSliceTakes) {
  auto update = [](const std::string &size) {
    return R"(
^bb0(%x: tensor<)" +
           size + R"(x256xf32>, %u: tensor<1x256xf32>, %i: tensor<i32>):
  %r = hlo.dynamic_update_slice %x, %u, %i, %i : (tensor<)" +
           size + R"(x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<)" + size +
           R"(x256xf32>
  hlo.return %r : tensor<)" +
           size + "x256xf32>";
  };
  double small = predict("update", update("1000")), large = predict("update", update("100000"));
  EXPECT_LT(large, 10 * small);
}

// Whether rows of five elements are read as rows or across them depends on the order of the lanes.
TEST_F(KernelWorkTest, ShortRows) {
  const char *slice = R"(
^bb0(%x: tensor<1000x9xf32>):
  %r = hlo.slice %x {limits = array<i64: 1000, 5>, starts = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1000x9xf32>) -> tensor<1000x5xf32>
  hlo.return %r : tensor<1000x5xf32>
)";
  EXPECT_EQ(ask(slice, LaneOrder::Rows).rows, 5000);
  EXPECT_EQ(ask(slice, LaneOrder::FewMinor).apart, 5000); // nine are too many to deinterleave
  const char *join = R"(
^bb0(%x: tensor<1000x5xf32>, %y: tensor<1000x1xf32>):
  %r = hlo.concatenate %x, %y {dimension = 1 : i64} : (tensor<1000x5xf32>, tensor<1000x1xf32>) -> tensor<1000x6xf32>
  hlo.return %r : tensor<1000x6xf32>
)";
  EXPECT_EQ(ask(join, LaneOrder::Rows).rows, 6000); // each vector asks for all of its lanes
  EXPECT_EQ(ask(join, LaneOrder::FewMinor).rows, 5000);
  const char *table = R"(
^bb0(%x: tensor<50x5xf32>, %i: tensor<1000xi32>):
  %r = hlo.gather %x, %i {collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64: 1>, slice_sizes = array<i64: 1, 5>, start_index_map = array<i64: 0>} : (tensor<50x5xf32>, tensor<1000xi32>) -> tensor<1000x5xf32>
  hlo.return %r : tensor<1000x5xf32>
)";
  EXPECT_EQ(ask(table, LaneOrder::Rows).rows, 5000);
  EXPECT_EQ(ask(table, LaneOrder::FewMinor).apart, 3000); // two pairs and one of each row
  // Either way the elements of a row are near each other.
  EXPECT_EQ(ask(table, LaneOrder::Rows).jumps, 1000);
  EXPECT_EQ(ask(table, LaneOrder::FewMinor).jumps, 1000);
}
