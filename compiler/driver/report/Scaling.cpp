// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/Scaling.h"
#include "compiler/target/Cost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The runtime's chunks of tasks per thread (runtime/threads/ParallelFor.cpp).
static constexpr int64_t kChunks = 8;

/// Bytes that the caches of `cores` cores hold.
static double getCacheBytes(const Machine &machine, int64_t cores) {
  double l2 = double(machine.l2.bytes) * double(llvm::divideCeil(cores, machine.l2.sharedBy)),
         l3 = double(machine.l3.bytes) * double(llvm::divideCeil(cores, machine.l3.sharedBy));
  return std::max(l2, l3);
}

TimeOnCores predictOnCores(const KernelFacts &kernel, const Target &target, double footprint,
                           int64_t cores) {
  double whole = kernel.launchTime;
  if (kernel.tasks < 2)
    return {whole, CoreLimit::Serial};
  if (cores == 1)
    return {whole, CoreLimit::None};
  const Machine &machine = target.machine;
  int64_t chunks = std::min(kernel.tasks, kChunks * cores),
          mostOfCore = llvm::divideCeil(chunks, cores);
  double share = whole * double(mostOfCore) / double(chunks),
         handover = CostModel(target).getHandoverTime() * double(kernel.phases),
         bandwidth =
             std::min(double(cores) * machine.memory.coreBandwidth, machine.memory.allBandwidth);
  double stream = footprint > getCacheBytes(machine, cores) ? kernel.accessed / bandwidth : 0;
  double time = std::max(share, stream) + handover;
  if (handover > std::max(share, stream))
    return {time, CoreLimit::Handover};
  if (stream > share)
    return {time, CoreLimit::Bandwidth};
  return {time, chunks < cores ? CoreLimit::Tasks : CoreLimit::None};
}

} // namespace hloc
