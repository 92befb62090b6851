// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Descriptor.h"
#include "compiler/driver/TeamRun.h"
#include "compiler/library/Result.h"
#include "compiler/text/Load.h"
#include "compiler/text/SourceNotes.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace hloc;

static CompileOptions getCompileOptions(const hloc_options &options) {
  CompileOptions compile;
  StringRef file = llvm::sys::path::filename(options.file);
  compile.name =
      makeIdentifier(options.name ? options.name : llvm::sys::path::stem(removeOuterEnding(file)));
  compile.target.cpu = options.cpu ? options.cpu : "";
  compile.target.optimization = options.level ? options.level - 1 : 3;
  compile.target.singleThreaded = options.threads == 1;
  compile.target.fastMath = options.fast_math;
  compile.target.bf16Dot = options.native_bf16_dot ? Bf16Dot::Native : Bf16Dot::Exact;
  return compile;
}

/// What is wrong with the options; empty if nothing.
static std::string findFault(const hloc_options &options, const CompileOptions &compile) {
  if (options.level < 0 || options.level > 4)
    return "expected an optimization level of 0 to 3";
  if (options.threads < 0)
    return "expected a number of threads that is not negative";
  if (options.reserved)
    return "expected 0 in the reserved field of the options";
  auto targets = makeTargets(compile.target);
  return targets ? "" : llvm::toString(targets.takeError());
}

static hloc_outcome compile(const hloc_options &options, hloc_result &result) {
  CompileOptions compile = getCompileOptions(options);
  if (std::string fault = findFault(options, compile); !fault.empty()) {
    result.addError("", fault);
    return HLOC_WRONG_USAGE;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  std::string problem;
  llvm::MemoryBufferRef text(StringRef(options.text, options.text_size), options.file);
  if (!(options.text ? openModuleInMemory(text, *sources, problem)
                     : openModule(options.file, *sources, &problem))) {
    result.addError(options.file, problem);
    return HLOC_REFUSED;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::raw_string_ostream stream(result.printed);
  printMessagesTo(stream, *sources);
  SourceMgrDiagnosticHandler printer(*sources, &context, stream);
  bool notSupported = false;
  ScopedDiagnosticHandler collector(&context, [&](Diagnostic &diagnostic) {
    notSupported |= isNotSupported(diagnostic);
    result.add(diagnostic);
    return failure(); // for the printer
  });
  OwningOpRef<ModuleOp> module = loadModule(sources, &context);
  if (!module)
    return HLOC_REFUSED;
  SourceNotes notes(*module);
  std::optional<Executable> executable = makeExecutable(*module, compile);
  if (!executable)
    return notSupported ? HLOC_UNSUPPORTED : HLOC_REFUSED;
  CompiledModule &compiled = executable->compiled;
  result.header = makeHeader(compiled.interface, llvm::sys::path::filename(options.file));
  result.object = std::move(compiled.program.code);
  result.loaded = std::move(executable->loaded);
  result.module = result.loaded->getDescriptor();
  return HLOC_DONE;
}

hloc_result *hloc_compile(const hloc_options *options) {
  auto *result = new hloc_result;
  if (options && options->file)
    result->outcome = compile(*options, *result);
  else
    result->addError("", "expected options that name a file");
  return result;
}
