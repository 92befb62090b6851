// SPDX-License-Identifier: Apache-2.0
// The cost model: nanoseconds of code on one core of a target, the only such model. Fusion,
// schedules, the tasks of launches and the report use it. An operation's cost class is in its
// definition (HLO_Costs), a machine's rates are in Machine.h. Test: test/target/CostTest.cpp.

#ifndef HLOC_COMPILER_TARGET_COST_H
#define HLOC_COMPILER_TARGET_COST_H

#include "compiler/hlo/HloDialect.h"
#include "compiler/target/Target.h"
#include "compiler/target/VectorAccess.h"

namespace hloc {

class CostModel {
public:
  explicit CostModel(const Target &target)
      : machine(target.machine), vectorBytes(target.vectorBytes) {}

  /// Time to compute one element of `op`'s result in vector code, given its operands.
  double getElementTime(mlir::Operation *op) const;
  /// Likewise in scalar code: one element at a time.
  double getScalarTime(mlir::Operation *op) const;
  /// Instructions that compute a vector of `op`'s result, given its operands.
  static double getInstructions(mlir::Operation *op);
  /// Latency from an element's operands to the element of the result.
  double getLatency(mlir::Operation *op) const;
  /// The sum over a kernel's operations, including the loads and stores of one element.
  double getElementTime(mlir::Block &body) const;
  /// True if computing an element again costs more than loading it from L1.
  bool isExpensive(mlir::Operation *op) const;

  /// True if a loop of `trips` iterations, of `operations` simple operations each on arrays of at
  /// most `elements`, should become straight-line code: the time that its arrays spend between
  /// registers and memory is worth the longer code.
  static bool isWorthUnrolling(int64_t trips, int64_t operations, int64_t elements);
  /// True if rows of `elements` elements that are computed in vectors of `lanes` are folded faster
  /// with each row in a lane of its own than across lanes.
  static bool isWorthTurning(int64_t elements, int64_t lanes);
  /// True if transposing an array of `elements` elements costs little beside an operation on
  /// `uses`.
  static bool isTransposedCheaply(int64_t elements, int64_t uses);

  /// Time to read or write one byte of an array of `bytes` sequentially, once.
  double getStreamTime(double bytes) const { return machine.getStreamTime(bytes); }
  /// Time of a single load that misses L2, in an array of `bytes`.
  double getMissTime(double bytes) const;
  /// Time of one more load of an element in L1: in a vector with its neighbours; one of several at
  /// a fixed stride; one, of `bits` bits, at a computed index.
  double getReloadTime() const;
  double getStridedTime() const { return machine.getNanoseconds(kStridedCycles); }
  double getGatherTime(int64_t bits = kGatheredBits) const;
  /// Time of one of many loads of vectors that are next to each other, from L1.
  double getLoadTime() const { return fromCycles(1 / machine.rates.load); }
  /// Time of a shuffle of a vector.
  double getShuffleTime() const { return fromCycles(1 / machine.rates.shuffle); }
  /// Time per vector to interleave `count` vectors in registers, or to take them apart again.
  double getInterleaveTime(int64_t count) const;
  /// Time per vector whose `lanes` lanes are rows to load `columns` elements of each row at once
  /// and transpose them, or to transpose and store them.
  double getRowTileTime(int64_t lanes, int64_t columns) const;
  /// Time of one multiply-add of elements of type `element`.
  double getMultiplyAddTime(mlir::Type element) const;
  /// By what factor products in groups of `group`, of bf16 or of integers, are faster than a
  /// multiply-add each.
  double getGroupSpeed(int64_t group, bool isBf16) const;
  /// Elements of `bits` bits in a vector.
  int64_t getLanes(int64_t bits) const { return vectorBytes * 8 / bits; }
  double toCycles(double time) const { return time * machine.frequency; }
  double fromCycles(double cycles) const { return cycles / machine.frequency; }
  /// Bytes of a row that stays in L2 between the stages of a kernel, with one or two others.
  int64_t getRowBytes() const { return machine.l2.bytes / 2; }
  /// Time from start to end of a collective with this many bytes of operands and results, if all
  /// members come at once.
  double getCollectiveTime(double bytes) const {
    return getTaskTime() + kCollectivePasses * bytes * getStreamTime(bytes);
  }
  /// Fixed time of a kernel's launch.
  double getLaunchTime() const { return machine.parallelism.launch; }
  /// Work that is worth a task.
  double getTaskTime() const { return machine.parallelism.task; }
  /// Time that work on two threads takes more than half of its time on one.
  double getHandoverTime() const { return machine.parallelism.handover; }
  /// The number of tasks that work of `time` is divided into: a power of two, so that two or four
  /// threads get equal shares.
  int64_t getTaskCount(double time) const;
  /// Time for a core to read `bytes` that another core wrote last, more than what it takes to read
  /// its own.
  double getTransferTime(double bytes) const { return bytes / machine.parallelism.transfer; }
  /// Time to copy an array of `bytes`.
  double getCopyTime(double bytes) const { return 2 * bytes * getStreamTime(2 * bytes); }

private:
  /// How often a collective streams its operands and results: members write them where others see
  /// them, read what others wrote, and share the memory's bandwidth.
  static constexpr double kCollectivePasses = 4;
  /// A load and its insertion into a vector, or its share of a transposition.
  static constexpr double kStridedCycles = 1.2;
  double getVectorCycles(mlir::Operation *op, mlir::Type element) const;

  const Machine &machine;
  int64_t vectorBytes;
};

/// Bits in which an element of `type` is computed: both parts of a complex number together, at
/// least eight, and 32 for narrow floats, which are computed in f32.
int64_t getComputedBits(mlir::Type type);

} // namespace hloc

#endif
