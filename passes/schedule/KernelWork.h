// SPDX-License-Identifier: Apache-2.0
// How often the code of a kernel asks for each of its values, and how their elements lie: what
// predictions add up. Kernels compute by index (codegen/emit/ElementEmitter.h): an operation is
// done once for each index at which its users ask for it, however many of them ask at the same one.
// Test: test/passes/schedule/KernelWorkTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_KERNELWORK_H
#define HLOC_PASSES_SCHEDULE_KERNELWORK_H

#include "passes/schedule/Strategies.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace hloc {

/// Elements of a value that are asked for, by where a vector's lie: beside each other, all at the
/// same place, at equal distances, or anywhere.
struct Requests {
  double rows = 0, uniform = 0, strided = 0, apart = 0;

  double getTotal() const { return rows + uniform + strided + apart; }
};

class KernelWork {
public:
  explicit KernelWork(const KernelProblem &problem);

  /// All elements of a value that are asked for, also more than once.
  Requests getRequests(mlir::Value value) const;

  /// Nanoseconds of the elementwise code, of loads and of stores: all but what the operation does
  /// around which a kernel's loops are built.
  double getTime() const;

private:
  /// Those who ask at the same index, by a number for the index.
  using AtIndex = llvm::SmallDenseMap<int64_t, Requests, 2>;

  void ask(mlir::Value value, int64_t index, const Requests &requests);
  void visit(mlir::Operation &op);
  /// The index at which `op`, asked at `index`, asks for an operand: the same for operations that
  /// move data alike.
  int64_t derive(int64_t index, mlir::Operation &op, unsigned operand);
  void pass(mlir::Operation &op, int64_t index, const Requests &requests);
  void passBroadcast(hlo::BroadcastOp broadcast, int64_t index, const Requests &requests);
  void passConcatenate(hlo::ConcatenateOp concatenate, int64_t index, const Requests &requests);
  void passGather(hlo::GatherOp gather, int64_t index, const Requests &requests);
  double getLoadTime(mlir::BlockArgument argument) const;
  double getStoreTime() const;
  /// From the first load to the last store of one element: what a kernel of few takes at least.
  double getLatency() const;
  bool isUpdateInPlace(mlir::Operation &op) const;

  const KernelProblem &problem;
  llvm::DenseMap<mlir::Value, AtIndex> asked;
  std::map<std::tuple<int64_t, const void *, const void *, unsigned>, int64_t> derived;
  int64_t nextIndex = 1;
  /// Elements of a vector of the kernel.
  double lanes = 1;
  /// Whether the minor dimension of the results is short and lanes lie along the one before.
  bool hasFewMinor = false;
  /// Whether it is short and kept by a reduction, whose lanes lie across it.
  bool crossesFew = false;
};

} // namespace hloc

#endif
