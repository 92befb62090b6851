// SPDX-License-Identifier: Apache-2.0
// The numbers of a machine that stages from fusion on use for their choices. No other file contains
// numbers of machines. Test: test/target/MachineTest.cpp.

#ifndef HLOC_COMPILER_TARGET_MACHINE_H
#define HLOC_COMPILER_TARGET_MACHINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace hloc {

/// A level of the data caches.
struct Cache {
  int64_t bytes = 0;
  int64_t lineBytes = 64;
  int64_t ways = 8;
  /// Cores that share it.
  int64_t sharedBy = 1;
  /// Bandwidth of sequential reads by one core, in bytes per cycle.
  double bytesPerCycle = 0;
  /// Latency in cycles of a load that hits it.
  double latency = 0;

  /// Bytes of one way: addresses this far apart map to the same set.
  int64_t getWayBytes() const { return bytes / ways; }
  /// True if the lines of `count` addresses, `stride` bytes apart, do not all fit: too many map to
  /// the same set.
  bool areInConflict(int64_t count, int64_t stride) const;
};

struct Memory {
  /// Gigabytes per second that one core streams, and that all cores stream together.
  double coreBandwidth = 0, allBandwidth = 0;
  /// Latency in nanoseconds of a load that misses every cache.
  double latency = 0;
  /// True if code reaches this bandwidth by prefetching into L2, and not without: hardware
  /// prefetchers do not keep up with several rows, and L1 has few buffers for misses.
  bool prefetchIntoL2 = false;
  /// True if hardware prefetchers alone reach this bandwidth where code reads arrays in order, also
  /// several rows at once if it reads whole pages of each. Prefetching then takes buffers for
  /// misses from them.
  bool prefetchersSuffice = false;
};

/// Throughput of a core, in instructions on whole vector registers per cycle.
struct Rates {
  double multiplyAdd = 0;
  /// Other arithmetic, and logic.
  double simple = 0;
  double shuffle = 0;
  double load = 0, store = 0;
  /// Cycles until the result of a multiply-add can be used in another.
  double multiplyAddLatency = 0;
  /// Instructions in flight: the size of the out-of-order window.
  double window = 0;
  /// Sums of products of pairs of i16 and of bf16, and of four i8; 0 without such an instruction.
  double pairProduct = 0, bf16Product = 0, quadProduct = 0;
};

/// Reciprocal throughput, in cycles per instruction on one whole vector register.
struct Costs {
  double divideF32 = 0, divideF64 = 0, rootF32 = 0, rootF64 = 0;
  /// One element of a gather from L1.
  double gatherElement = 0;
  /// A product of two whole matrix registers; 0 if there are none.
  double matrixProduct = 0;
};

/// The cost of threads.
struct Parallelism {
  /// Nanoseconds of work that are worth a task: several times what it takes to hand one over.
  double task = 0;
  /// Nanoseconds of a launch besides its loops.
  double launch = 0;
  /// Nanoseconds that work on two threads takes more than half of its time on one: to hand a task
  /// over, and because the threads begin and end at different times.
  double handover = 0;
  /// Bytes per nanosecond that one core reads of what another has just written.
  double transfer = 0;
};

struct Machine {
  /// The row of the table that it was made from, or the name that a file gives it.
  std::string name;
  /// Billions of cycles per second in vector code.
  double frequency = 0;
  Cache l1, l2, l3;
  Memory memory;
  Rates rates;
  Costs costs;
  Parallelism parallelism;

  double getNanoseconds(double cycles) const { return cycles / frequency; }
  /// Nanoseconds to read or write one byte of an array of `bytes` sequentially, once, in the level
  /// that holds it: L2 or beyond.
  double getStreamTime(double bytes) const;
  /// Bytes of the largest share of a cache that one core has.
  int64_t getLargestShare() const;
};

/// The machine of the processor that LLVM calls `cpu`, a row of the table in Machines.cpp. If the
/// table does not have it, that of `otherwise`, which it must have.
const Machine &findMachine(llvm::StringRef cpu, llvm::StringRef otherwise);

/// `machine` with the cache sizes that this host's operating system reports.
Machine measureHost(Machine machine);

/// The bytes of a cache that the host can count on, given what its system reports and the row of
/// its family. A virtual machine reports the whole cache of the processor but only its own cores as
/// sharing it; the cores that it does not see fill their part of the cache as well.
int64_t limitToShare(const Cache &reported, const Cache &family);

/// Prints all fields as YAML, with units.
std::string printMachine(const Machine &machine);

/// Reads the format of printMachine, or a part of it: fields that are left out are unchanged in
/// `machine`. An error names line and column.
llvm::Error readMachine(llvm::StringRef text, llvm::StringRef fileName, Machine &machine);

} // namespace hloc

#endif
