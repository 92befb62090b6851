// SPDX-License-Identifier: Apache-2.0
// The tables of strategies for kernels without contractions: what they propose passes their own
// checks on any machine, and an invalid schedule written by a user gets an error that says what is
// wrong.
#include "passes/schedule/Strategies.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace hloc;

namespace {

const char *kComputations = R"(
hlo.computation @less(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %c = hlo.compare %a, %b {direction = #hlo.direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %c : tensor<i1>
}
hlo.computation @less4(%a: tensor<i4>, %b: tensor<i4>) -> tensor<i1> {
  %c = hlo.compare %a, %b {direction = #hlo.direction<LT>} : (tensor<i4>, tensor<i4>) -> tensor<i1>
  hlo.return %c : tensor<i1>
}
hlo.computation @odd(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %d = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c = hlo.compare %a, %d {direction = #hlo.direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %c : tensor<i1>
}
hlo.computation @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %c : tensor<f32>
}
hlo.computation @sum50(%a: tensor<50xf32>, %b: tensor<50xf32>) -> (tensor<50xf32>, tensor<50xf32>) {
  %c = hlo.add %a, %b : (tensor<50xf32>, tensor<50xf32>) -> tensor<50xf32>
  hlo.return %c, %c : tensor<50xf32>, tensor<50xf32>
}
hlo.computation @sum300(%a: tensor<300xf32>, %b: tensor<300xf32>) -> (tensor<300xf32>, tensor<300xf32>) {
  %c = hlo.add %a, %b : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  hlo.return %c, %c : tensor<300xf32>, tensor<300xf32>
}
)";

struct Kernel {
  const char *kind, *body;
};

const Kernel kRows = {"sort", R"(^bb0(%x: tensor<50x300xf32>):
  %r = hlo.sort %x {dimension = 1 : i64, is_stable = true, to_apply = @less} : (tensor<50x300xf32>) -> tensor<50x300xf32>
  hlo.return %r : tensor<50x300xf32>)"};
const Kernel kLongRow = {"sort", R"(^bb0(%x: tensor<40000xf32>):
  %r = hlo.sort %x {dimension = 0 : i64, is_stable = true, to_apply = @less} : (tensor<40000xf32>) -> tensor<40000xf32>
  hlo.return %r : tensor<40000xf32>)"};
const Kernel kNibbles = {"sort", R"(^bb0(%x: tensor<50x30xi4>):
  %r = hlo.sort %x {dimension = 1 : i64, is_stable = true, to_apply = @less4} : (tensor<50x30xi4>) -> tensor<50x30xi4>
  hlo.return %r : tensor<50x30xi4>)"};
const Kernel kNoKey = {"sort", R"(^bb0(%x: tensor<50x300xf32>):
  %r = hlo.sort %x {dimension = 1 : i64, is_stable = true, to_apply = @odd} : (tensor<50x300xf32>) -> tensor<50x300xf32>
  hlo.return %r : tensor<50x300xf32>)"};
const Kernel kTopk = {"sort", R"(^bb0(%x: tensor<50x3000xf32>):
  %r:2 = hlo.topk %x {k = 20 : i64, largest = true} : (tensor<50x3000xf32>) -> (tensor<50x20xf32>, tensor<50x20xi32>)
  hlo.return %r#0 : tensor<50x20xf32>)"};
const Kernel kPrefixes = {"scan", R"(^bb0(%x: tensor<50x300xf32>, %c: tensor<50xf32>):
  %r:2 = hlo.scan %x, %c {dimensions = array<i64: 1>, is_associative = true, num_carries = 1 : i64, to_apply = @sum50} : (tensor<50x300xf32>, tensor<50xf32>) -> (tensor<50x300xf32>, tensor<50xf32>)
  hlo.return %r#0 : tensor<50x300xf32>)"};
const Kernel kColumns = {"scan", R"(^bb0(%x: tensor<50x300xf32>, %c: tensor<300xf32>):
  %r:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, is_associative = true, num_carries = 1 : i64, to_apply = @sum300} : (tensor<50x300xf32>, tensor<300xf32>) -> (tensor<50x300xf32>, tensor<300xf32>)
  hlo.return %r#0 : tensor<50x300xf32>)"};
const Kernel kWindow = {"window", R"(^bb0(%x: tensor<40x100xf32>, %z: tensor<f32>):
  %r = hlo.reduce_window %x, %z {to_apply = @add, window = #hlo.window<sizes = [7, 7] strides = [1, 1] low = [0, 0] high = [0, 0] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<40x100xf32>, tensor<f32>) -> tensor<34x94xf32>
  hlo.return %r : tensor<34x94xf32>)"};
const Kernel kScatter = {
    "scatter", R"(^bb0(%x: tensor<50x200xf32>, %i: tensor<20x1xi32>, %u: tensor<20x200xf32>):
  %r = hlo.scatter %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64, to_apply = @add} : (tensor<50x200xf32>, tensor<20x1xi32>, tensor<20x200xf32>) -> tensor<50x200xf32>
  hlo.return %r : tensor<50x200xf32>)"};
const Kernel kSingles = {"scatter",
                         R"(^bb0(%x: tensor<1000xf32>, %y: tensor<300x1xf32>, %u: tensor<300xf32>):
  %i = hlo.convert %y : (tensor<300x1xf32>) -> tensor<300x1xi32>
  %r = hlo.scatter %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64, to_apply = @add} : (tensor<1000xf32>, tensor<300x1xi32>, tensor<300xf32>) -> tensor<1000xf32>
  hlo.return %r : tensor<1000xf32>)"};
const Kernel kLoop = {"loop", R"(^bb0(%x: tensor<90x110xf32>, %y: tensor<110xf32>):
  %b = hlo.broadcast %y {dimensions = array<i64: 1>} : (tensor<110xf32>) -> tensor<90x110xf32>
  %r = hlo.add %x, %b : (tensor<90x110xf32>, tensor<90x110xf32>) -> tensor<90x110xf32>
  hlo.return %r : tensor<90x110xf32>)"};
const Kernel kNibbleLoop = {"loop", R"(^bb0(%x: tensor<9x11xi4>, %y: tensor<11xi4>):
  %b = hlo.broadcast %y {dimensions = array<i64: 1>} : (tensor<11xi4>) -> tensor<9x11xi4>
  %r = hlo.add %x, %b : (tensor<9x11xi4>, tensor<9x11xi4>) -> tensor<9x11xi4>
  hlo.return %r : tensor<9x11xi4>)"};
const Kernel kEmptyLoop = {"loop", R"(^bb0(%x: tensor<9x0xf32>):
  %r = hlo.negate %x : (tensor<9x0xf32>) -> tensor<9x0xf32>
  hlo.return %r : tensor<9x0xf32>)"};
const Kernel kScalarLoop = {"loop", R"(^bb0(%x: tensor<f32>):
  %r = hlo.negate %x : (tensor<f32>) -> tensor<f32>
  hlo.return %r : tensor<f32>)"};
const Kernel kTurned = {"loop", R"(^bb0(%x: tensor<90x110xf32>):
  %r = hlo.transpose %x {dimensions = array<i64: 1, 0>} : (tensor<90x110xf32>) -> tensor<110x90xf32>
  hlo.return %r : tensor<110x90xf32>)"};
const Kernel kUpdate = {"update",
                        R"(^bb0(%x: tensor<90x110xf32>, %u: tensor<1x60xf32>, %i: tensor<i32>):
  %r = hlo.dynamic_update_slice %x, %u, %i, %i : (tensor<90x110xf32>, tensor<1x60xf32>, tensor<i32>, tensor<i32>) -> tensor<90x110xf32>
  hlo.return %r : tensor<90x110xf32>)"};
const Kernel kStates = {"update",
                        R"(^bb0(%x: tensor<9x90x3xf32>, %y: tensor<90xf32>, %i: tensor<i32>):
  %u = hlo.broadcast %y {dimensions = array<i64: 1>} : (tensor<90xf32>) -> tensor<1x90x3xf32>
  %r = hlo.dynamic_update_slice %x, %u, %i, %i, %i : (tensor<9x90x3xf32>, tensor<1x90x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x90x3xf32>
  hlo.return %r : tensor<9x90x3xf32>)"};

class StrategiesTest : public ::testing::Test {
protected:
  StrategiesTest() { context.loadDialect<hlo::HLODialect>(); }

  void setTarget(const char *cpu) {
    TargetOptions options;
    options.cpu = cpu;
    options.triple = "x86_64-linux-gnu";
    target = llvm::cantFail(makeTarget(options));
  }
  KernelProblem parse(const Kernel &kernel) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        std::string(kComputations) + "hlo.kernel_function @k <" + kernel.kind +
            "> attributes {reuse = array<i64: -1>} {" + kernel.body + "}",
        &context);
    EXPECT_TRUE(module) << kernel.body;
    auto function = *module->getOps<hlo::KernelFunctionOp>().begin();
    return {function.getKind(), function.getBody().front(), function.getReuse(), target,
            CostModel(target)};
  }
  std::string check(const Kernel &kernel, const std::string &schedule) {
    setTarget("x86-64-v3");
    auto attribute = mlir::parseAttribute("#hlo.schedule<" + schedule + ">", &context);
    return checkSchedule(parse(kernel), llvm::cast<hlo::ScheduleAttr>(attribute));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Target target;
};

TEST_F(StrategiesTest, WhatIsProposedIsRight) {
  for (const char *cpu : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (const Kernel &kernel :
         {kRows, kLongRow, kNibbles, kNoKey, kTopk, kPrefixes, kColumns, kWindow, kScatter,
          kSingles, kLoop, kNibbleLoop, kEmptyLoop, kScalarLoop, kTurned, kUpdate, kStates}) {
      setTarget(cpu);
      KernelProblem problem = parse(kernel);
      ASSERT_TRUE(chooseSchedule(problem).best.schedule) << kernel.body;
      for (const Strategy &strategy : getStrategies(problem)) {
        if (!strategy.refuse(problem).empty())
          continue;
        llvm::SmallVector<hlo::ScheduleAttr> schedules;
        strategy.propose(problem, schedules);
        EXPECT_FALSE(schedules.empty()) << strategy.name.str();
        for (hlo::ScheduleAttr schedule : schedules) {
          EXPECT_EQ(checkSchedule(problem, schedule), "") << strategy.name.str() << kernel.body;
          double time = getCost(problem, schedule);
          EXPECT_TRUE(std::isfinite(time) && time >= 0) << strategy.name.str() << kernel.body;
        }
      }
    }
}

TEST_F(StrategiesTest, WhatIsWrittenWronglyIsRefused) {
  struct Fault {
    const Kernel &kernel;
    const char *schedule, *message;
  };
  const Fault faults[] = {
      {kRows, R"("sort.quick")", "no strategy `sort.quick`"},
      {kRows, R"("sort.network" lanes = 8)", "those of a vector of 64-bit entries"},
      {kRows, R"("sort.network" tile = [1, 1] lanes = 4)", "expected no `tile`"},
      {kRows, R"("sort.digits" block = [100] lanes = 8 units = 50)", "a power of two from 2 to"},
      {kRows, R"("sort.digits" block = [65536] lanes = 8 units = 50)", "a power of two from 2 to"},
      {kRows, R"("sort.digits" lanes = 8 units = 50)", "the number of values of a digit"},
      {kRows, R"("sort.digits" block = [256, 2] lanes = 8 units = 2)",
       "parts only of a single row"},
      {kLongRow, R"("sort.digits" block = [256, 3] lanes = 8 units = 3)", "from 2 to 64"},
      {kRows, R"("sort.digits" block = [256] lanes = 3 units = 50)", "expected `lanes`"},
      {kRows, R"("sort.digits" block = [256] lanes = 8)", "no more `units` than there are rows"},
      {kRows, R"("sort.digits" block = [256] lanes = 8 units = 51)", "no more `units`"},
      {kRows, R"("sort.digits" block = [256] lanes = 8 units = 50 scratch = 8)",
       "expected `scratch` to be"},
      {kRows, R"("sort.vectors" block = [3] lanes = 8 units = 50)", "a power of two of up to 16"},
      {kRows, R"("sort.vectors" block = [32] lanes = 8 units = 50)", "a power of two of up to 16"},
      {kRows, R"("sort.vectors" block = [16] lanes = 8 units = 50 scratch = 8)",
       "expected `scratch` to be"},
      {kNoKey, R"("sort.vectors" block = [16] lanes = 8 units = 50)", "that of a single integer"},
      {kRows, R"("sort.merge" block = [0] lanes = 8 units = 50)", "expected runs of 1 to"},
      {kRows, R"("sort.merge" block = [8] lanes = 8 units = 50 with = ["digits"])",
       "this strategy has no choice `digits`"},
      {kRows, R"("topk.select" block = [64, 8] lanes = 8)", "the kernel contains no topk"},
      {kLongRow, R"("sort.digits" block = [256] lanes = 8 units = 1)", "expected `scratch` to be"},
      {kLongRow, R"("sort.network" lanes = 4)", "fewer adjacent rows than lanes"},
      {kNibbles, R"("sort.merge" block = [8] lanes = 8 units = 1)", "one lane and one unit"},
      {kNibbles, R"("sort.merge" block = [8] lanes = 1 units = 2)", "one lane and one unit"},
      {kNoKey, R"("sort.digits" block = [256] lanes = 8 units = 50)", "keys in a known order"},
      {kTopk, R"("topk.select" block = [32, 8] lanes = 8)", "a power of two from 64 to 256"},
      {kTopk, R"("topk.select" block = [64] lanes = 8)", "two numbers"},
      {kTopk, R"("topk.select" block = [64, 8] lanes = 8 with = ["registers"])", "one number"},
      {kTopk, R"("topk.select" block = [64, 100] lanes = 8)", "expected runs of 1 to"},
      {kTopk, R"("topk.select" block = [64, 9] lanes = 8 with = ["digits"])", "a power of two"},
      {kTopk, R"("topk.select" block = [64, 8] lanes = 4)", "a vector of 32-bit keys"},
      {kPrefixes, R"("scan.prefixes" lanes = 16)", "expected `lanes`"},
      {kPrefixes, R"("scan.steps" tile = [2, 1] lanes = 8)", "one row and a power of two"},
      {kPrefixes, R"("scan.steps" tile = [1, 64] lanes = 8)", "at most 16"},
      {kColumns, R"("scan.prefixes" lanes = 8)", "is not the minor one"},
      {kWindow, R"("window.each" tile = [1, 1] lanes = 8 with = ["unroll"])",
       "no `unroll` of more"},
      {kWindow, R"("window.each" lanes = 8)", "expected `tile` to be"},
      {kScatter, R"("scatter.windows" lanes = 8 units = 201)",
       "expected at most as many `units` as"},
      {kScatter, R"("scatter.windows" lanes = 8)", "expected at most as many `units` as"},
      {kScatter, R"("scatter.staged" block = [8] lanes = 8)", "windows have several elements"},
      {kSingles, R"("scatter.windows" lanes = 8 units = 1)", "expected one lane"},
      {kSingles, R"("scatter.staged" block = [301] lanes = 8)", "at most 300"},
      {kSingles, R"("scatter.staged" block = [20] lanes = 8)", "whole vectors"},
      {kLoop, R"("loop.flat" tile = [1, 1] block = [4] lanes = 8)", "whole vectors"},
      {kLoop, R"("loop.flat" tile = [1, 1] lanes = 8)", "whole vectors"},
      {kLoop, R"("loop.rows" tile = [1, 16] lanes = 8)", "at most 8"},
      {kLoop, R"("loop.rows" tile = [1, 1] lanes = 8 units = 3)", "expected no `units`"},
      {kLoop, R"("loop.tiles" lanes = 8)", "no operand is transposed"},
      {kLoop, R"("loop.few_minor" tile = [1, 1] block = [64] lanes = 8)",
       "too many elements to unroll"},
      {kLoop, R"("loop.few_major" tile = [1, 1] block = [64] lanes = 8)", "are not concatenated"},
      {kNibbleLoop, R"("loop.rows" tile = [1, 1] lanes = 8)", "rows do not begin at whole bytes"},
      {kNibbleLoop, R"("loop.flat" tile = [1, 1] block = [4] lanes = 4)", "a multiple of 8"},
      {kNibbleLoop, R"("loop.flat" tile = [1, 1] block = [8] lanes = 2)", "they share bytes"},
      {kScalarLoop, R"("loop.rows" tile = [1, 1] lanes = 1)", "there is one row"},
      {kTurned, R"("loop.tiles" lanes = 1)", "expected a tile of 2 to 16 lanes"},
      {kTurned, R"("loop.tiles" tile = [2, 1] lanes = 8)", "one row and a power of two"},
      {kTurned, R"("loop.staged" tile = [8, 2] block = [16, 16] lanes = 8)", "and one vector"},
      {kTurned, R"("loop.staged" tile = [8, 1] block = [16, 20] lanes = 8)", "in whole tiles"},
      {kTurned, R"("loop.staged" tile = [8, 1] block = [8, 96] lanes = 8)", "in whole tiles"},
      {kUpdate, R"("update.rows" lanes = 16)", "expected at most 8 lanes"},
      {kUpdate, R"("update.rows" lanes = 3)", "expected `lanes`"},
      {kUpdate, R"("update.few_minor" lanes = 8)", "are not written at different indices"},
      {kStates, R"("update.few_minor" lanes = 16)", "expected `lanes`"},
  };
  for (const Fault &fault : faults)
    EXPECT_NE(check(fault.kernel, fault.schedule).find(fault.message), std::string::npos)
        << fault.schedule << ": " << check(fault.kernel, fault.schedule);
}

} // namespace
