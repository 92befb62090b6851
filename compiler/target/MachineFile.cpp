// SPDX-License-Identifier: Apache-2.0
// Machines as YAML: `hloc --print-target` and `--target-file`.
#include "compiler/target/Machine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

using namespace hloc;

namespace llvm::yaml {

template <> struct MappingTraits<Cache> {
  static void mapping(IO &io, Cache &cache) {
    io.mapOptional("bytes", cache.bytes);
    io.mapOptional("line-bytes", cache.lineBytes);
    io.mapOptional("ways", cache.ways);
    io.mapOptional("shared-by-cores", cache.sharedBy);
    io.mapOptional("bytes-per-cycle", cache.bytesPerCycle);
    io.mapOptional("latency-cycles", cache.latency);
  }
};

template <> struct MappingTraits<Memory> {
  static void mapping(IO &io, Memory &memory) {
    io.mapOptional("core-gigabytes-per-second", memory.coreBandwidth);
    io.mapOptional("all-gigabytes-per-second", memory.allBandwidth);
    io.mapOptional("latency-nanoseconds", memory.latency);
    io.mapOptional("prefetch-into-l2", memory.prefetchIntoL2);
    io.mapOptional("prefetchers-suffice", memory.prefetchersSuffice);
  }
};

template <> struct MappingTraits<Rates> {
  static void mapping(IO &io, Rates &rates) {
    io.mapOptional("multiply-add", rates.multiplyAdd);
    io.mapOptional("simple", rates.simple);
    io.mapOptional("shuffle", rates.shuffle);
    io.mapOptional("load", rates.load);
    io.mapOptional("store", rates.store);
    io.mapOptional("multiply-add-latency-cycles", rates.multiplyAddLatency);
    io.mapOptional("window-instructions", rates.window);
    io.mapOptional("pair-product", rates.pairProduct);
    io.mapOptional("bf16-product", rates.bf16Product);
    io.mapOptional("quad-product", rates.quadProduct);
  }
};

template <> struct MappingTraits<Costs> {
  static void mapping(IO &io, Costs &costs) {
    io.mapOptional("divide-f32", costs.divideF32);
    io.mapOptional("divide-f64", costs.divideF64);
    io.mapOptional("root-f32", costs.rootF32);
    io.mapOptional("root-f64", costs.rootF64);
    io.mapOptional("gather-element", costs.gatherElement);
    io.mapOptional("matrix-product", costs.matrixProduct);
  }
};

template <> struct MappingTraits<Parallelism> {
  static void mapping(IO &io, Parallelism &parallelism) {
    io.mapOptional("task-nanoseconds", parallelism.task);
    io.mapOptional("launch-nanoseconds", parallelism.launch);
    io.mapOptional("handover-nanoseconds", parallelism.handover);
    io.mapOptional("transfer-bytes-per-nanosecond", parallelism.transfer);
  }
};

template <> struct MappingTraits<Machine> {
  static void mapping(IO &io, Machine &machine) {
    io.mapOptional("name", machine.name);
    io.mapOptional("gigahertz", machine.frequency);
    io.mapOptional("l1", machine.l1);
    io.mapOptional("l2", machine.l2);
    io.mapOptional("l3", machine.l3);
    io.mapOptional("memory", machine.memory);
    io.mapOptional("vectors-per-cycle", machine.rates);
    io.mapOptional("cycles-per-vector", machine.costs);
    io.mapOptional("parallelism", machine.parallelism);
  }

  static std::string validate(IO &, Machine &machine) {
    auto isCache = [](const Cache &cache) {
      return cache.bytes > 0 && cache.lineBytes > 0 && cache.ways > 0 && cache.sharedBy > 0 &&
             cache.bytesPerCycle > 0 && cache.latency > 0;
    };
    if (!isCache(machine.l1) || !isCache(machine.l2) || !isCache(machine.l3))
      return "expected sizes and rates of caches to be above 0";
    const Rates &rates = machine.rates;
    if (!(machine.frequency > 0 && machine.memory.coreBandwidth > 0 &&
          machine.memory.allBandwidth > 0 && machine.memory.latency > 0 && rates.multiplyAdd > 0 &&
          rates.simple > 0 && rates.shuffle > 0 && rates.load > 0 && rates.store > 0 &&
          rates.multiplyAddLatency > 0 && rates.window > 0))
      return "expected gigahertz, bandwidths and vectors-per-cycle to be above 0";
    if (!(rates.pairProduct >= 0 && rates.bf16Product >= 0 && rates.quadProduct >= 0))
      return "expected rates of products to be 0 or more";
    const Costs &costs = machine.costs;
    if (!(costs.divideF32 > 0 && costs.divideF64 > 0 && costs.rootF32 > 0 && costs.rootF64 > 0 &&
          costs.gatherElement > 0))
      return "expected cycles-per-vector to be above 0";
    if (!(costs.matrixProduct >= 0))
      return "expected the cycles of a matrix product to be 0 or more";
    const Parallelism &parallelism = machine.parallelism;
    if (!(parallelism.task > 0 && parallelism.launch > 0 && parallelism.handover > 0 &&
          parallelism.transfer > 0))
      return "expected parallelism's numbers to be above 0";
    return "";
  }
};

} // namespace llvm::yaml

std::string hloc::printMachine(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::yaml::Output yaml(out);
  Machine copy = machine;
  yaml << copy;
  return text;
}

llvm::Error hloc::readMachine(llvm::StringRef text, llvm::StringRef fileName, Machine &machine) {
  std::string message;
  auto keep = [](const llvm::SMDiagnostic &diagnostic, void *where) {
    auto &kept = *static_cast<std::string *>(where);
    llvm::raw_string_ostream out(kept);
    if (kept.empty())
      diagnostic.print("", out, /*ShowColors=*/false);
  };
  llvm::yaml::Input yaml(llvm::MemoryBufferRef(text, fileName), nullptr, keep, &message);
  yaml >> machine;
  if (yaml.error())
    return llvm::createStringError(message.empty()
                                       ? (fileName + ": " + yaml.error().message()).str()
                                       : llvm::StringRef(message).rtrim().str());
  return llvm::Error::success();
}
