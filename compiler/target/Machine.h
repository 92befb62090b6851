// SPDX-License-Identifier: Apache-2.0
// A machine in numbers: what stages from fusion on choose by. No other file has numbers of
// machines. Test: test/target/MachineTest.cpp.

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
  /// What one core reads from it in a stream, in bytes a cycle.
  double bytesPerCycle = 0;
  /// Cycles until a load that hits it is done.
  double latency = 0;

  /// Bytes of one way: rows at this distance push each other out.
  int64_t getWayBytes() const { return bytes / ways; }
};

struct Memory {
  /// Gigabytes a second that one core streams, and that all do together.
  double coreBandwidth = 0, allBandwidth = 0;
  /// Nanoseconds until a load that misses every cache is done.
  double latency = 0;
};

/// Instructions on whole vector registers that a core begins in one cycle, over a long time.
struct Rates {
  double multiplyAdd = 0;
  /// Other arithmetic, and logic.
  double simple = 0;
  double shuffle = 0;
  double load = 0, store = 0;
  /// Cycles until the result of a multiply-add can be added to again.
  double multiplyAddLatency = 0;
  /// Instructions that are begun or wait at the same time: how far a core looks ahead.
  double window = 0;
  /// Of products of pairs of i16 and of bf16, and of four i8, with their sums; 0 without such an
  /// instruction.
  double pairProduct = 0, bf16Product = 0, quadProduct = 0;
};

/// Cycles that an instruction takes for one whole vector register, over a long time.
struct Costs {
  double divideF32 = 0, divideF64 = 0, rootF32 = 0, rootF64 = 0;
  /// One element of a gather from the nearest cache.
  double gatherElement = 0;
};

/// The work of the host's threads.
struct Parallelism {
  /// Nanoseconds of work that are worth a task: several times what it takes to hand one over.
  double task = 0;
  /// Nanoseconds that a launch takes before and after its loops.
  double launch = 0;
};

struct Machine {
  /// The row of the table it was made of, or the name that a file gives it.
  std::string name;
  /// Billions of cycles a second, in vector code.
  double frequency = 0;
  Cache l1, l2, l3;
  Memory memory;
  Rates rates;
  Costs costs;
  Parallelism parallelism;

  double getNanoseconds(double cycles) const { return cycles / frequency; }
  /// Nanoseconds to read or write one byte of an array of `bytes` once, in a stream from the level
  /// of memory that holds it, the second level of the caches or beyond.
  double getStreamTime(double bytes) const;
  /// Bytes of the largest cache that one core has for itself or its part of.
  int64_t getLargestShare() const;
};

/// The machine of a processor that LLVM calls `cpu`: a row of the table in Machines.cpp. If no row
/// has it, that of `otherwise`, which is in the table.
const Machine &findMachine(llvm::StringRef cpu, llvm::StringRef otherwise);

/// `machine` with the sizes of caches that this host's system tells of.
Machine measureHost(Machine machine);

/// Prints all fields as YAML, with units.
std::string printMachine(const Machine &machine);

/// Reads what printMachine prints, or a part of it: fields that are left out stay as they are in
/// `machine`. An error names line and column.
llvm::Error readMachine(llvm::StringRef text, llvm::StringRef fileName, Machine &machine);

} // namespace hloc

#endif
