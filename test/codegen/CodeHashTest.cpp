// SPDX-License-Identifier: Apache-2.0
#include "codegen/cache/CodeHash.h"
#include "codegen/object/LlvmIr.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace hloc;

namespace {

class CodeHashTest : public testing::Test {
protected:
  CodeHashTest() {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// A key of the functions of `text`, whose names do not count.
  CacheKey hash(const std::string &text, bool withPlaces = false) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    auto functions = llvm::to_vector(module->getOps<LLVM::LLVMFuncOp>());
    SmallVector<Operation *> operations(functions.begin(), functions.end());
    CacheKeyBuilder key("test");
    CodeHashOptions options;
    options.unnamed = functions;
    options.withPlaces = withPlaces;
    addCode(key, operations, options);
    return key.finish();
  }

  MLIRContext context;
};

const std::string kKernel = R"(
  llvm.func internal @part(%x: f32) -> f32 {
    %0 = arith.addf %x, %x : f32
    llvm.return %0 : f32
  }
  llvm.func @kernel(%x: !llvm.ptr, %n: i64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = llvm.load %x : !llvm.ptr -> f32
      %1 = llvm.call @part(%0) : (f32) -> f32
      llvm.store %1, %x : f32, !llvm.ptr
    }
    llvm.return
  })";

std::string replace(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST_F(CodeHashTest, NamesAndPlacesDoNotCount) {
  EXPECT_EQ(hash(kKernel), hash(kKernel));
  EXPECT_EQ(hash(kKernel),
            hash("\n\n" + replace(replace(kKernel, "@part", "@fold"), "@kernel", "@k")));
}

TEST_F(CodeHashTest, PlacesCountWhereTheyAreAsked) {
  EXPECT_EQ(hash(kKernel, true), hash(kKernel, true));
  EXPECT_NE(hash(kKernel, true), hash("\n" + kKernel, true));
}

TEST_F(CodeHashTest, EverythingElseCounts) {
  std::set<CacheKey> keys{hash(kKernel)};
  for (auto [from, to] : std::initializer_list<std::pair<const char *, const char *>>{
           {"addf", "mulf"},                                    // an operation
           {"8 : index", "9 : index"},                          // an attribute
           {"f32", "f64"},                                      // a type
           {"%c0 to %c8", "%c1 to %c8"},                        // an operand
           {"%x, %x : f32", "%x, %x fastmath<contract> : f32"}, // a property
           {"%n: i64", "%n: i64 {llvm.noundef}"},               // an attribute of an argument
           {"internal @part", "@part"},                         // linkage
           {"@part(%0)", "@kernel2(%0)"}})                      // what is called
    EXPECT_TRUE(
        keys.insert(hash(replace(kKernel, from, to) + "\nllvm.func @kernel2(f32) -> f32")).second)
        << from;
}

TEST_F(CodeHashTest, WhatIsInResourcesCounts) {
  auto text = [](const std::string &bytes) {
    return R"(llvm.func @kernel() {
      %0 = arith.constant dense_resource<data> : tensor<2xi8>
      llvm.return
    }
    {-# dialect_resources: { builtin: { data: "0x01000000)" +
           bytes + R"(" } } #-})";
  };
  EXPECT_NE(hash(text("0102")), hash(text("0103")));
}

TEST_F(CodeHashTest, TargetsCount) {
  auto hashTarget = [](auto change) {
    Target target;
    change(target);
    CacheKeyBuilder key("test");
    addTarget(key, target);
    return key.finish();
  };
  std::set<CacheKey> keys{hashTarget([](Target &) {})};
  EXPECT_TRUE(keys.insert(hashTarget([](Target &target) { target.cpu = "other"; })).second);
  EXPECT_TRUE(keys.insert(hashTarget([](Target &target) { target.features = "+avx2"; })).second);
  EXPECT_TRUE(keys.insert(hashTarget([](Target &target) { target.optimization = 1; })).second);
  EXPECT_TRUE(keys.insert(hashTarget([](Target &target) { target.fastMath = true; })).second);
  EXPECT_TRUE(
      keys.insert(hashTarget([](Target &target) { target.excessPrecision = true; })).second);
  EXPECT_TRUE(keys.insert(hashTarget([](Target &target) { target.lineTables = true; })).second);
}

} // namespace
