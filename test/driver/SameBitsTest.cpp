// SPDX-License-Identifier: Apache-2.0
// With all schedules that tuning may choose, results have the same bits: every kernel below runs
// with all of them (passes/schedule/Summation.h, passes/schedule/Candidates.h).
#include "compiler/driver/LoadedInstance.h"
#include "compiler/driver/RunFiles.h"
#include "compiler/driver/TeamRun.h"
#include "compiler/text/Parser.h"
#include "passes/schedule/Candidates.h"
#include "passes/schedule/Fingerprint.h"
#include "passes/schedule/ScheduleFile.h"
#include "passes/schedule/Summation.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

/// Schedules of a kernel that are run at most, evenly taken of those there are.
constexpr size_t kMostSchedules = 10;

struct Case {
  const char *name, *text;
};

std::string print(hlo::ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream(text) << mlir::Attribute(schedule);
  return text;
}

std::string printCase(const testing::TestParamInfo<std::tuple<const char *, Case>> &info) {
  std::string name = std::get<1>(info.param).name + std::string("_") + std::get<0>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class SameBitsTest : public testing::TestWithParam<std::tuple<const char *, Case>> {
protected:
  SameBitsTest() : context(makeRegistry()) {
    context.loadAllAvailableDialects();
    compile.target.cpu = std::get<0>(GetParam());
    target = llvm::cantFail(makeTarget(compile.target));
    module = parse(std::get<1>(GetParam()).text);
    RunOptions run;
    EXPECT_EQ(readInputs(findEntry(*module), run, inputs), InputError::None);
  }

  void SetUp() override {
    if (llvm::cantFail(makeTarget({})).vectorBytes < target.vectorBytes)
      GTEST_SKIP() << "this machine has no such vectors";
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const char *text) {
    return parseHlo(std::string("HloModule m\n\n") + text, "m.hlo", &context);
  }

  /// The bytes of all results.
  std::vector<char> run(const CompileOptions &options) {
    std::optional<Executable> executable = makeExecutable(*module, options);
    EXPECT_TRUE(executable);
    if (!executable)
      return {};
    used.clear();
    for (auto kernel : executable->program->getOps<hlo::KernelFunctionOp>())
      if (mlir::ArrayAttr schedules = kernel.getSchedulesAttr())
        used.push_back(llvm::cast<hlo::ScheduleAttr>(schedules[0]));
    LoadedInstance instance(executable->compiled.interface, executable->loaded, nullptr,
                            inputs.front());
    hlort_status status = {};
    EXPECT_EQ(instance.call(status), HLORT_OK) << status.message;
    std::vector<char> bytes;
    for (const HostArray &array : instance.getResults())
      bytes.insert(bytes.end(), array.bytes.begin(), array.bytes.end());
    return bytes;
  }

  /// With `schedule` for the kernel `problem`.
  std::vector<char> runWith(const std::string &problem, hlo::ScheduleAttr schedule) {
    ScheduleFile file;
    file.sections.push_back({getMachineName(target), {{{"k", problem, schedule, {}}, ""}}});
    CompileOptions options = compile;
    options.tunedSchedules = printScheduleFile(file);
    options.tunedSchedulesFile = "trial";
    return run(options);
  }

  /// Calls `body` for each kernel that has schedules to choose from, with its own.
  void forEachKernel(
      llvm::function_ref<void(const KernelProblem &problem, hlo::ScheduleAttr own)> body) {
    mlir::OwningOpRef<mlir::ModuleOp> scheduled = module->clone();
    ASSERT_TRUE(mlir::succeeded(scheduleModule(*scheduled, compile)));
    scheduled->walk([&](hlo::KernelOp kernel) {
      KernelProblem problem = makeProblem(kernel, target);
      if (mlir::ArrayAttr schedules = kernel.getSchedulesAttr())
        body(problem, llvm::cast<hlo::ScheduleAttr>(schedules[0]));
    });
  }

  mlir::MLIRContext context;
  CompileOptions compile;
  Target target;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ParticipantArrays inputs;
  /// The schedules of the last program that ran.
  std::vector<hlo::ScheduleAttr> used;
};

TEST_P(SameBitsTest, AllCandidates) {
  std::vector<char> expected = run(compile);
  size_t count = 0;
  forEachKernel([&](const KernelProblem &problem, hlo::ScheduleAttr own) {
    llvm::SmallVector<hlo::ScheduleAttr> all = listCandidates(problem, own);
    llvm::append_range(all, listNeighbours(problem, own, own));
    for (hlo::ScheduleAttr candidate : listCandidates(problem, own))
      llvm::append_range(all, listNeighbours(problem, own, candidate));
    std::string fingerprint = getFingerprint(problem.kind, problem.body);
    size_t step = 1 + all.size() / kMostSchedules;
    for (size_t i = 0; i < all.size(); i += step, ++count) {
      if (runWith(fingerprint, all[i]) != expected)
        ADD_FAILURE() << print(all[i]) << " gives other bits than " << print(own);
      EXPECT_TRUE(llvm::is_contained(used, all[i])) << print(all[i]) << " was not taken";
    }
  });
  RecordProperty("schedules", int(count));
}

/// Other orders of sums are other bits: what this is all about.
class OtherBitsTest : public SameBitsTest {};

TEST_P(OtherBitsTest, OtherOrders) {
  std::vector<char> expected = run(compile);
  int count = 0;
  forEachKernel([&](const KernelProblem &problem, hlo::ScheduleAttr own) {
    for (const Strategy &strategy : getStrategies(problem)) {
      llvm::SmallVector<hlo::ScheduleAttr> proposed;
      if (strategy.refuse(problem).empty())
        strategy.propose(problem, proposed);
      if (proposed.empty() || getSummation(problem, proposed.front()) == getSummation(problem, own))
        continue;
      ++count;
      CompileOptions options = compile;
      options.schedules = {"k=" + print(proposed.front())};
      EXPECT_NE(run(options), expected) << print(proposed.front());
      EXPECT_EQ(runWith(getFingerprint(problem.kind, problem.body), proposed.front()), expected)
          << "it was taken though it adds in another order: " << print(proposed.front());
    }
  });
  EXPECT_GT(count, 0);
}

/// What is repeated for each row of a tile is rounded apart from the sum where there are several.
class ContractionTest : public SameBitsTest {};

TEST_P(ContractionTest, CodeOfAnotherShapeRoundsOtherwise) {
  std::vector<std::vector<char>> results;
  for (int rows : {1, 2}) {
    CompileOptions options = compile;
    options.schedules = {"k=#hlo.schedule<\"dot.stream\" tile = [" + std::to_string(rows) +
                         ", 1] lanes = 8>"};
    results.push_back(run(options));
  }
  EXPECT_NE(results[0], results[1]);
  forEachKernel([&](const KernelProblem &problem, hlo::ScheduleAttr own) {
    EXPECT_TRUE(mayContractOtherwise(problem.body));
    EXPECT_TRUE(listCandidates(problem, own).empty());
    EXPECT_TRUE(listNeighbours(problem, own, own).empty());
  });
}

const Case kCases[] = {
    {"Dot", R"(ENTRY e {
  a = f32[65,100] parameter(0)
  b = f32[100,97] parameter(1)
  ROOT k = f32[65,97] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotInRowBlocks", R"(ENTRY e {
  a = f32[11,600] parameter(0)
  b = f32[600,1100] parameter(1)
  ROOT k = f32[11,1100] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotOfTwoBlocks", R"(ENTRY e {
  a = f32[37,700] parameter(0)
  b = f32[700,130] parameter(1)
  ROOT k = f32[37,130] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotOfManyBlocks", R"(ENTRY e {
  a = f32[8,17000] parameter(0)
  b = f32[17000,70] parameter(1)
  ROOT k = f32[8,70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotOfFewRows", R"(ENTRY e {
  a = f32[2,1500] parameter(0)
  b = f32[1500,700] parameter(1)
  ROOT k = f32[2,700] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotOfDistantRows", R"(ENTRY e {
  a = f32[6,300] parameter(0)
  b = f32[300,1000] parameter(1)
  ROOT k = f32[6,1000] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotAlongDepth", R"(ENTRY e {
  a = f32[3,600] parameter(0)
  b = f32[90,600] parameter(1)
  ROOT k = f32[3,90] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})"},
    {"DotTransposed", R"(ENTRY e {
  a = f32[300,61] parameter(0)
  b = f32[80,300] parameter(1)
  ROOT k = f32[61,80] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}
})"},
    {"DotOfBatches", R"(ENTRY e {
  a = f64[5,20,200] parameter(0)
  b = f64[5,200,33] parameter(1)
  ROOT k = f64[5,20,33] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}
})"},
    {"DotOfMaskedRows", R"(ENTRY e {
  a = f32[150,70] parameter(0)
  w = f32[5,70,90] parameter(1)
  s = s32[5] constant({37, 0, 1, 95, 9})
  ROOT k = f32[150,90] ragged-dot(a, w, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
})"},
    {"DotOfMaskedDepth", R"(ENTRY e {
  a = f32[24,300] parameter(0)
  b = f32[300,40] parameter(1)
  s = s32[4] constant({3, 0, 200, 90})
  ROOT k = f32[4,24,40] ragged-dot(a, b, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}
})"},
    {"DotOfNarrowFloats", R"(ENTRY e {
  a = bf16[20,300] parameter(0)
  b = bf16[300,70] parameter(1)
  ROOT k = bf16[20,70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotOfComplex", R"(ENTRY e {
  a = c64[20,90] parameter(0)
  b = c64[90,40] parameter(1)
  ROOT k = c64[20,40] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotOfIntegers", R"(ENTRY e {
  a = s8[30,600] parameter(0)
  b = s8[600,70] parameter(1)
  ROOT k = s32[30,70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"DotWithEpilogue", R"(ENTRY e {
  a = f32[40,250] parameter(0)
  b = f32[250,70] parameter(1)
  bias = f32[70] parameter(2)
  product = f32[40,70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  biases = f32[40,70] broadcast(bias), dimensions={1}
  sum = f32[40,70] add(product, biases)
  square = f32[40,70] multiply(sum, sum)
  cube = f32[40,70] multiply(square, sum)
  some = f32[] constant(0.044715)
  somes = f32[40,70] broadcast(some), dimensions={}
  scaled = f32[40,70] multiply(cube, somes)
  inner = f32[40,70] add(sum, scaled)
  gate = f32[40,70] tanh(inner)
  half = f32[40,70] multiply(sum, gate)
  ROOT k = f32[40,70] add(half, sum)
})"},
    {"DotWithContractedEpilogue", R"(ENTRY e {
  a = f32[40,250] parameter(0)
  b = f32[250,70] parameter(1)
  bias = f32[70] parameter(2)
  k = f32[40,70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  biases = f32[40,70] broadcast(bias), dimensions={1}
  scale = f32[] constant(1.7)
  scales = f32[40,70] broadcast(scale), dimensions={}
  scaled = f32[40,70] multiply(biases, scales)
  ROOT sum = f32[40,70] add(k, scaled)
})"},
    {"DotWithSumOfProducts", R"(ENTRY e {
  a = f32[40,250] parameter(0)
  b = f32[250,70] parameter(1)
  x = f32[40,70] parameter(2)
  y = f32[40,70] parameter(3)
  z = f32[40,70] parameter(4)
  product = f32[40,70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  scaled = f32[40,70] multiply(product, x)
  other = f32[40,70] multiply(y, z)
  ROOT k = f32[40,70] add(scaled, other)
})"},
    {"DotWithPrologue", R"(ENTRY e {
  a = f32[40,200] parameter(0)
  x = f32[200,70] parameter(1)
  y = f32[200,70] parameter(2)
  z = f32[200,70] parameter(3)
  xy = f32[200,70] multiply(x, y)
  b = f32[200,70] add(xy, z)
  ROOT k = f32[40,70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"Convolution", R"(ENTRY e {
  x = f32[2,13,13,40] parameter(0)
  w = f32[3,3,40,24] parameter(1)
  ROOT k = f32[2,13,13,24] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
})"},
    {"ConvolutionOfFewChannels", R"(ENTRY e {
  x = f32[1,30,30,3] parameter(0)
  w = f32[7,7,3,20] parameter(1)
  ROOT k = f32[1,15,15,20] convolution(x, w), window={size=7x7 stride=2x2 pad=3_3x3_3}, dim_labels=b01f_01io->b01f
})"},
    {"ConvolutionOfFewFeatures", R"(ENTRY e {
  x = f32[1,17,17,96] parameter(0)
  w = f32[3,3,96,3] parameter(1)
  ROOT k = f32[1,17,17,3] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
})"},
    {"ConvolutionOfManyChannels", R"(ENTRY e {
  x = f32[1,9,9,300] parameter(0)
  w = f32[3,3,300,64] parameter(1)
  ROOT k = f32[1,9,9,64] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
})"},
    {"ConvolutionByChannelsFirst", R"(ENTRY e {
  x = f32[2,24,14,14] parameter(0)
  w = f32[18,24,3,3] parameter(1)
  ROOT k = f32[2,18,14,14] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
})"},
    {"DepthwiseConvolution", R"(ENTRY e {
  x = f32[1,20,20,36] parameter(0)
  w = f32[3,3,1,36] parameter(1)
  ROOT k = f32[1,20,20,36] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=36
})"},
    {"TransposedConvolution", R"(ENTRY e {
  x = f32[1,9,9,24] parameter(0)
  w = f32[4,4,24,16] parameter(1)
  ROOT k = f32[1,18,18,16] convolution(x, w), window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f
})"},
    {"SumOfColumns", R"(add {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY e {
  x = f32[700,300] parameter(0)
  zero = f32[] constant(0)
  ROOT k = f32[300] reduce(x, zero), dimensions={0}, to_apply=add
})"},
    {"SumOfPanels", R"(add {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY e {
  x = f32[700,3001] parameter(0)
  zero = f32[] constant(0)
  ROOT k = f32[3001] reduce(x, zero), dimensions={0}, to_apply=add
})"},
    {"SumOfRows", R"(add {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY e {
  x = f32[60,1000] parameter(0)
  zero = f32[] constant(0)
  ROOT k = f32[60] reduce(x, zero), dimensions={1}, to_apply=add
})"},
    {"SumOfSquares", R"(add {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY e {
  x = f32[90,130] parameter(0)
  xx = f32[90,130] multiply(x, x)
  zero = f32[] constant(0)
  ROOT k = f32[130] reduce(xx, zero), dimensions={0}, to_apply=add
})"},
    {"SumOfFewSquares", R"(add {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY e {
  x = f32[130,12] parameter(0)
  xx = f32[130,12] multiply(x, x)
  zero = f32[] constant(0)
  ROOT k = f32[130] reduce(xx, zero), dimensions={1}, to_apply=add
})"},
    {"Maximum", R"(max {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] maximum(p, q)
}

ENTRY e {
  x = f32[60,190] parameter(0)
  least = f32[] constant(-inf)
  ROOT k = f32[60] reduce(x, least), dimensions={1}, to_apply=max
})"},
    {"SumOfIntegers", R"(sum {
  p = s32[] parameter(0)
  q = s32[] parameter(1)
  ROOT s = s32[] add(p, q)
}

ENTRY e {
  x = s32[61,170] parameter(0)
  zero = s32[] constant(0)
  ROOT k = s32[61] reduce(x, zero), dimensions={1}, to_apply=sum
})"},
    {"Softmax", R"(add {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

max {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] maximum(p, q)
}

ENTRY e {
  x = f32[60,190] parameter(0)
  least = f32[] constant(-inf)
  zero = f32[] constant(0)
  top = f32[60] reduce(x, least), dimensions={1}, to_apply=max
  tops = f32[60,190] broadcast(top), dimensions={0}
  lower = f32[60,190] subtract(x, tops)
  powers = f32[60,190] exponential(lower)
  sum = f32[60] reduce(powers, zero), dimensions={1}, to_apply=add
  sums = f32[60,190] broadcast(sum), dimensions={0}
  ROOT k = f32[60,190] divide(powers, sums)
})"},
    {"PaddedImage", R"(ENTRY e {
  x = f32[40,200] parameter(0)
  zero = f32[] constant(0)
  pad = f32[42,202] pad(x, zero), padding=1_1x1_1
  left = f32[40,200] slice(pad), slice={[1:41],[0:200]}
  above = f32[40,200] slice(pad), slice={[0:40],[1:201]}
  ROOT k = f32[40,200] add(left, above)
})"},
    {"PaddedProduct", R"(ENTRY e {
  x = f32[40,200] parameter(0)
  y = f32[40,200] parameter(1)
  product = f32[40,200] multiply(x, y)
  zero = f32[] constant(0)
  pad = f32[40,203] pad(product, zero), padding=0_0x2_1
  moved = f32[40,200] slice(pad), slice={[0:40],[0:200]}
  ROOT k = f32[40,200] add(moved, x)
})"},
    {"SortOfNumbers", R"(less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT less = pred[] compare(a, b), direction=LT
}

