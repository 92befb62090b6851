// SPDX-License-Identifier: Apache-2.0
#include "hloc/hloc.h"
#include "hlort/weights.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Result = std::unique_ptr<hloc_result, void (*)(hloc_result *)>;

constexpr const char *kDouble =
    R"(HloModule twice, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY main {
  x = f32[4]{0} parameter(0)
  ROOT sum = f32[4]{0} add(x, x)
}
)";

Result compile(const std::string &text, hloc_options options = {}) {
  options.file = "some/twice.hlo";
  options.text = text.c_str();
  options.text_size = text.size();
  return Result(hloc_compile(&options), hloc_destroy);
}

std::vector<hloc_message> getMessages(const Result &result) {
  size_t count = 0;
  const hloc_message *messages = hloc_get_messages(result.get(), &count);
  return {messages, messages + count};
}

/// Calls a module of one argument and one result.
std::vector<float> call(const Result &result, const std::vector<float> &argument,
                        hlort_context *context = nullptr) {
  std::vector<float> sum(argument.size());
  const void *arguments[] = {argument.data()};
  void *results[] = {sum.data()};
  hlort_status status = {};
  EXPECT_EQ(hloc_get_module(result.get())->run(context, arguments, results, nullptr, &status), 0)
      << status.message;
  return sum;
}

class Folder : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             ("hloc-library-test-" + std::to_string(getpid()));
    ASSERT_TRUE(std::filesystem::create_directory(folder));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
};

TEST(Library, CompilesText) {
  Result result = compile(kDouble);
  ASSERT_EQ(hloc_get_outcome(result.get()), HLOC_DONE) << hloc_get_printed_messages(result.get());
  const hlort_module *module = hloc_get_module(result.get());
  EXPECT_STREQ(module->name, "twice");
  ASSERT_EQ(module->argument_count, 1);
  EXPECT_STREQ(module->arguments[0].name, "x");
  EXPECT_EQ(call(result, {1, 2, 3, 4}), (std::vector<float>{2, 4, 6, 8}));
  size_t size = 0;
  EXPECT_NE(std::string(hloc_get_header(result.get(), &size)).find("twice_run"), std::string::npos);
  EXPECT_EQ(std::string(hloc_get_object(result.get(), &size), 4), "\x7f"
                                                                  "ELF");
}

TEST(Library, FlushesSubnormalsOnlyWhileCodeRuns) {
  volatile float smallest = std::numeric_limits<float>::min();
  std::vector<float> subnormals(4, smallest / 4);
  EXPECT_EQ(call(compile(kDouble), subnormals), std::vector<float>(4, smallest / 2));
  hloc_options options = {};
  options.flush_subnormals = 1;
  EXPECT_EQ(call(compile(kDouble, options), subnormals), std::vector<float>(4, 0));
  EXPECT_GT(smallest / 2, 0) << "the caller's arithmetic keeps them";
  options.reproducible = 1;
  EXPECT_EQ(hloc_get_outcome(compile(kDouble, options).get()), HLOC_WRONG_USAGE);
}

TEST(Library, ExcessPrecisionIsNotReproducible) {
  hloc_options options = {};
  options.excess_precision = 1;
  EXPECT_EQ(call(compile(kDouble, options), {1, 2, 3, 4}), std::vector<float>({2, 4, 6, 8}));
  options.reproducible = 1;
  EXPECT_EQ(hloc_get_outcome(compile(kDouble, options).get()), HLOC_WRONG_USAGE);
}

TEST(Library, NativeProductsOfBf16AreNotReproducible) {
  hloc_options options = {};
  for (int32_t dot : {0, 1, 2}) {
    options.bf16_dot = dot;
    options.reproducible = 0;
    EXPECT_EQ(hloc_get_outcome(compile(kDouble, options).get()), HLOC_DONE);
    options.reproducible = 1;
    EXPECT_EQ(hloc_get_outcome(compile(kDouble, options).get()),
              dot == 1 ? HLOC_WRONG_USAGE : HLOC_DONE);
  }
  options.bf16_dot = 3;
  EXPECT_EQ(hloc_get_outcome(compile(kDouble, options).get()), HLOC_WRONG_USAGE);
}

