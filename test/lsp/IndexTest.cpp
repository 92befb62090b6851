// SPDX-License-Identifier: Apache-2.0
// The index of a text that the parser accepts agrees with the module: the same instructions with
// the same operands, and every name has its definition. Over the modules of other tests, or of the
// folders on the command line.
#include "compiler/lsp/Index.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Parser.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <filesystem>

using namespace mlir;
using namespace hloc;

namespace {

std::vector<std::string> folders;

/// Names of an instruction's operands in the module, by computation and name.
using Operands = llvm::StringMap<std::vector<std::string>>;

Operands listOperands(ModuleOp module) {
  Operands operands;
  for (auto computation : module.getOps<hlo::ComputationOp>()) {
    auto add = [&](Value value, ValueRange taken) {
      std::string key =
          (computation.getSymName() + " " + hlo::getInstructionName(value.getLoc())).str();
      std::vector<std::string> &names = operands[key];
      for (Value operand : taken)
        names.push_back(hlo::getInstructionName(operand.getLoc()).str());
    };
    for (BlockArgument parameter : computation.getBody().getArguments())
      add(parameter, {});
    for (Operation &op : computation.getBody().front())
      if (op.getNumResults() == 1)
        add(op.getResult(0), op.getOperands());
  }
  return operands;
}

/// Compares the two of one text; false if the parser does not read it.
bool compare(StringRef text, StringRef name) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseHlo(text, name, &context);
  if (!module)
    return false;
  Operands expected = listOperands(*module);
  lsp::Index index(text);
  for (const lsp::Symbol &symbol : index.symbols) {
    // Names in signatures need not be those of the parameters.
    size_t last = index.mentions[symbol.mentions.back()].span.begin;
    if (symbol.isComputation() || !index.computations[symbol.scope].signature.touches(last))
      EXPECT_NE(symbol.definition, lsp::kNone) << name.str() << ": " << symbol.name.str();
  }
  for (const lsp::InstructionText &instruction : index.instructions) {
    const lsp::ComputationText &computation = index.computations[instruction.computation];
    StringRef own = instruction.name.in(text);
    if (computation.name.empty()) // it gets a name that the text does not have
      continue;
    auto found = expected.find((computation.name.in(text) + " " + own).str());
    if (found == expected.end()) {
      ADD_FAILURE() << name.str() << ": the module has no " << own.str();
      continue;
    }
    // Instructions among operands, and `#N`, become instructions of their own.
    StringRef operands = instruction.operands.in(text);
    if (operands.drop_front().contains('(') || operands.contains('#'))
      continue;
    std::vector<std::string> names;
    for (const lsp::Mention &mention : index.mentions)
      if (mention.span.begin > instruction.operands.begin &&
          mention.span.end < instruction.operands.end)
        names.push_back(mention.span.in(text).str());
    // The short form of an asynchronous start has the operands of what it starts.
    EXPECT_EQ(names, found->second) << name.str() << ": " << own.str();
  }
  return true;
}

TEST(Index, SaysWhatTheModuleSays) {
  unsigned read = 0;
  for (const std::string &folder : folders)
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".hlo")
        continue;
      auto file = llvm::MemoryBuffer::getFile(entry.path().string());
      ASSERT_TRUE(bool(file));
      read += compare((*file)->getBuffer(), entry.path().string());
    }
  EXPECT_GT(read, 0u);
  RecordProperty("modules", read);
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  folders.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
