// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/Target.h"
#include "compiler/target/HostProcessor.h"
#include "compiler/target/TargetSummary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

namespace hloc {

/// Registers LLVM's descriptions of processors, without its code generators.
static void describeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
  });
}

int getX86Level(llvm::StringRef cpu) {
  return llvm::StringSwitch<int>(cpu)
      .Case("x86-64", 1)
      .Case("x86-64-v2", 2)
      .Case("x86-64-v3", 3)
      .Case("x86-64-v4", 4)
      .Default(0);
}

/// The features assumed of an unnamed RISC-V processor: those of RVA22 that compilers use, and
/// vectors; f16 is not required.
static constexpr llvm::StringLiteral kRiscvFeatures = "+m,+a,+f,+d,+c,+zba,+zbb,+zbs,+v";

/// The features, for LLVM, in which the host differs from the description of its processor, for
/// instance because a hypervisor hides them.
static std::string getDifferences(const llvm::StringMap<bool> &host,
                                  const llvm::MCSubtargetInfo &processor) {
  std::string features;
  for (const llvm::SubtargetFeatureKV &feature : processor.getAllProcessorFeatures()) {
    auto found = host.find(feature.Key);
    if (found != host.end() && found->second != processor.getFeatureBits()[feature.Value])
      features +=
          (llvm::Twine(features.empty() ? "" : ",") + (found->second ? "+" : "-") + feature.Key)
              .str();
  }
  return features;
}

namespace {

/// A processor as LLVM describes it.
struct Processor {
  std::string cpu, features;
  bool isHost = false;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
};

} // namespace

static llvm::Expected<std::unique_ptr<Processor>> describeProcessor(const llvm::Triple &triple,
                                                                    llvm::StringRef cpu) {
  std::string message;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!llvmTarget)
    return llvm::createStringError("unknown target triple '" + triple.str() + "': " + message);
  bool foreign = triple.getArch() != llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch();
  bool native = cpu == "native" || (cpu.empty() && !foreign);
  if (native && foreign)
    return llvm::createStringError(
        "--mcpu=native needs a target of the host's architecture; name a CPU");
  auto made = std::make_unique<Processor>();
  made->isHost = native;
  made->cpu = native ? llvm::sys::getHostCPUName().str() : cpu.empty() ? "generic" : cpu.str();
  auto makeSubtarget = [&](llvm::StringRef name) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        llvmTarget->createMCSubtargetInfo(triple, name, ""));
  };
  // First without a CPU, because LLVM itself prints a message about an unknown one.
  if (!native && !makeSubtarget("")->isCPUStringValid(made->cpu))
    return llvm::createStringError("unknown CPU '" + made->cpu + "' for " + triple.str());
  made->subtarget = makeSubtarget(made->cpu);
  if (triple.getArch() == llvm::Triple::x86_64 && !made->subtarget->checkFeatures("+64bit"))
    return llvm::createStringError("CPU '" + made->cpu + "' has no 64-bit code");
  if (native) {
    llvm::StringMap<bool> host = getHostFeatures();
    made->cpu = nameProcessor(
                    made->cpu,
                    [&](llvm::StringRef feature) {
                      return made->subtarget->checkFeatures(("+" + feature).str());
                    },
                    [&](llvm::StringRef feature) { return host.lookup(feature); })
                    .str();
    made->subtarget = makeSubtarget(made->cpu);
    made->features = getDifferences(host, *made->subtarget);
  } else if (triple.isRISCV64() && made->cpu == "generic")
    made->features = kRiscvFeatures.str();
  for (llvm::StringRef feature : llvm::split(made->features, ','))
    if (!feature.empty())
      made->subtarget->ApplyFeatureFlag(feature);
  return std::move(made);
}

/// The processor called `cpu`, which may be empty or "native". Each is created once, since programs
/// that compile many modules do so for one.
static llvm::Expected<const Processor *> findProcessor(const llvm::Triple &triple,
                                                       llvm::StringRef cpu) {
  static std::mutex lock;
  static auto *known =
      new llvm::StringMap<std::unique_ptr<Processor>>; // never destroyed, like MachinePool
  std::lock_guard<std::mutex> guard(lock);
  std::unique_ptr<Processor> &processor = (*known)[(triple.str() + " " + cpu).str()];
  if (!processor) {
    auto made = describeProcessor(triple, cpu);
    if (!made)
      return made.takeError();
    processor = std::move(*made);
  }
  return processor.get();
}

