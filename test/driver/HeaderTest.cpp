// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Descriptor.h"
#include "compiler/text/Shape.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

class Header : public testing::Test {
protected:
  Port port(std::string name, StringRef type, ArrayRef<int64_t> shape,
            ArrayRef<int64_t> minorToMajor, int64_t bytes) {
    return {std::move(name), RankedTensorType::get(shape, text::getElementType(type, &context)),
            SmallVector<int64_t>(minorToMajor), bytes};
  }
  bool says(StringRef text) { return StringRef(makeHeader(interface, "model.hlo")).contains(text); }

  MLIRContext context;
  ModuleInterface interface;
};

TEST_F(Header, DeclaresTheCInterface) {
  interface.name = "model";
  interface.arenaBytes = 128;
  interface.arguments = {port("x", "f32", {2, 3}, {1, 0}, 24)};
  interface.results = {port("y", "s4", {5}, {0}, 3)};
  EXPECT_TRUE(says("model_argument_x = 0, /* f32[2,3] */"));
  EXPECT_TRUE(says("model_result_y = 0, /* s4[5] */"));
  EXPECT_TRUE(says("#define MODEL_ARENA_BYTES INT64_C(128)"));
  EXPECT_TRUE(says("extern const hlort_module model_module;"));
  EXPECT_TRUE(says("int32_t model_run(hlort_context *context"));
}

TEST_F(Header, TellsWhatIsBoundAndWhere) {
  interface.name = "model";
  EXPECT_FALSE(says("WEIGHTS"));
  interface.bound = {
      {"params['*/w']", RankedTensorType::get({2}, Float32Type::get(&context)), "w.npz:a*/b"}};
  interface.weightsFile = "a\"b.weights";
  interface.weightsBytes = 4096;
  EXPECT_TRUE(says(" *   bound        params['* /w']: f32[2] = w.npz:a* /b\n"));
  EXPECT_TRUE(says("#define MODEL_WEIGHTS_FILE \"a\\\"b.weights\"\n"));
  EXPECT_TRUE(says("#define MODEL_WEIGHTS_BYTES INT64_C(4096)\n"));
}

TEST_F(Header, TellsWhatIsPreparedAndWhoReadsIt) {
  interface.name = "model";
  for (const char *name : {"x", "w", "b", "c", "prepared"})
    interface.arguments.push_back(port(name, "f32", {2}, {0}, 8));
  EXPECT_FALSE(says("PREPARE"));
  interface.preparation = {.bytes = 128,
                           .argument = 4,
                           .arenaBytes = 64,
                           .isConstant = {false, true, true, true},
                           .isReadByRuns = {true, false, true, true},
                           .isReadByPreparation = {false, true, false, true}};
  EXPECT_TRUE(says("model_argument_x = 0, /* f32[2] */"));
  EXPECT_TRUE(
      says("model_argument_w = 1, /* f32[2], stays the same: read by model_prepare alone */"));
  EXPECT_TRUE(says("model_argument_b = 2, /* f32[2], stays the same: read by runs */"));
  EXPECT_TRUE(
      says("model_argument_c = 3, /* f32[2], stays the same: read by model_prepare and runs */"));
  EXPECT_TRUE(says("#define MODEL_PREPARED_BYTES INT64_C(128)\n"));
  EXPECT_TRUE(says("#define MODEL_PREPARE_ARENA_BYTES INT64_C(64)\n"));
  EXPECT_TRUE(says("int32_t model_prepare(hlort_context *context"));
  EXPECT_TRUE(says("void bind_prepared(float *host, std::size_t count)"));
}

TEST_F(Header, NamesTheThreadsOfAsynchronousComputations) {
  interface.name = "model";
  EXPECT_FALSE(says("hlort_context_add_threads"));
  interface.threads = {"io", "a*/b"};
  EXPECT_TRUE(says("threads of the context, if it has them: \"io\", \"a* /b\"."));
  EXPECT_TRUE(says("hlort_context_add_threads(context, &model_module, &status)"));
}

TEST_F(Header, ViewsHaveTheLayoutOfTheMemory) {
  interface.name = "model";
  interface.arguments = {port("x", "f32", {2, 3}, {0, 1}, 24)};
  interface.results = {port("y", "s4", {5}, {0}, 3), port("z", "pred", {}, {}, 1)};
  EXPECT_TRUE(says("class Model : public hlort::Program"));
  EXPECT_TRUE(says("using x_view = hlort::View<float, hlort::List<2, 3>, hlort::List<1, 2>>;"));
  EXPECT_TRUE(says("using y_view = hlort::View<uint8_t, hlort::List<3>, hlort::List<1>>;"));
  EXPECT_TRUE(says("using z_view = hlort::View<bool, hlort::List<>, hlort::List<>>;"));
}

TEST_F(Header, OnlyWhatIsOverwrittenIsBoundWithoutConst) {
  interface.name = "model";
  interface.arguments = {port("weights", "f32", {2}, {0}, 8), port("state", "f32", {2}, {0}, 8)};
  interface.results = {port("next", "f32", {2}, {0}, 8)};
  interface.aliases = {{0, 1}};
  EXPECT_TRUE(says("void bind_weights(const float *host, std::size_t count)"));
  EXPECT_TRUE(says("bindArgument(0, const_cast<float *>(host), count * sizeof *host);"));
  EXPECT_TRUE(says("void bind_state(float *host, std::size_t count)"));
  EXPECT_TRUE(says("void bind_next(float *host, std::size_t count)"));
}

TEST_F(Header, NamesAreMadeFitAndDistinct) {
  interface.name = "jit_f";
  for (const char *name : {"params['a'][0].w", "class", "run", "x", "x.1", "x_1", "0", "JitF",
                           "x_view", "errno", "co_await", "count"})
    interface.arguments.push_back(port(name, "f32", {}, {}, 4));
  interface.results = {port("x", "f32", {}, {}, 4)};
  EXPECT_TRUE(says("class JitF : public"));
  for (const char *accessor : {" params_a_0_w() {", " class_1() {", " run_1() {", " x() {",
                               " x_1() {", " x_1_1() {", " x0() {", " JitF_1() {", " x_view_1() {",
                               " x_2() {", " errno_1() {", " co_await_1() {", " count_1() {"})
    EXPECT_TRUE(says(accessor)) << accessor;
}

} // namespace
