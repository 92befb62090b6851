// SPDX-License-Identifier: Apache-2.0
// The one model of what code takes: nanoseconds on one core of a target. Fusion, schedules, the
// grain of tasks and the report use it, and nothing else. An operation's cost class is in its
// definition (HLO_Costs), a machine's rates are in Machine.h. Test: test/target/CostTest.cpp.

#ifndef HLOC_COMPILER_TARGET_COST_H
#define HLOC_COMPILER_TARGET_COST_H

#include "compiler/hlo/HloDialect.h"
#include "compiler/target/Target.h"

namespace hloc {

class CostModel {
public:
  explicit CostModel(const Target &target)
      : machine(target.machine), vectorBytes(target.vectorBytes) {}

  /// Time to compute one element of `op`'s result as part of vector code, its operands being at
  /// hand.
  double getElementTime(mlir::Operation *op) const;
  /// The same where nothing is computed in vectors: one element at a time.
  double getScalarTime(mlir::Operation *op) const;
  /// Time from when an element's operands are at hand until the element of the result is.
  double getLatency(mlir::Operation *op) const;
  /// The sum over a kernel's operations, with the loads and stores of one element.
  double getElementTime(mlir::Block &body) const;
  /// Whether computing an element again costs more than loading it from the nearest cache.
  bool isExpensive(mlir::Operation *op) const;

  /// Time to read or write one byte of an array of `bytes` once.
  double getStreamTime(double bytes) const { return machine.getStreamTime(bytes); }
  /// A load of what is in an array of `bytes` beyond the second cache, in no stream.
  double getMissTime(double bytes) const;
  /// One more load of an element that is in the nearest cache, beside its neighbours or not: alone,
  /// at a computed place, or with others at equal distances.
  double getReloadTime() const;
  double getStridedTime() const { return machine.getNanoseconds(kStridedCycles); }
  double getGatherTime() const { return machine.getNanoseconds(machine.costs.gatherElement); }
  /// Multiply-adds of elements of type `element`, one each.
  double getMultiplyAddTime(mlir::Type element) const;
  /// Elements of so many bits in a vector.
  int64_t getLanes(int64_t bits) const { return vectorBytes * 8 / bits; }
  double toCycles(double time) const { return time * machine.frequency; }
  double fromCycles(double cycles) const { return cycles / machine.frequency; }
  /// Bytes of a row that stays near the core between the stages of a kernel, with one or two
  /// others.
  int64_t getRowBytes() const { return machine.l2.bytes / 2; }
  /// Time from start to end of a collective that takes and gives so many bytes, if nobody is late.
  double getCollectiveTime(double bytes) const {
    return getTaskTime() + kCollectivePasses * bytes * getStreamTime(bytes);
  }
  /// Start and end of a kernel's loops.
  double getLaunchTime() const { return machine.parallelism.launch; }
  /// Work that is worth a task.
  double getTaskTime() const { return machine.parallelism.task; }
  /// Tasks that are worth dividing work of `time` into: a power of two, so that two or four threads
  /// get as much of a few of them.
  int64_t getTaskCount(double time) const;
  /// Time to copy an array of `bytes`.
  double getCopyTime(double bytes) const { return 2 * bytes * getStreamTime(2 * bytes); }

private:
  /// How often a collective streams what it takes and gives: members write it where others see
  /// it, read what others wrote, and share the memory's bandwidth meanwhile.
  static constexpr double kCollectivePasses = 4;
  /// A load and its insertion into a vector, or its share of a transposition.
  static constexpr double kStridedCycles = 1.2;
  double getVectorCycles(mlir::Operation *op, mlir::Type element) const;

  const Machine &machine;
  int64_t vectorBytes;
};

/// Bits that an element of `type` is computed in: those of a complex number's parts together; at
/// least eight, and 32 for narrow floats, which are computed in f32.
int64_t getComputedBits(mlir::Type type);

} // namespace hloc

#endif
