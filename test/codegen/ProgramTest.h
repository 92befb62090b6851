// SPDX-License-Identifier: Apache-2.0
// Compiles a program on memory given as MLIR text, and runs it.

#ifndef HLOC_TEST_CODEGEN_PROGRAMTEST_H
#define HLOC_TEST_CODEGEN_PROGRAMTEST_H

#include "codegen/Compile.h"
#include "codegen/object/LlvmIr.h"
#include "compiler/driver/Execute.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace hloc {

/// Bytes of memory that programs are given for temporaries: enough for every test.
inline constexpr int64_t kArenaBytes = 1 << 24;

class ProgramTest : public ::testing::Test {
protected:
  ProgramTest() {
    mlir::DialectRegistry registry;
    registerCodegenDialects(registry);
    registry.insert<hlo::HLODialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Runs @main of `text` on `buffers` (arguments, then results) on `threads` threads.
  void run(const std::string &text, std::vector<const void *> arguments,
           std::vector<void *> results, int threads = 1, TargetOptions options = {}) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    setTargets(*module, options);
    CodeOptions code;
    code.name = "test";
    code.jobs = 2;
    auto program = compileProgram(*module, code);
    ASSERT_TRUE(mlir::succeeded(program));
    auto loaded = LoadedModule::load(program->code, "test");
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    hlort_context_options contextOptions = {threads, 0};
    hlort_context *runtime = hlort_context_create(&contextOptions, nullptr);
    hlort_status status = {};
    struct alignas(64) Line {
      char bytes[64];
    };
    std::vector<Line> arena(kArenaBytes / sizeof(Line));
    EXPECT_EQ(loaded->getRun()(runtime, arguments.data(), results.data(), arena.data(), &status), 0)
        << status.message;
    hlort_context_destroy(runtime);
  }

  /// A program of one kernel: `inputs` and `output` are tensor bodies like "4x8xf32".
  static std::string makeProgram(const std::string &kind, std::vector<std::string> inputs,
                                 std::string output, const std::string &body,
                                 const std::string &computations = "") {
    auto list = [&](const char *prefix, const std::string &name) {
      std::string out;
      for (size_t i = 0; i < inputs.size(); ++i)
        out += (i ? ", " : "") + name + (name.empty() ? "" : std::to_string(i) + ": ") + prefix +
               "<" + inputs[i] + ">";
      return out;
    };
    std::string names;
    for (size_t i = 0; i < inputs.size(); ++i)
      names += (i ? ", %a" : "%a") + std::to_string(i);
    return "module @test {\n" + computations + "hlo.kernel_function @k <" + kind +
           "> attributes {reuse = array<i64: -1>} {\n^bb0(" + list("tensor", "%x") + "):\n" + body +
           "\nhlo.return %r : tensor<" + output + ">\n}\nfunc.func @main(" + list("memref", "%a") +
           (inputs.empty() ? "" : ", ") + "%out: memref<" + output +
           ">, %arena: memref<0xi8>) attributes {hlo.results = 1 : i64} {\nhlo.launch @k(" + names +
           ") -> (%out) : (" + list("memref", "") + ") -> memref<" + output + ">\nreturn\n}\n}\n";
  }

  mlir::MLIRContext context;
};

} // namespace hloc

#endif
