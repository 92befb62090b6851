// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/HostProcessor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/TargetParser/Host.h"
#include <utility>
#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hloc {

/// True if the host's system permits processes that ask for it the use of matrix registers.
static bool permitsMatrices() {
#if defined(__linux__) && defined(__x86_64__)
  // ARCH_GET_XCOMP_SUPP, and the number of the registers' state.
  constexpr long getStates = 0x1021, tileData = 18;
  uint64_t states = 0;
  return syscall(SYS_arch_prctl, getStates, &states) == 0 && (states >> tileData & 1);
#else
  return false;
#endif
}

llvm::StringMap<bool> getHostFeatures() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (!permitsMatrices())
    for (auto &feature : features)
      if (feature.getKey().starts_with("amx-"))
        feature.second = false;
  return features;
}

llvm::StringRef nameProcessor(llvm::StringRef reported,
                              llvm::function_ref<bool(llvm::StringRef)> knows,
                              llvm::function_ref<bool(llvm::StringRef)> has) {
  using Mark = std::pair<llvm::StringRef, llvm::StringRef>; // a feature, the first that had it
  static constexpr Mark intel[] = {{"amx-fp16", "graniterapids"}, {"avx512fp16", "sapphirerapids"},
                                   {"avx512bf16", "cooperlake"},  {"avx512vbmi2", "icelake-server"},
                                   {"avx512vnni", "cascadelake"}, {"avx512vl", "skylake-avx512"},
                                   {"avxvnni", "alderlake"},      {"avx2", "haswell"}};
  static constexpr Mark amd[] = {{"avx512vp2intersect", "znver5"},
                                 {"avx512bf16", "znver4"},
                                 {"vaes", "znver3"},
                                 {"clwb", "znver2"}};
  for (auto [feature, processor] :
       reported.starts_with("znver") ? llvm::ArrayRef(amd) : llvm::ArrayRef(intel))
    if (has(feature) && !knows(feature))
      return processor;
  return reported;
}

} // namespace hloc
