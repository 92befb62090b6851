// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/MachineCode.h"
#include "codegen/object/TargetMachine.h"
#include "llvm/ADT/StringSet.h"
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
