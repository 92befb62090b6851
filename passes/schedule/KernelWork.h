// SPDX-License-Identifier: Apache-2.0
// How often the code of a kernel computes each of its values, and how vectors of their elements are
// laid out in memory: the counts that predictions multiply. Kernels compute by index
// (codegen/emit/ElementEmitter.h): an operation is emitted once for each index at which its users
// need it, however many users there are. Test: test/passes/schedule/KernelWorkTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_KERNELWORK_H
#define HLOC_PASSES_SCHEDULE_KERNELWORK_H

#include "passes/schedule/Strategies.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace hloc {

/// Numbers of elements that are requested of a value, by the layout of a vector of them:
/// contiguous, one element for all lanes, a fixed stride, or arbitrary positions. `jumps` are those
/// requests among them that are not near the one before, such as the first of each gathered row.
struct Requests {
  double rows = 0, uniform = 0, strided = 0, apart = 0, jumps = 0;

  double getTotal() const { return rows + uniform + strided + apart; }
};

/// Where the lanes of a vector lie: along the results' minor dimension, so that each row begins
/// with a new vector; likewise, and in one operand of each concatenation; along the dimension
/// before the minor one, for each element of a short minor one; or in whichever of these ways suits
/// the shape.
enum class LaneOrder { BySize, Rows, Pieces, FewMinor };

class KernelWork {
public:
  /// `filled` is the fraction of their lanes that vectors use: less than one if rows are short.
  explicit KernelWork(const KernelProblem &problem, LaneOrder order = LaneOrder::BySize,
                      double filled = 1);

  /// All requests for elements of a value, with repetitions.
  Requests getRequests(mlir::Value value) const;

  /// Nanoseconds of the elementwise code, the loads and the stores: everything except the operation
  /// that the kernel's loops are built around.
  double getTime() const;
  /// Nanoseconds that the code of `op` takes; none for those that the kernel's loops are built
  /// around.
  double getTime(mlir::Operation &op) const;

private:
  /// Requests for a value, by the number of the index.
  using AtIndex = llvm::SmallDenseMap<int64_t, Requests, 2>;

  void ask(mlir::Value value, int64_t index, const Requests &requests);
  void visit(mlir::Operation &op);
  /// The index at which `op`, if requested at `index`, requests an operand: the same one for
  /// operations that move data alike.
  int64_t derive(int64_t index, mlir::Operation &op, unsigned operand);
  void pass(mlir::Operation &op, int64_t index, const Requests &requests);
  bool keepsRows(hlo::TransposeOp transpose) const;
  void passSlice(hlo::SliceOp slice, int64_t index, const Requests &requests);
  void passBroadcast(hlo::BroadcastOp broadcast, int64_t index, const Requests &requests);
  void passConcatenate(hlo::ConcatenateOp concatenate, int64_t index, const Requests &requests);
  void passGather(hlo::GatherOp gather, int64_t index, const Requests &requests);
  /// Time to bring vectors that lie across the rows of `array` into the order of memory, or back.
  double getInterleaveTime(mlir::Value array, double elements) const;
  double getLoadTime(mlir::BlockArgument argument) const;
  double getStoreTime() const;
  /// The latency from the first load to the last store of one element: a lower bound for kernels of
  /// few elements.
  double getLatency() const;
  bool isUpdateInPlace(mlir::Operation &op) const;

  const KernelProblem &problem;
  bool isInRows() const { return order == LaneOrder::Rows || order == LaneOrder::Pieces; }

  LaneOrder order;
  double filled;
  llvm::DenseMap<mlir::Value, AtIndex> asked;
  std::map<std::tuple<int64_t, const void *, const void *, unsigned>, int64_t> derived;
  int64_t nextIndex = 1;
  /// Lanes of the kernel's vectors.
  double lanes = 1;
  /// True if the results' minor dimension is short, and lanes lie along the one before.
  bool hasFewMinor = false;
  /// True if a reduction keeps a short minor dimension, so that its lanes lie across that.
  bool crossesFew = false;
};

} // namespace hloc

#endif