TEST(Library, SaysWhatIsWrongAndWhere) {
  std::string text = kDouble;
  text.replace(text.find("(x, x)"), 6,
               "(x, y), metadata={source_file=\"model.py\" source_line=12}");
  Result result = compile(text);
  EXPECT_EQ(hloc_get_outcome(result.get()), HLOC_REFUSED);
  EXPECT_EQ(hloc_get_module(result.get()), nullptr);
  std::vector<hloc_message> messages = getMessages(result);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].severity, HLOC_ERROR);
  EXPECT_STREQ(messages[0].file, "some/twice.hlo");
  EXPECT_EQ(messages[0].line, 5);
  EXPECT_STREQ(messages[0].code, "H0001");
  EXPECT_NE(std::string(messages[0].text).find("`y`"), std::string::npos) << messages[0].text;
  std::string printed = hloc_get_printed_messages(result.get());
  EXPECT_TRUE(printed.starts_with("some/twice.hlo:5:")) << printed;
  EXPECT_NE(printed.find("\n  ROOT sum"), std::string::npos) << printed;
}

TEST(Library, NamesTheLineOfTheUsersProgram) {
  std::string text = kDouble;
  text.replace(text.find("f32[4]{0} add(x, x)"), 19,
               "f32[5]{0} add(x, x), metadata={op_name=\"jit(f)/add\" source_file=\"model.py\" "
               "source_line=12}");
  Result result = compile(text);
  std::vector<hloc_message> messages = getMessages(result);
  ASSERT_GE(messages.size(), 2u);
  EXPECT_EQ(messages[0].severity, HLOC_ERROR);
  EXPECT_STREQ(messages[0].code, "H0100");
  EXPECT_EQ(messages[1].severity, HLOC_NOTE);
  EXPECT_STREQ(messages[1].file, "model.py");
  EXPECT_EQ(messages[1].line, 12);
}

TEST(Library, TellsWrongOptionsFromWrongModules) {
  hloc_options options = {};
  options.cpu = "abacus";
  Result result = compile(kDouble, options);
  EXPECT_EQ(hloc_get_outcome(result.get()), HLOC_WRONG_USAGE);
  EXPECT_TRUE(std::string(getMessages(result)[0].text).starts_with("unknown CPU 'abacus'"));
  options = {};
  options.level = 9;
  EXPECT_EQ(hloc_get_outcome(compile(kDouble, options).get()), HLOC_WRONG_USAGE);
  Result missing(hloc_compile(nullptr), hloc_destroy);
  EXPECT_EQ(hloc_get_outcome(missing.get()), HLOC_REFUSED);
}

TEST_F(Folder, FindsWhatItCompiledBefore) {
  std::string cache = folder / "cache";
  hloc_options options = {};
  options.cache = cache.c_str();
  auto compileInto = [&] {
    Result result = compile(kDouble, options);
    EXPECT_EQ(hloc_get_outcome(result.get()), HLOC_DONE) << hloc_get_printed_messages(result.get());
    EXPECT_EQ(call(result, {1, 2, 3, 4}), (std::vector<float>{2, 4, 6, 8}));
    size_t size = 0, headerSize = 0;
    std::string object(hloc_get_object(result.get(), &size), size);
    return object + hloc_get_header(result.get(), &headerSize);
  };
  std::string cold = compileInto();
  auto entries = std::filesystem::directory_iterator(cache);
  ASSERT_NE(entries, std::filesystem::directory_iterator());
  std::filesystem::path entry = entries->path();
  auto written = std::filesystem::last_write_time(entry);
  EXPECT_EQ(compileInto(), cold);
  EXPECT_EQ(std::filesystem::last_write_time(entry), written);
  // A folder that cannot be one is said, and nothing else is different.
  std::string file = folder / "file";
  std::ofstream(file) << "no folder";
  options.cache = file.c_str();
  Result result = compile(kDouble, options);
  ASSERT_EQ(hloc_get_outcome(result.get()), HLOC_DONE);
  ASSERT_EQ(getMessages(result).size(), 1u);
  EXPECT_EQ(getMessages(result)[0].severity, HLOC_REMARK);
}

TEST(Library, RefusesANegativeTimeBudget) {
  hloc_options options = {};
  options.time_budget = -1;
  EXPECT_EQ(hloc_get_outcome(compile(kDouble, options).get()), HLOC_WRONG_USAGE);
}

constexpr const char *kScale =
    R"(HloModule scale

ENTRY main {
  x = f32[100]{0} parameter(0)
  w = f32[100]{0} parameter(1)
  ROOT product = f32[100]{0} multiply(x, w)
}
)";

