// SPDX-License-Identifier: Apache-2.0
// Arrays that a kernel reads or writes in the order of memory, and that come from afar. Machines
// ask for what follows by themselves, but only up to the end of a page: the first lines of the next
// page are waited for, unless the kernel asks for them itself (`prefetch` in its schedule).
// Test: test/passes/schedule/prefetched-streams.hlo.

#ifndef HLOC_PASSES_SCHEDULE_STREAMS_H
#define HLOC_PASSES_SCHEDULE_STREAMS_H

#include "passes/schedule/Strategies.h"

namespace hloc {

/// Bytes of the smallest pages, at whose ends machines stop to ask ahead.
inline constexpr double kPageBytes = 4096;
/// Cycles that asking for a line takes.
inline constexpr double kAskCycles = 0.5;

struct Streams {
  /// Those that are larger than the second cache, among the inputs of the kernel and, if it
  /// `writesInOrder`, its results.
  Streams(const KernelProblem &problem, bool writesInOrder);

  /// What passes, in nanoseconds, with the asking, or with the waiting.
  double getTime(bool prefetches) const { return prefetches ? askTime : waitTime; }
  /// Whether asking can pay.
  bool areWorthAsking() const { return askTime < waitTime; }

private:
  double askTime = 0, waitTime = 0;
};

/// Whether an array of this type is large enough to be asked for.
bool isFarStream(const Target &target, mlir::Type type);

/// Bytes between what is asked for and what is read, if as many streams are.
int64_t getBytesAhead(int64_t streams);

} // namespace hloc

#endif