/// Replaces everything on which orders of summation and the choice of kernels depend by what all
/// processors share. Registers are those that every processor has except x86-64-v2, whose registers
/// are half as wide. What remains specific to the processor does not change bits: how memory is
/// accessed, sorted and converted, and products of integers.
static void planForAll(Target &target) {
  target.emulatesFma = !target.hasFma;
  target.hasFma = true;
  target.hasPairMultiplyAdd &= target.hasWordPermute; // otherwise only for half of such a register
  target.hasQuadMultiplyAdd = target.hasBf16Dot = target.hasRange = false;
  target.hasMatrixMultiplyAdd = target.hasBf16Matrices = false;
  target.vectorBytes = 32;
  target.vectorRegisters = 16;
  target.machine = findMachine("x86-64-v3", "x86-64-v3");
}

/// Bytes of SVE's registers on a processor that has more than NEON, from its manual; else 0. The
/// other processors with SVE that LLVM knows have 16.
static int64_t getSveBytes(llvm::StringRef cpu) {
  return llvm::StringSwitch<int64_t>(cpu)
      .Cases({"neoverse-v1", "neoverse-512tvb"}, 32)
      .Case("a64fx", 64)
      .Default(0);
}

llvm::Expected<Target> makeTarget(const TargetOptions &options) {
  describeTargets();
  Target target;
  target.triple = options.triple.empty() ? llvm::sys::getDefaultTargetTriple()
                                         : llvm::Triple::normalize(options.triple);
  target.optimization = options.optimization;
  target.singleThreaded = options.singleThreaded;
  target.fastMath = options.fastMath;
  target.flushSubnormals = options.flushSubnormals;
  bool needsNoCheck = options.flushSubnormals && options.bf16Dot == Bf16Dot::Checked;
  target.bf16Dot = needsNoCheck ? Bf16Dot::Native : options.bf16Dot;
  target.excessPrecision = options.excessPrecision;
  target.reproducible = options.reproducible;
  target.lineTables = options.lineTables;
  target.trace = options.trace;
  llvm::Triple triple(target.triple);
  // Other architectures have no vector code here, and scalar code would be many times slower.
  if (triple.getArch() != llvm::Triple::x86_64 && triple.getArch() != llvm::Triple::aarch64 &&
      triple.getArch() != llvm::Triple::riscv64)
    return llvm::createStringError("code generation does not support '" + target.triple +
                                   "': expected a target of x86_64, aarch64 or riscv64");
  if (target.flushSubnormals && triple.isRISCV64())
    return llvm::createStringError(
        "RISC-V processors keep subnormal numbers: they cannot flush them to zero");
  llvm::Expected<const Processor *> processor = findProcessor(triple, options.cpu);
  if (!processor)
    return processor.takeError();
  target.cpu = (*processor)->cpu;
  target.features = (*processor)->features;
  auto has = [&](llvm::StringRef feature) {
    return (*processor)->subtarget->checkFeatures(("+" + feature).str());
  };
  const char *family = "generic";
  if (triple.isX86()) {
    bool avx512 = has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq");
    target.vectorBytes = avx512 ? 64 : has("avx2") ? 32 : 16;
    target.vectorRegisters = avx512 ? 32 : 16;
    target.hasMaskRegisters = avx512;
    // AVX2 has masked loads of 32-bit and 64-bit elements.
    target.narrowestMaskedBits = avx512 ? 8 : has("avx2") ? 32 : 128;
    target.hasGather = avx512 || has("fast-gather");
    target.hasFma = has("fma");
    target.hasWordPermute = has("avx2");
    target.hasHalf = has("f16c");
    target.hasRounding = has("sse4.1");
    target.hasRange = avx512;
    target.hasPairMultiplyAdd = true;
    target.hasQuadMultiplyAdd = avx512 ? has("avx512vnni") : has("avxvnni");
    family = avx512 ? "x86-64-v4" : has("avx2") ? "x86-64-v3" : "x86-64-v2";
    target.hasBf16Dot = avx512 && has("avx512bf16");
    target.hasMatrixMultiplyAdd = target.hasQuadMultiplyAdd && has("amx-tile") && has("amx-int8");
    target.hasBf16Matrices = target.hasBf16Dot && has("amx-tile") && has("amx-bf16");
    // The 256-bit preference is for code that uses vectors occasionally; kernels consist of them.
    if (avx512)
      target.features += (target.features.empty() ? "" : ",") + std::string("-prefer-256-bit");
  } else if (triple.isAArch64()) {
    target.sveBytes = has("sve") ? getSveBytes(target.cpu) : 0;
    target.vectorBytes = std::max<int64_t>(16, target.sveBytes);
    target.vectorRegisters = 32;
    target.hasGather = target.sveBytes > 0;
    target.hasFma = target.hasHalf = target.hasRounding = true;
  } else if (triple.isRISCV64()) {
    if (!has("v"))
      return llvm::createStringError("code generation does not support '" + target.cpu +
                                     "': expected a RISC-V processor with vectors (V)");
    // The minimum vector length that the processor declares.
    target.vectorBytes = has("zvl512b") ? 64 : has("zvl256b") ? 32 : 16;
    target.vectorRegisters = 32;
    target.narrowestMaskedBits = 8;
    target.hasGather = target.hasFma = target.hasRounding = true;
    target.hasHalf = has("zvfhmin");
    family = "riscv64";
  }
  // Every architecture has a processor of this name.
  target.machine = findMachine(target.cpu == "generic" ? family : target.cpu, family);
  if (target.reproducible)
    planForAll(target);
  else if ((*processor)->isHost)
    target.machine = measureHost(std::move(target.machine));
  if (!options.machine.empty())
    if (llvm::Error error = readMachine(options.machine, options.machineFile, target.machine))
      return std::move(error);
  return target;
}

