// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/TargetList.h"
#include "compiler/target/Target.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace hloc {

/// LLVM's names for processors of an architecture, without those that contain an underscore, which
/// are aliases.
static llvm::SmallVector<llvm::StringRef, 0> getProcessors(const llvm::Triple &triple) {
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  llvm::SmallVector<llvm::StringRef, 0> names;
  if (!target)
    return names;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, "", ""));
  for (const llvm::SubtargetSubTypeKV &processor : subtarget->getAllProcessorDescriptions())
    if (llvm::StringRef name = processor.Key; !name.contains('_'))
      names.push_back(name);
  return names;
}

std::string listTargets() {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto host = makeTarget({});
  if (host)
    out << "This machine: " << llvm::Triple(host->triple).getArchName() << ", " << host->cpu
        << "\n\n";
  else
    llvm::consumeError(host.takeError());
  out << llvm::format("%-14s%-18s%-18s%s\n", "Architecture", "--mcpu", "Vectors", "Numbers of");
  for (const char *architecture : {"x86_64", "aarch64", "riscv64"}) {
    llvm::Triple triple(llvm::Twine(architecture) + "-unknown-linux-gnu");
    for (llvm::StringRef name : getProcessors(triple)) {
      TargetOptions options;
      options.triple = triple.str();
      options.cpu = name.str();
      auto target = makeTarget(options);
      if (!target) { // a 32-bit processor
        llvm::consumeError(target.takeError());
        continue;
      }
      std::string vectors =
          llvm::formatv("{0} x {1} bytes", target->vectorRegisters, target->vectorBytes);
      out << llvm::format("%-14s%-18s%-18s%s\n", architecture, options.cpu.c_str(), vectors.c_str(),
                          target->machine.name.c_str());
    }
  }
  return text;
}

} // namespace hloc
