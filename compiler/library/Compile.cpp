// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/ElementNames.h"
#include "compiler/driver/Descriptor.h"
#include "compiler/driver/KeptResults.h"
#include "compiler/driver/TeamRun.h"
#include "compiler/library/Result.h"
#include "compiler/text/Load.h"
#include "compiler/text/Shape.h"
#include "compiler/text/SourceNotes.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace hloc;

/// HLO's name of an hlort_element_type; empty if there is no such type.
static StringRef getElementTypeName(int32_t number, MLIRContext &context) {
  for (StringRef name : {"pred",       "s2",
                         "s4",         "s8",
                         "s16",        "s32",
                         "s64",        "u2",
                         "u4",         "u8",
                         "u16",        "u32",
                         "u64",        "f16",
                         "bf16",       "f32",
                         "f64",        "c64",
                         "c128",       "f8e5m2",
                         "f8e4m3fn",   "f8e4m3b11fnuz",
                         "f8e5m2fnuz", "f8e4m3fnuz",
                         "f8e4m3",     "f8e3m4",
                         "f8e8m0fnu",  "f4e2m1fn"})
    if (getElementInfo(text::getElementType(name, &context)).number == number)
      return name;
  return "";
}

/// Reads the options for binding parameters. False if an array has an invalid type.
static bool getBindOptions(const hloc_options &options, MLIRContext &context, BindOptions &bind) {
  bind.one.assign(options.bind, options.bind + options.bind_count);
  bind.all.assign(options.bind_all, options.bind_all + options.bind_all_count);
  bind.prepare.assign(options.prepare, options.prepare + options.prepare_count);
  for (const hloc_bound_array &array : ArrayRef(options.arrays, options.array_count)) {
    BoundArray &bound = bind.arrays.emplace_back();
    bound.name = array.name;
    bound.array.shape.assign(array.dims, array.dims + array.rank);
    bound.array.type = getElementTypeName(array.element_type, context).str();
    int64_t elementBytes = (hlort_element_bits(array.element_type) + 7) / 8;
    std::optional<uint64_t> bytes = countBytes(bound.array.shape, elementBytes);
    if (bound.array.type.empty() || !bytes)
      return false;
    bound.stored = {ArrayRef(static_cast<const char *>(array.data), *bytes), nullptr};
  }
  return true;
}

static CompileOptions getCompileOptions(const hloc_options &options) {
  CompileOptions compile;
  StringRef file = llvm::sys::path::filename(options.file);
  compile.name =
      makeIdentifier(options.name ? options.name : llvm::sys::path::stem(removeOuterEnding(file)));
  compile.target.cpu = options.cpu ? options.cpu : "";
  compile.target.optimization = options.level ? options.level - 1 : 3;
  compile.target.singleThreaded = options.threads == 1;
  compile.target.fastMath = options.fast_math;
  compile.target.flushSubnormals = options.flush_subnormals;
  compile.target.excessPrecision = options.excess_precision;
  compile.target.reproducible = options.reproducible;
  compile.target.bf16Dot = options.bf16_dot == 1   ? Bf16Dot::Native
                           : options.bf16_dot == 2 ? Bf16Dot::Exact
                                                   : Bf16Dot::Checked;
  compile.timeBudget = options.time_budget;
  return compile;
}

/// What is wrong with the options; empty if they are valid.
static std::string findFault(const hloc_options &options, const CompileOptions &compile) {
  if (options.level < 0 || options.level > 4)
    return "expected an optimization level of 0 to 3";
  if (options.threads < 0)
    return "expected a number of threads that is not negative";
  if (options.bf16_dot < 0 || options.bf16_dot > 2)
    return "expected bf16_dot to be 0 to 2";
  if (!(options.time_budget >= 0))
    return "expected a time budget that is not negative";
  if (options.reproducible && (options.fast_math || options.bf16_dot == 1 ||
                               options.flush_subnormals || options.excess_precision))
    return "results that are reproducible exclude those of fast mathematics, of native products of "
           "bf16, of flushed subnormal numbers and of excess precision";
  auto targets = makeTargets(compile.target);
  return targets ? "" : llvm::toString(targets.takeError());
}

