// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/SymbolNames.h"
#include "codegen/object/MachineCode.h"
#include "codegen/object/TargetMachine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace hloc;

namespace {

TEST(SymbolNamesTest, OtherNamesTheSameCode) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString("define internal void @part() noinline { ret void }\n"
                                          "define void @kernel() { call void @part() ret void }\n"
                                          "define void @kernel2() { ret void }\n",
                                          problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  TargetOptions options;
  options.cpu = "haswell";
  options.triple = "x86_64-linux-gnu";
  TargetMachineHandle machine = borrowTargetMachine(llvm::cantFail(makeTarget(options)));
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> code;
  ASSERT_FALSE(bool(emitMachineCode(*module, *machine, /*assembly=*/false, code)));
  llvm::Error error = renameSymbols(
      code, {{"kernel", "a.much.longer.name.than.it.had"}, {"part", "p"}, {"missing", "m"}});
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  auto object = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef({code.data(), code.size()}, "object"));
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  std::vector<std::string> names;
  for (auto symbol : llvm::cast<llvm::object::ELFObjectFileBase>(**object).symbols())
    if (symbol.getELFType() == llvm::ELF::STT_FUNC)
      names.push_back(llvm::cantFail(symbol.getName()).str());
  llvm::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a.much.longer.name.than.it.had", "kernel2", "p"}));
}

} // namespace
