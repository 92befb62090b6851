// SPDX-License-Identifier: Apache-2.0
// The effect of the LLVM options that hloc sets, which have no interface that would fail to
// compile.
#include "codegen/object/TargetMachine.h"
#include "llvm/Support/CommandLine.h"
#include <gtest/gtest.h>

using namespace hloc;

TEST(LlvmOptions, LoopStrengthReductionIsOff) {
  configureLlvm();
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("disable-lsr");
  ASSERT_TRUE(option) << "LLVM has another name for it: see configureLlvm";
  EXPECT_TRUE(static_cast<llvm::cl::opt<bool> *>(option)->getValue());
}
