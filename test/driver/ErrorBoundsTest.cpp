// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ErrorRules.h"
#include "compiler/driver/RunFiles.h"
#include "compiler/evaluator/core/Evaluator.h"
#include "compiler/text/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

constexpr double kUlp = 0x1p-23;

/// A bound of a module whose argument is of this size.
using Bound =
    llvm::function_ref<ErrorBound(hlo::ComputationOp, const Magnitude &, const Observations &)>;

/// A bound of a module whose argument is 0.5, 1 and -4.
ErrorBound boundOf(StringRef program, Bound bound) {
  DialectRegistry registry;
  registry.insert<hlo::HLODialect>();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseHlo(program, "test.hlo", &context);
  EXPECT_TRUE(module);
  evaluator::Array argument(evaluator::ElementType::F32, {3});
  constexpr double values[] = {0.5, 1, -4};
  for (auto [i, value] : llvm::enumerate(values))
    argument.set(i, evaluator::Scalar::ofFloat(value));
  Observations observations;
  evaluator::Participant participant;
  participant.arguments = {evaluator::Value(argument)};
  auto observer = [&](Operation *op, ArrayRef<evaluator::Value> results) {
    observe(observations, op, results);
  };
  EXPECT_TRUE(succeeded(evaluator::evaluate(*module, participant, {}, observer)));
  return bound(findEntry(*module), measure(argument), observations);
}

/// That of its result.
ErrorBound boundOf(StringRef program, bool flushes = false) {
  return boundOf(program, [=](auto entry, const Magnitude &size, const Observations &observations) {
    return deriveErrorBounds(entry, {size}, observations, flushes)[0];
  });
}

/// How far its root may be from exact arithmetic on operands that are off by `absolute`.
ErrorBound boundOfRootAgainstExact(StringRef program, double absolute = 0) {
  return boundOf(program, [&](auto entry, const Magnitude &size, const Observations &observations) {
    Operation *root = entry.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
    Known operand{{absolute / size.smallest, absolute, false, ""}, size};
    llvm::SmallVector<Leaves> operands(root->getNumOperands(), Leaves{operand});
    return boundAgainstExact(root, operands, observations)[0].error;
  });
}

TEST(ErrorBounds, MovesAndChoicesAreExact) {
  EXPECT_TRUE(boundOf(R"(ENTRY m {
    x = f32[3] parameter(0)
    n = f32[3] negate(x)
    y = f32[3] maximum(x, n)
    ROOT r = f32[3] reverse(y), dimensions={0} })")
                  .isExact());
}

TEST(ErrorBounds, SubnormalNumbersTakenForZero) {
  const char *program = R"(ENTRY m {
    x = f32[3] parameter(0)
    c = f32[3] constant({1e-38, 1e-38, 1e-38})
    y = f32[3] multiply(x, c)
    d = f32[3] constant({1e10, 1e10, 1e10})
    ROOT z = f32[3] multiply(y, d) })";
  EXPECT_LT(boundOf(program).absolute, 1e-33);
  // What was lost is multiplied.
  EXPECT_GE(boundOf(program, /*flushes=*/true).absolute, 1.17e-28);
  EXPECT_LT(boundOf(program, /*flushes=*/true).absolute, 1e-27);
  EXPECT_TRUE(boundOf("ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] add(x, x) }",
                      /*flushes=*/true)
                  .isExact());
}

TEST(ErrorBounds, OneRoundedOperationIsExact) {
  EXPECT_TRUE(boundOf("ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] add(x, x) }").isExact());
  EXPECT_TRUE(
      boundOf("ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] divide(x, x) }").isExact());
}

TEST(ErrorBounds, AProductMayGoIntoASumUnrounded) {
  ErrorBound bound = boundOf(R"(ENTRY m {
    x = f32[3] parameter(0)
    p = f32[3] multiply(x, x)
    ROOT r = f32[3] subtract(p, x) })");
  EXPECT_DOUBLE_EQ(bound.absolute,
                   (16 + 20) * kUlp); // the sum, up to 20, rounds to another number, too
}

TEST(ErrorBounds, FunctionsHaveTheirUlp) {
  ErrorBound bound = boundOf("ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] tanh(x) }");
  EXPECT_DOUBLE_EQ(bound.relative, 4 * kUlp);
  EXPECT_EQ(bound.reason, "tanh");
}

TEST(ErrorBounds, SizesAndSignsOfComplexNumbersAreFunctions) {
  for (StringRef type : {"f32[3] abs", "c64[3] sign"}) {
    ErrorBound bound = boundOf(
        ("ENTRY m { x = f32[3] parameter(0) z = c64[3] complex(x, x) ROOT r = " + type + "(z) }")
            .str());
    EXPECT_GT(bound.absolute, 4 * kUlp);
    EXPECT_LT(bound.absolute, 40 * kUlp);
  }
}

TEST(ErrorBounds, SlopesCarryErrors) {
  // The error of tanh, 4 ulp of at most 1, becomes a relative one.
  ErrorBound bound = boundOf(R"(ENTRY m {
    x = f32[3] parameter(0)
    t = f32[3] tanh(x)
    ROOT r = f32[3] exponential(t) })");
  EXPECT_GT(bound.relative, 8 * kUlp);
  EXPECT_LT(bound.relative, 9.1 * kUlp);
}