static CacheSettings getCacheSettings(const hloc_options &options) {
  CacheSettings settings;
  settings.folder = options.cache ? options.cache : getCacheFolderOfEnvironment();
  if (options.cache_size)
    settings.maxBytes = options.cache_size;
  return settings;
}

/// Links the cached result of the whole compilation; false if there is none, or it cannot be
/// linked.
static bool takeKept(CompileCache &cache, const CacheKey &key, StringRef name,
                     hloc_result &result) {
  std::optional<KeptResult> kept = findWhole(cache, key);
  if (!kept)
    return false;
  llvm::Expected<LoadedModule> loaded = LoadedModule::load(kept->code, name);
  if (!loaded) {
    llvm::consumeError(loaded.takeError());
    return false;
  }
  result.header = std::move(kept->header);
  result.object = std::move(kept->code);
  result.loaded = std::move(*loaded);
  result.module = result.loaded->getDescriptor();
  return true;
}

static hloc_outcome compile(const hloc_options &options, CompileOptions &compile,
                            hloc_result &result) {
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
  std::optional<CacheKey> wholeKey;
  bool isPlain = !options.bind_count && !options.bind_all_count && !options.array_count &&
                 !options.prepare_count;
  if (compile.cache && isPlain) {
    wholeKey = getWholeKey(sources->getMemoryBuffer(sources->getMainFileID())->getBuffer(),
                           options.file, compile);
    if (wholeKey && takeKept(*compile.cache, *wholeKey, compile.name, result))
      return HLOC_DONE;
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
    return failure(); // the message is printed elsewhere
  });
  OwningOpRef<ModuleOp> module = loadModule(sources, &context);
  if (!module)
    return HLOC_REFUSED;
  SourceNotes notes(*module);
  BindOptions bind;
  if (!getBindOptions(options, context, bind)) {
    result.addError("", "expected bound arrays to have a type and sizes");
    return HLOC_WRONG_USAGE;
  }
  compile.weightsFile = bind.empty() ? "" : compile.name + ".weights";
  auto fail = [&](const std::string &message) {
    auto [file, problem] = StringRef(message).split(": error: ");
    result.addError(file, problem);
  };
  if (failed(bindModule(*module, bind, fail)))
    return notSupported ? HLOC_UNSUPPORTED : HLOC_REFUSED;
  std::optional<Executable> executable = makeExecutable(*module, compile);
  if (!executable)
    return notSupported ? HLOC_UNSUPPORTED : HLOC_REFUSED;
  CompiledModule &compiled = executable->compiled;
  KeptResult made{std::move(compiled.program.code),
                  makeHeader(compiled.interface, llvm::sys::path::filename(options.file))};
  if (wholeKey && result.messages.empty()) // messages have to appear every time
    keepWhole(*compile.cache, *wholeKey, made);
  result.header = std::move(made.header);
  result.object = std::move(made.code);
  result.weights = std::move(executable->weights);
  result.loaded = std::move(executable->loaded);
  result.module = result.loaded->getDescriptor();
  return HLOC_DONE;
}

/// The same with the cache of the options or the environment.
static hloc_outcome compile(const hloc_options &options, hloc_result &result) {
  CompileOptions compileOptions = getCompileOptions(options);
  CacheSettings settings = getCacheSettings(options);
  auto tell = [&](const std::string &what) { result.addRemark(what); };
  std::unique_ptr<CompileCache> cache = openCache(settings, tell);
  compileOptions.cache = cache.get();
  hloc_outcome outcome = compile(options, compileOptions, result);
  closeCache(std::move(cache), settings, tell);
  return outcome;
}

hloc_result *hloc_compile(const hloc_options *options) {
  auto *result = new hloc_result;
  if (options && options->file)
    result->outcome = compile(*options, *result);
  else
    result->addError("", "expected options that name a file");
  return result;
}