TEST_F(Folder, BindsArraysInMemory) {
  std::vector<float> x(100, 3), w(100), product(100);
  for (size_t i = 0; i < w.size(); ++i) {
    w[i] = float(i);
    product[i] = float(3 * i);
  }
  int64_t size = 100;
  hloc_bound_array array = {"w", HLORT_F32, 1, &size, w.data()};
  hloc_options options = {};
  options.arrays = &array;
  options.array_count = 1;
  options.name = "scale";
  Result result = compile(kScale, options);
  ASSERT_EQ(hloc_get_outcome(result.get()), HLOC_DONE) << hloc_get_printed_messages(result.get());
  std::fill(w.begin(), w.end(), 0.0f); // not used any more
  EXPECT_EQ(call(result, x), product);
  const hlort_module *module = hloc_get_module(result.get());
  EXPECT_EQ(module->argument_count, 1);
  ASSERT_EQ(module->bound_count, 1);
  EXPECT_STREQ(module->bound[0].name, "w");
  size_t weights = 0;
  EXPECT_NE(hloc_get_weights(result.get(), &weights), nullptr);
  EXPECT_EQ(weights, 8192u);

  // Saved and opened: the weights are beside the library, or where the host says.
  std::string file = folder / "some.so";
  hlort_status status = {};
  EXPECT_EQ(hloc_save(result.get(), file.c_str(), &status), 0) << status.message;
  EXPECT_EQ(std::filesystem::file_size(folder / "scale.weights"), 8192u);
  Result opened(hloc_open(file.c_str()), hloc_destroy);
  ASSERT_EQ(hloc_get_outcome(opened.get()), HLOC_DONE);
  EXPECT_EQ(call(opened, x), product);

  std::string other = folder / "other.so", elsewhere = folder / "elsewhere";
  std::filesystem::copy(file, other);
  std::filesystem::rename(folder / "scale.weights", elsewhere);
  Result again(hloc_open(other.c_str()), hloc_destroy);
  ASSERT_EQ(hloc_get_outcome(again.get()), HLOC_DONE);
  EXPECT_EQ(hloc_load_weights(again.get(), "none", &status), HLORT_NOT_FOUND);
  EXPECT_EQ(hloc_load_weights(again.get(), elsewhere.c_str(), &status), HLORT_OK);
  EXPECT_EQ(call(again, x), product);
}

