// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/MachineCode.h"
#include "codegen/object/TargetMachine.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

/// Notes what a target asks for.
struct Recorder : llvm::legacy::PassManager {
  llvm::StringSet<> names;
  void add(llvm::Pass *pass) override {
    if (const llvm::PassInfo *info = llvm::Pass::lookupPassInfo(pass->getPassID()))
      names.insert(info->getPassArgument());
    PassManager::add(pass);
  }
};

Target makeHaswell(int optimization) {
  TargetOptions options;
  options.triple = "x86_64-pc-linux-gnu";
  options.cpu = "haswell";
  options.optimization = optimization;
  return llvm::cantFail(makeTarget(options));
}

} // namespace

TEST(MachineCode, PassesLeftOutAreThoseOfLlvm) {
  Recorder recorder;
  llvm::SmallVector<char> code;
  llvm::raw_svector_ostream stream(code);
  TargetMachineHandle machine = borrowTargetMachine(makeHaswell(3));
  ASSERT_FALSE(
      machine->addPassesToEmitFile(recorder, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
  for (llvm::StringRef name : getPassesLeftOut())
    EXPECT_TRUE(recorder.names.contains(name))
        << "LLVM has another name for " << name.str() << ", or no such pass";
}

TEST(MachineCode, DataAlone) {
  Target target = makeHaswell(3);
  auto makeData = [&](llvm::LLVMContext &context, llvm::TargetMachine &machine) {
    auto module = std::make_unique<llvm::Module>("data", context);
    module->setTargetTriple(machine.getTargetTriple());
    module->setDataLayout(machine.createDataLayout());
    llvm::Constant *value = llvm::ConstantDataArray::getString(context, "some data");
    auto *text = new llvm::GlobalVariable(*module, value->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, value, "text");
    new llvm::GlobalVariable(*module, text->getType(), /*isConstant=*/true,
                             llvm::GlobalValue::ExternalLinkage, text, "about");
    llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                           llvm::GlobalValue::ExternalLinkage, "elsewhere", *module);
    return module;
  };
  // What the passes for functions would write.
  llvm::SmallVector<char> expected, written;
  llvm::LLVMContext context;
  {
    llvm::raw_svector_ostream stream(expected);
    llvm::legacy::PassManager passes;
    TargetMachineHandle machine = borrowTargetMachine(target);
    ASSERT_FALSE(
        machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
    passes.run(*makeData(context, *machine));
  }
  TargetMachineHandle machine = borrowTargetMachine(target);
  std::unique_ptr<llvm::Module> module = makeData(context, *machine);
  EXPECT_FALSE(hasCode(*module));
  ASSERT_FALSE(bool(emitMachineCode(*module, *machine, /*assembly=*/false, written)));
  EXPECT_FALSE(written.empty());
  EXPECT_EQ(written, expected);
}

TEST(MachineCode, MachinesGoFromOneToTheNext) {
  TargetMachineHandle first = borrowTargetMachine(makeHaswell(3)),
                      second = borrowTargetMachine(makeHaswell(3));
  EXPECT_NE(first.get(), second.get());
  llvm::TargetMachine *machine = first.get();
  first = {};
  TargetMachineHandle other = borrowTargetMachine(makeHaswell(0));
  EXPECT_NE(other.get(), machine);
  EXPECT_EQ(other->getOptLevel(), llvm::CodeGenOptLevel::None);
  TargetMachineHandle third = borrowTargetMachine(makeHaswell(3));
  EXPECT_EQ(third.get(), machine);
}
