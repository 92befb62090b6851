// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/diff/BuildRecord.h"
#include "codegen/program/Dispatch.h"
#include "compiler/driver/report/KernelFacts.h"
#include "compiler/driver/report/SourceLines.h"
#include "compiler/text/Shape.h"
#include "compiler/text/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <zlib.h>

using namespace mlir;
namespace json = llvm::json;

namespace hloc {

static std::string printHash(StringRef text) {
  return llvm::formatv("{0:x-16}", llvm::xxh3_64bits(text)).str();
}

/// The options under their names on command lines.
static json::Object printOptions(const CompileOptions &options) {
  const TargetOptions &target = options.target;
  json::Object object{
      {"-O", std::to_string(target.optimization)},
      {"--threads", target.singleThreaded ? "1" : "0"},
      {"-g", target.lineTables ? "yes" : "no"},
      {"--fast-math", target.fastMath ? "yes" : "no"},
      {"--flush-subnormals", target.flushSubnormals ? "yes" : "no"},
      {"--excess-precision", target.excessPrecision ? "yes" : "no"},
      {"--reproducible", target.reproducible ? "yes" : "no"},
      {"--bf16-dot", toText(target.bf16Dot)},
      {"--target-file", target.machine.empty() ? "" : printHash(target.machine)},
      {"--schedules", options.tunedSchedules.empty() ? "" : printHash(options.tunedSchedules)},
      {"--schedule", toJsonText(llvm::join(options.schedules, ", "))},
      {"--weights", toJsonText(options.weightsFile)}};
  return object;
}

static json::Array printPorts(ArrayRef<Port> ports) {
  json::Array array;
  for (const Port &port : ports)
    array.push_back(
        toJsonText(port.name) + " " + text::shapeText(port.type) + " in order " +
        llvm::join(llvm::map_range(port.minorToMajor, [](int64_t i) { return std::to_string(i); }),
                   ","));
  return array;
}

static json::Object printKernel(const KernelLaunches &launches, const Target &target) {
  hlo::KernelFunctionOp kernel = launches.kernel;
  KernelPrediction prediction = predictKernel(kernel, target);
  json::Object object{{"name", kernel.getSymName()},
                      {"kind", hlo::stringifyKernelKind(kernel.getKind())},
                      {"outputs", printResults(kernel)},
                      {"launches", launches.count},
                      {"predicted_ns", prediction.time}};
  if (launches.times)
    object["times"] = *launches.times;
  if (prediction.schedule) {
    std::string schedule;
    llvm::raw_string_ostream(schedule) << Attribute(prediction.schedule);
    object["schedule"] = schedule;
  }
  return object;
}

json::Value makeBuildRecord(ModuleOp program, const ModuleInterface &interface,
                            ArrayRef<Target> targets, const CompileOptions &options) {
  std::vector<KernelLaunches> launches = countLaunches(program);
  json::Array programs;
  for (const Target &target : targets) {
    json::Array kernels;
    for (const KernelLaunches &kernel : launches)
      kernels.push_back(printKernel(kernel, target));
    programs.push_back(
        json::Object{{"target", target.triple + " " + target.cpu},
                     {"features", target.features},
                     {"prefix", targets.size() > 1 ? getVariantPrefix(interface.name, target.cpu)
                                                   : interface.name},
                     {"kernels", std::move(kernels)}});
  }
  return json::Object{{"version", 1},
                      {"hloc", getVersion()},
                      {"llvm", LLVM_VERSION_STRING},
                      {"name", interface.name},
                      {"module", options.moduleHash},
                      {"options", printOptions(options)},
                      {"arguments", printPorts(interface.arguments)},
                      {"results", printPorts(interface.results)},
                      {"arena_bytes", interface.arenaBytes},
                      {"weights_bytes", interface.weightsBytes},
                      {"programs", std::move(programs)}};
}

/// `text` as a gzip file; empty if there is no memory.
static std::string gzip(StringRef text) {
  constexpr int kGzip = 16 + MAX_WBITS, kMemory = 8; // a gzip header; zlib's default memory
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return {};
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = packed.size();
  bool isDone = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(isDone ? stream.total_out : 0);
  deflateEnd(&stream);
  return packed;
}

void addBuildRecord(const json::Value &record, llvm::Module &module) {
  if (!module.getTargetTriple().isOSBinFormatELF())
    return;
  std::string text;
  llvm::raw_string_ostream(text) << record;
  std::string packed = gzip(text);
  if (packed.empty())
    return;
  llvm::LLVMContext &context = module.getContext();
  llvm::Constant *value = llvm::ConstantDataArray::getString(context, packed, /*AddNull=*/false);
  auto *global = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, value, "build_record");
  global->setSection(kRecordSection);
  global->setAlignment(llvm::Align(1));
  global->setMetadata(llvm::LLVMContext::MD_exclude, llvm::MDNode::get(context, {}));
  llvm::appendToCompilerUsed(module, {global});
}

} // namespace hloc