TEST(ErrorBounds, SumsGrowWithTheirLength) {
  auto sum = [](StringRef size) {
    return boundOf(("add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }"
                    "ENTRY m { x = f32[3] parameter(0) w = f32[3," +
                    size +
                    "] broadcast(x), dimensions={0} z = f32[] constant(0) ROOT r = f32[3] "
                    "reduce(w, z), dimensions={1}, to_apply=add }")
                       .str())
        .absolute;
  };
  EXPECT_GT(sum("1000"), 5 * sum("100"));
  EXPECT_LT(sum("1000"), 2e-3); // of a sum of 4000
}

TEST(ErrorBounds, RoundingsOfEqualTermsAddUp) {
  auto dot = [](StringRef type, int depth) {
    std::string size = std::to_string(depth);
    return boundOf("ENTRY m { p = f32[3] parameter(0) x = " + type.str() + "[3] convert(p) a = " +
                   type.str() + "[3," + size + "] broadcast(x), dimensions={0} b = " + type.str() +
                   "[" + size + ",3] broadcast(x), dimensions={1} ROOT r = " + type.str() +
                   "[3,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }")
        .absolute;
  };
  // Half a unit for each of the terms in a block, of half the sum of 16 a term.
  EXPECT_GT(dot("f32", 256), 64 * kUlp * 256 * 16);
  EXPECT_LT(dot("f32", 4096), 130 * kUlp * 4096 * 16);
  // The evaluator has no blocks.
  EXPECT_GT(dot("f64", 4096), 1024 * std::ldexp(1.0, -52) * 4096 * 16);
}

TEST(ErrorBounds, LoopsAddTheErrorOfEachIteration) {
  auto loop = [](StringRef count) {
    return boundOf(
               ("b { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
                "x = f32[3] get-tuple-element(s), index=1 o = s32[] constant(1) j = s32[] add(i, "
                "o) y = f32[3] sine(x) ROOT r = (s32[], f32[3]) tuple(j, y) }"
                "c { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0 n "
                "= s32[] constant(" +
                count +
                ") ROOT r = pred[] compare(i, n), direction=LT }"
                "ENTRY m { x = f32[3] parameter(0) z = s32[] constant(0) s = (s32[], f32[3]) "
                "tuple(z, x) w = (s32[], f32[3]) while(s), condition=c, body=b ROOT r = f32[3] "
                "get-tuple-element(w), index=1 }")
                   .str())
        .absolute;
  };
  EXPECT_GT(loop("40"), 5 * loop("4"));
  EXPECT_LT(loop("40"), 1e-4);
}

TEST(ErrorBounds, ResultsInTuplesHaveTheirOwnTypes) {
  ErrorBound bound = boundOf(R"(ENTRY m {
    x = f32[3] parameter(0)
    w = f32[3,2] broadcast(x), dimensions={0}
    s = f32[2] constant({1, 2})
    ROOT r = (f32[3,2], f32[2], f32[2]) batch-norm-training(w, s, s), epsilon=0.1, feature_index=1 })");
  EXPECT_GT(bound.absolute, 4 * kUlp);
  EXPECT_LT(bound.absolute, 1e-4);
}

TEST(ErrorBounds, WhatAMapComputesIsObserved) {
  ErrorBound bound = boundOf(R"(
    f { a = f32[] parameter(0) b = f32[] sine(a) ROOT c = f32[] add(b, a) }
    ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] map(x), dimensions={0}, to_apply=f })");
  EXPECT_GT(bound.absolute, 2 * kUlp);
  EXPECT_LT(bound.absolute, 10 * kUlp);
}

TEST(ErrorBounds, ExactArithmeticDoesNotRound) {
  ErrorBound sum =
      boundOfRootAgainstExact("ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] add(x, x) }");
  EXPECT_DOUBLE_EQ(sum.relative, kUlp / 2);
  EXPECT_TRUE(boundOfRootAgainstExact(
                  "ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] reverse(x), dimensions={0} }")
                  .isExact());
  // What operands are off by is measured, and followed.
  sum = boundOfRootAgainstExact("ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] add(x, x) }", 1);
  EXPECT_NEAR(sum.absolute, 2, 20 * kUlp);
}

TEST(ErrorBounds, EachIterationRoundsAgainstExactArithmetic) {
  ErrorBound loop = boundOfRootAgainstExact(R"(
    body {
      x = f32[3] parameter(0)
      third = f32[] constant(0.3)
      thirds = f32[3] broadcast(third), dimensions={}
      ROOT r = f32[3] add(x, thirds)
    }
    goes {
      x = f32[3] parameter(0)
      part = f32[1] slice(x), slice={[0:1]}
      first = f32[] reshape(part)
      end = f32[] constant(30)
      ROOT r = pred[] compare(first, end), direction=LT
    }
    ENTRY m { x = f32[3] parameter(0) ROOT r = f32[3] while(x), condition=goes, body=body })");
  EXPECT_GT(loop.absolute, 90 * 30 * kUlp / 2);
  EXPECT_LT(loop.absolute, 300 * 30 * kUlp);
}

TEST(ErrorBounds, InWords) {
  MLIRContext context;
  Type f32 = Float32Type::get(&context), s32 = IntegerType::get(&context, 32);
  EXPECT_EQ(describe({}, f32), "exact");
  EXPECT_EQ(describe({4 * kUlp, INFINITY, true, "tanh"}, f32), "within 4 ulp (tanh)");
  EXPECT_EQ(describe({INFINITY, 0.001, false, "dot of 512"}, f32), "within 0.001 (dot of 512)");
  EXPECT_EQ(describe({INFINITY, 1, false, "tanh"}, s32), "within 1 (tanh)");
  EXPECT_EQ(describe({INFINITY, INFINITY, false, "random numbers"}, f32),
            "anything (random numbers)");
}

} // namespace
