// SPDX-License-Identifier: Apache-2.0
// The cost model: relations that every choice depends on, not numbers.
#include "compiler/target/Cost.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

class CostTest : public ::testing::Test {
protected:
  CostTest() { context.loadDialect<hlo::HLODialect>(); }

  static Target makeFor(const std::string &cpu) {
    TargetOptions options;
    options.cpu = cpu;
    options.triple = "x86_64-linux-gnu";
    return llvm::cantFail(makeTarget(options));
  }

  /// Nanoseconds an element of `op` on arrays of `element`.
  double timeOf(const std::string &op, const std::string &element, const std::string &cpu,
                bool binary = false) {
    std::string type = "tensor<8x" + element + ">";
    std::string text = "%x = hlo.constant (dense<1" +
                       std::string(element[0] == 'f' || element[0] == 'b' ? ".0" : "") +
                       "> : " + type + ") : " + type + "\n%r = hlo." + op + " %x" +
                       (binary ? ", %x" : "") + " : (" + type + (binary ? ", " + type : "") +
                       ") -> " + type + "\n";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    target = makeFor(cpu);
    return CostModel(target).getElementTime(&module->getBody()->back());
  }
  /// Nanoseconds until the result of the operation that timeOf saw last is there.
  double getLatency() { return CostModel(target).getLatency(&module->getBody()->back()); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Target target;
};

} // namespace

TEST_F(CostTest, ClassesAreOrdered) {
  double add = timeOf("add", "f32", "x86-64-v3", true),
         divide = timeOf("divide", "f32", "x86-64-v3", true),
         exponential = timeOf("exponential", "f32", "x86-64-v3"),
         sine = timeOf("sine", "f32", "x86-64-v3"),
         power = timeOf("power", "f32", "x86-64-v3", true);
  EXPECT_LT(add, divide);
  EXPECT_LT(divide, exponential);
  EXPECT_LT(exponential, sine);
  EXPECT_LT(sine, power);
}

TEST_F(CostTest, WideElementsAndNarrowVectorsTakeLonger) {
  EXPECT_DOUBLE_EQ(timeOf("add", "f64", "x86-64-v3", true),
                   2 * timeOf("add", "f32", "x86-64-v3", true));
  EXPECT_GT(timeOf("add", "bf16", "x86-64-v3", true), timeOf("add", "f32", "x86-64-v3", true));
  EXPECT_LT(timeOf("exponential", "f32", "x86-64-v4"), timeOf("exponential", "f32", "x86-64-v3"));
}

TEST_F(CostTest, DivisionsOfIntegersAreSequences) {
  EXPECT_GT(timeOf("divide", "i32", "x86-64-v3", true),
            2 * timeOf("divide", "f32", "x86-64-v3", true));
}

TEST_F(CostTest, ResultsTakeLongerThanRates) {
  for (const char *op : {"exponential", "sine", "sqrt"}) {
    double vector = timeOf(op, "f32", "x86-64-v3") * 8;
    EXPECT_GT(getLatency(), vector) << op;
  }
  timeOf("add", "i32", "x86-64-v3", true);
  double integers = getLatency();
  timeOf("add", "f32", "x86-64-v3", true);
  EXPECT_LT(integers, getLatency());
}
