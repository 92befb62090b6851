// SPDX-License-Identifier: Apache-2.0
// Modules as protocol buffers: what the table of attributes covers, which files contain one, and
// truncated files.
#include "compiler/text/AttributeRules.h"
#include "compiler/text/Load.h"
#include "compiler/text/proto/FindModule.h"
#include "compiler/text/proto/ProtoRules.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace hloc;

/// Attributes of the text for which modules have no field.
static const std::set<std::string> kTextOnly = {"has_dynamic_root", "mode"};

TEST(ProtoRules, ReadWhatTheTextMaySay) {
  MLIRContext context;
  context.getOrLoadDialect<hlo::HLODialect>();
  const text::OpcodeTable &opcodes = text::OpcodeTable::get(&context);
  unsigned checked = 0;
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect("hlo")) {
    std::string spelling = name.stripDialect().str();
    llvm::replace(spelling, '_', '-');
    const text::Opcode *opcode = opcodes.find(spelling);
    if (!opcode)
      continue;
    for (const text::AttributeRule &rule : text::getAttributeRules())
      if (!rule.isShared() && rule.applies(*opcode) && !kTextOnly.contains(rule.text.str())) {
        EXPECT_TRUE(text::findProtoRule(rule.target, spelling))
            << spelling << " " << rule.text.str();
        ++checked;
      }
  }
  EXPECT_GT(checked, 200u);
}

/// The least module: a parameter that is the result.
static std::string makeModule() {
  proto::HloModuleProto module;
  module.set_name("small");
  proto::HloComputationProto &main = *module.add_computations();
  main.set_name("main");
  proto::HloInstructionProto &x = *main.add_instructions();
  x.set_name("x");
  x.set_opcode("parameter");
  x.mutable_shape()->set_element_type(proto::F32);
  x.mutable_shape()->add_dimensions(3);
  x.mutable_shape()->mutable_layout()->add_minor_to_major(0);
  return module.SerializeAsString();
}

/// `bytes` as field 1 of another message.
static std::string wrap(const std::string &bytes) {
  EXPECT_LT(bytes.size(), 128u);
  return "\n" + std::string(1, char(bytes.size())) + bytes;
}

TEST(FindModule, LooksInsideOfOtherFiles) {
  std::string module = makeModule(), file = wrap(module), snapshot = wrap(file);
  for (const std::string &bytes : {module, file, snapshot, file + "\x1a\x02\x08\x01"}) {
    EXPECT_TRUE(text::isModuleProto(bytes));
    EXPECT_EQ(text::findModule(bytes), module);
  }
  for (StringRef text : {"", "\n", "\nHloModule x\n\nENTRY e { }", "HloModule x", "\n\n\n",
                         "\x7f"
                         "ELF\0"})
    EXPECT_FALSE(text::isModuleProto(text));
}

TEST(ReadProto, ReadsOrRefusesEveryBeginning) {
  std::string module = makeModule();
  for (size_t size = 1; size <= module.size(); ++size) {
    MLIRContext context;
    auto sources = std::make_shared<llvm::SourceMgr>();
    std::string problem, bytes = module.substr(0, size);
    llvm::MemoryBufferRef contents(bytes, "small.pb");
    if (!openModuleInMemory(contents, *sources, problem)) {
      EXPECT_FALSE(problem.empty());
      continue;
    }
    unsigned errors = 0;
    ScopedDiagnosticHandler count(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return success();
    });
    OwningOpRef<ModuleOp> read = loadModule(sources, &context);
    EXPECT_EQ(!read, errors > 0) << size;
    EXPECT_EQ(bool(read), size == module.size()) << size;
  }
}