TEST_F(Folder, PreparesParameters) {
  // With a cache, which must not give the module without a preparation.
  std::string cache = folder / "cache";
  hloc_options options = {};
  options.cache = cache.c_str();
  ASSERT_EQ(hloc_get_outcome(compile(kScale, options).get()), HLOC_DONE);
  const char *names[] = {"w"};
  options.prepare = names;
  options.prepare_count = 1;
  Result result = compile(kScale, options);
  ASSERT_EQ(hloc_get_outcome(result.get()), HLOC_DONE) << hloc_get_printed_messages(result.get());
  const hlort_module *module = hloc_get_module(result.get());
  ASSERT_NE(module->preparation, nullptr);
  EXPECT_EQ(module->argument_count, 3);
  EXPECT_EQ(module->preparation->uses[0], HLORT_READ_BY_RUN);
  EXPECT_TRUE(module->preparation->uses[1] & HLORT_PREPARED_PARAMETER);

  std::vector<float> x(100, 3), w(100, 2), product(100);
  hlort_status status = {};
  void *block =
      hlort_arena_allocate(module->preparation->bytes, module->preparation->alignment, &status);
  const void *arguments[] = {x.data(), w.data(), block};
  void *results[] = {product.data()};
  EXPECT_EQ(module->run(nullptr, arguments, results, nullptr, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_EQ(module->preparation->prepare(nullptr, arguments, block, nullptr, &status), 0);
  EXPECT_EQ(module->run(nullptr, arguments, results, nullptr, &status), 0);
  EXPECT_EQ(product, std::vector<float>(100, 6));
  hlort_arena_free(block);

  names[0] = "v";
  Result unknown = compile(kScale, options);
  EXPECT_EQ(hloc_get_outcome(unknown.get()), HLOC_REFUSED);
  EXPECT_STREQ(getMessages(unknown)[0].text,
               "--prepare: the entry has no parameter 'v', only 'x', 'w'");
}

TEST_F(Folder, RefusesArraysThatAreNotTheParameters) {
  int64_t size = 99;
  std::vector<float> w(100);
  hloc_bound_array array = {"w", HLORT_F32, 1, &size, w.data()};
  hloc_options options = {};
  options.arrays = &array;
  options.array_count = 1;
  Result result = compile(kScale, options);
  EXPECT_EQ(hloc_get_outcome(result.get()), HLOC_REFUSED);
  ASSERT_EQ(getMessages(result).size(), 1u);
  EXPECT_STREQ(getMessages(result)[0].text,
               "the parameter 'w' is f32[100], but an array is f32[99]");
  EXPECT_EQ(getMessages(result)[0].line, 5);
  array.element_type = HLORT_TOKEN;
  EXPECT_EQ(hloc_get_outcome(compile(kScale, options).get()), HLOC_WRONG_USAGE);
  const char *bind = "w=none.npy";
  options = {};
  options.bind = &bind;
  options.bind_count = 1;
  Result missing = compile(kScale, options);
  EXPECT_EQ(hloc_get_outcome(missing.get()), HLOC_REFUSED);
  ASSERT_EQ(getMessages(missing).size(), 1u);
  EXPECT_STREQ(getMessages(missing)[0].file, "none.npy");
}

TEST_F(Folder, ReadsFiles) {
  std::string file = (folder / "two.hlo").string();
  std::ofstream(file) << kDouble;
  hloc_options options = {};
  options.file = file.c_str();
  Result result(hloc_compile(&options), hloc_destroy);
  ASSERT_EQ(hloc_get_outcome(result.get()), HLOC_DONE) << hloc_get_printed_messages(result.get());
  EXPECT_STREQ(hloc_get_module(result.get())->name, "two");
  file += ".none";
  options.file = file.c_str();
  Result missing(hloc_compile(&options), hloc_destroy);
  EXPECT_EQ(hloc_get_outcome(missing.get()), HLOC_REFUSED);
  EXPECT_TRUE(std::string(getMessages(missing)[0].text).starts_with("cannot read the file: "));
}

TEST_F(Folder, SavesAndOpens) {
  std::string file = (folder / "saved.so").string();
  {
    Result result = compile(kDouble);
    hlort_status status = {};
    ASSERT_EQ(hloc_save(result.get(), file.c_str(), &status), HLORT_OK) << status.message;
  }
  std::stringstream header;
  header << std::ifstream(folder / "saved.h").rdbuf();
  EXPECT_NE(header.str().find("twice_run"), std::string::npos);
  Result opened(hloc_open(file.c_str()), hloc_destroy);
  ASSERT_EQ(hloc_get_outcome(opened.get()), HLOC_DONE) << hloc_get_printed_messages(opened.get());
  hlort_context_options two = {2, 0};
  hlort_status status = {};
  hlort_context *context = hloc_create_context(opened.get(), &two, &status);
  ASSERT_TRUE(context) << status.message;
  EXPECT_EQ(call(opened, {1, 2, 3, 4}, context), (std::vector<float>{2, 4, 6, 8}));
  hloc_destroy_context(opened.get(), context);
  EXPECT_EQ(hloc_save(opened.get(), file.c_str(), &status), HLORT_UNSUPPORTED);
}

TEST_F(Folder, DoesNotOpenWhatItIsNot) {
  std::string file = (folder / "text.so").string();
  std::ofstream(file) << "no library";
  Result text(hloc_open(file.c_str()), hloc_destroy);
  EXPECT_EQ(hloc_get_outcome(text.get()), HLOC_REFUSED);
  EXPECT_FALSE(std::string(hloc_get_printed_messages(text.get())).empty());
  Result none(hloc_open((folder / "none.so").c_str()), hloc_destroy);
  EXPECT_EQ(hloc_get_outcome(none.get()), HLOC_REFUSED);
  Result self(hloc_open("/proc/self/exe"), hloc_destroy);
  EXPECT_EQ(hloc_get_outcome(self.get()), HLOC_REFUSED);
  EXPECT_STREQ(getMessages(self)[0].text, "expected a shared library that hloc has made");
}

TEST(Library, CompilesOnSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < 3; ++round) {
        Result result = compile(kDouble);
        EXPECT_EQ(call(result, {1, 2, 3, 4}), (std::vector<float>{2, 4, 6, 8}));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
