// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Streams.h"
#include "compiler/target/Access.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/KernelWork.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Bytes that are prefetched ahead over all streams together, and the fewest of one stream.
/// Distances of 128 to 8192 bytes were measured in sums, copies and sums of two arrays; this is
/// about the bandwidth of memory times its latency.
static constexpr int64_t kBytesAhead = 4096, kLeastAhead = 1024;

/// By how much arrays must exceed the last cache for all that is read of them to come from memory:
/// with less, prefetches into L1 were faster.
static constexpr double kBeyondCache = 2;

bool isFarStream(const Target &target, Type type) {
  return fuse::bytesOf(type) > double(target.machine.l2.bytes);
}

int64_t getBytesAhead(int64_t streams) {
  return std::max(kLeastAhead, kBytesAhead / int64_t(llvm::bit_ceil(uint64_t(streams))));
}

Streams::Streams(const KernelProblem &problem, bool writesInOrder, int64_t width) {
  const Machine &machine = problem.target.machine;
  KernelWork work(problem);
  double bytes = 0, asks = 0, footprint = 0;
  auto add = [&](Type type, double inOrder) {
    footprint += fuse::bytesOf(type);
    if (!isFarStream(problem.target, type))
      return;
    double element = fuse::elementBytes(type),
           read = std::min(fuse::bytesOf(type), inOrder * element);
    bytes += read;
    asks += read / std::min(double(machine.l1.lineBytes), double(width) * element);
  };
  for (BlockArgument argument : problem.body.getArguments())
    add(argument.getType(), work.getRequests(argument).rows);
  for (Value result : problem.body.getTerminator()->getOperands())
    add(result.getType(), writesInOrder ? fuse::elementsOf(result.getType()) : 0);
  intoL2 = machine.memory.prefetchIntoL2 && footprint > kBeyondCache * double(machine.l3.bytes);
  bool fromMemory = footprint > double(machine.l3.bytes);
  if (!fromMemory || !machine.memory.prefetchersSuffice)
    waitTime = bytes / kPageBytes * getLatency(machine, footprint);
  askTime = asks * problem.costs.fromCycles(kAskCycles);
}

} // namespace hloc