ENTRY e {
  a = f32[3,900] parameter(0)
  ROOT k = f32[3,900] sort(a), dimensions={1}, to_apply=less
})"},
    {"SortOfPairs", R"(greater {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT greater = pred[] compare(a, b), direction=GT
}

ENTRY e {
  a = s32[20,50] parameter(0)
  b = f32[20,50] parameter(1)
  ROOT k = (s32[20,50], f32[20,50]) sort(a, b), dimensions={0}, to_apply=greater
})"},
};

const Case &findCase(const std::string &name) {
  return *llvm::find_if(kCases, [&](const Case &one) { return one.name == name; });
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Kernels, OtherBitsTest,
                         testing::Combine(testing::Values("x86-64-v3"),
                                          testing::Values(findCase("DotOfTwoBlocks"),
                                                          findCase("ConvolutionOfManyChannels"),
                                                          findCase("SumOfRows"))),
                         printCase);
INSTANTIATE_TEST_SUITE_P(Kernels, ContractionTest,
                         testing::Combine(testing::Values("x86-64-v3"),
                                          testing::Values(findCase("DotWithContractedEpilogue"))),
                         printCase);
INSTANTIATE_TEST_SUITE_P(Kernels, SameBitsTest,
                         testing::Combine(testing::Values("native", "x86-64-v3", "x86-64-v2"),
                                          testing::ValuesIn(kCases)),
                         printCase);