llvm::Expected<llvm::SmallVector<Target, 1>> makeTargets(const TargetOptions &options) {
  llvm::SmallVector<llvm::StringRef> cpus;
  llvm::StringRef(options.cpu).split(cpus, ',');
  llvm::SmallVector<Target, 1> targets;
  int last = 0;
  llvm::stable_sort(
      cpus, [](llvm::StringRef x, llvm::StringRef y) { return getX86Level(x) < getX86Level(y); });
  for (llvm::StringRef cpu : cpus) {
    TargetOptions one = options;
    one.cpu = cpu.str();
    llvm::Expected<Target> target = makeTarget(one);
    if (!target)
      return target.takeError();
    int level =
        llvm::Triple(target->triple).getArch() == llvm::Triple::x86_64 ? getX86Level(cpu) : 0;
    if (cpus.size() > 1 && level == last)
      return llvm::createStringError(
          "--mcpu=" + options.cpu +
          ": several CPUs in one object are different ones of x86-64, x86-64-v2, x86-64-v3 "
          "and x86-64-v4");
    last = level;
    target->number = targets.size();
    targets.push_back(std::move(*target));
  }
  return targets;
}

/// What code may use, after the names of triple and processor, which are followed by `separator`.
static std::string describe(const Target &target, llvm::StringRef separator) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << target.triple << ", " << target.cpu << separator << "vectors of " << target.vectorBytes
      << " bytes in " << target.vectorRegisters << " registers";
  auto say = [&](bool has, const char *what) {
    if (has)
      out << ", " << what;
  };
  say(target.sveBytes > 0, "SVE of this length");
  say(target.hasGather, "gathers");
  say(target.hasFma, target.emulatesFma ? "emulated fused multiply-add" : "fused multiply-add");
  say(target.hasHalf, "conversions of f16");
  say(target.hasPairMultiplyAdd, "products of pairs");
  say(target.hasQuadMultiplyAdd, "products of fours");
  say(target.hasBf16Dot, "products of bf16");
  say(target.hasMatrixMultiplyAdd, "products of matrices of bytes");
  say(target.hasBf16Matrices, "products of matrices of bf16");
  say(target.reproducible, "the same bits on all processors");
  return text;
}

std::string summarize(const Target &target) { return describe(target, ", "); }

std::string printTarget(const Target &target) {
  return "# " + describe(target, "\n# ") + "\n" + printMachine(target.machine);
}

} // namespace hloc
