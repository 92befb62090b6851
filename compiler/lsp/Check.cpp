// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Check.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Verify.h"
#include "compiler/lsp/Messages.h"
#include "compiler/text/Load.h"
#include "compiler/text/SourceNotes.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Pipeline.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc::lsp {

/// The maximum number of instructions, with calls inlined, of modules that passes run on.
constexpr uint64_t kMaxInlined = 1 << 20;
/// The maximum depth of calls that are counted.
constexpr unsigned kMaxCallDepth = 1000;

/// The number of instructions after inlining calls; nothing if it is too large to count.
static std::optional<uint64_t> countInlined(ModuleOp module) {
  SymbolTable table(module);
  llvm::DenseMap<Operation *, std::optional<uint64_t>> counts;
  unsigned depth = 0;
  std::function<std::optional<uint64_t>(hlo::ComputationOp)> count =
      [&](hlo::ComputationOp of) -> std::optional<uint64_t> {
    auto [known, isNew] = counts.try_emplace(of, 0);
    if (!isNew)
      return known->second;
    if (depth == kMaxCallDepth)
      return std::nullopt;
    ++depth;
    std::optional<uint64_t> sum = 0;
    of.walk([&](Operation *op) {
      sum = sum ? llvm::checkedAddUnsigned<uint64_t>(*sum, 1) : sum;
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr callee) {
          auto called = table.lookup<hlo::ComputationOp>(callee.getValue());
          std::optional<uint64_t> inside = called ? count(called) : 0;
          sum = sum && inside ? llvm::checkedAddUnsigned(*sum, *inside) : std::nullopt;
        });
    });
    --depth;
    return counts[of] = sum;
  };
  uint64_t most = 0;
  for (auto computation : module.getOps<hlo::ComputationOp>()) {
    std::optional<uint64_t> instructions = count(computation);
    if (!instructions)
      return std::nullopt;
    most = std::max(most, *instructions);
  }
  return most;
}

void checkText(const std::string &text, const URIForFile &file,
               llvm::function_ref<bool(CheckResult)> publish) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Messages messages(text, file, context);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, file.file()), {});
  LoadOptions options;
  options.maxErrors = kMaxMessages;
  options.verify = false; // done below, where the module is kept even if it fails
  ModuleForm form = ModuleForm::Hlo;
  OwningOpRef<ModuleOp> module = loadModule(sources, &context, options, &form);
  CheckResult result;
  bool isSound = false;
  if (module && form == ModuleForm::Hlo) {
    result.shapes = std::make_shared<Shapes>(*module);
    SourceNotes notes(*module);
    isSound = succeeded(hlo::verifyModule(*module));
  }
  result.diagnostics = messages.diagnostics;
  if (!publish(result) || !isSound)
    return;
  std::optional<uint64_t> size = countInlined(*module);
  if (!size || *size > kMaxInlined)
    return;
  size_t before = messages.diagnostics.size();
  SourceNotes notes(*module);
  auto passes = PassManager::on<ModuleOp>(&context);
  passes.enableVerifier(false);
  buildInterfacePipeline(passes);
  (void)passes.run(*module);
  result.diagnostics = std::move(messages.diagnostics);
  if (result.diagnostics.size() != before)
    publish(std::move(result));
}

} // namespace hloc::lsp
