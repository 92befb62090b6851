// SPDX-License-Identifier: Apache-2.0
// Arrays that a kernel reads or writes sequentially and that do not fit in L2. Hardware prefetchers
// stop at the end of a page, so the first lines of each page are misses unless the kernel
// prefetches them itself: into L1 (`prefetch` in its schedule) or into L2 (`prefetch_l2`). On some
// machines they go on where arrays come from memory (Memory::prefetchersSuffice). Tests:
// test/passes/schedule/prefetched-streams.hlo, streams-from-memory.hlo.

#ifndef HLOC_PASSES_SCHEDULE_STREAMS_H
#define HLOC_PASSES_SCHEDULE_STREAMS_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// Bytes of the smallest pages, at whose ends hardware prefetchers stop.
inline constexpr double kPageBytes = 4096;
/// Cycles that asking for a line takes.
inline constexpr double kAskCycles = 0.5;

/// Choices (`with`) of schedules of kernels with streams: into which cache they are prefetched.
inline constexpr llvm::StringLiteral kPrefetch = "prefetch", kPrefetchL2 = "prefetch_l2";

/// True if a schedule says to prefetch streams.
inline bool prefetchesStreams(hlo::ScheduleAttr schedule) {
  return schedule.has(kPrefetch) || schedule.has(kPrefetchL2);
}

struct Streams {
  /// Of the kernel's inputs and, if it `writesInOrder`, its results, those that are larger than L2.
  /// An iteration of its loop has `width` elements of each, and asks for the line that they are in.
  Streams(const KernelProblem &problem, bool writesInOrder, int64_t width);

  /// Nanoseconds that the streams add: for prefetching, or for the misses without it.
  double getTime(bool prefetches) const { return prefetches ? askTime : waitTime; }
  /// True if prefetching can be faster.
  bool areWorthAsking() const { return askTime < waitTime; }
  /// The choice that says into which cache.
  llvm::StringRef getChoice() const { return intoL2 ? kPrefetchL2 : kPrefetch; }

private:
  double askTime = 0, waitTime = 0;
  bool intoL2 = false;
};

/// True if an array of this type is so large that prefetching it can help.
bool isFarStream(const Target &target, mlir::Type type);

/// Distance in bytes between what is prefetched and what is read, if a kernel has this many
/// streams.
int64_t getBytesAhead(int64_t streams);

} // namespace hloc

#endif
