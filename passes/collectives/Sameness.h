// SPDX-License-Identifier: Apache-2.0
// Which participants are known to hold the same value. Test:
// test/passes/collectives/match-collectives.test.

#ifndef HLOC_PASSES_SAMENESS_H
#define HLOC_PASSES_SAMENESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/collectives/Participants.h"

namespace hloc {

namespace hlo {
class CollectiveStartOp;
} // namespace hlo

/// A class for each participant: those of one class hold the same value.
using ParticipantClasses = std::vector<int>;

class Sameness {
public:
  /// Analyses all values of `function`, on plain arrays with structured control flow, before or
  /// after kernels are formed and collectives lowered.
  static mlir::FailureOr<Sameness> compute(mlir::func::FuncOp function, ParticipantCounts counts);

  const ParticipantClasses &getClasses(mlir::Value value) const;

  ParticipantCounts getCounts() const { return counts; }

private:
  explicit Sameness(ParticipantCounts counts);

  ParticipantClasses join(const ParticipantClasses &a, const ParticipantClasses &b) const;
  bool merge(mlir::Value value, const ParticipantClasses &classes);
  mlir::LogicalResult visit(mlir::Block &block, bool &changed);
  mlir::LogicalResult visit(mlir::Operation *op, bool &changed);
  void visitRegions(mlir::Operation *op, bool &changed);
  mlir::FailureOr<ParticipantClasses> getResultClasses(mlir::Operation *op);
  ParticipantClasses getSharedResults(hlo::CollectiveStartOp op) const;

  ParticipantCounts counts;
  ParticipantClasses same, different;
  llvm::DenseMap<mlir::Value, ParticipantClasses> classes;
};

} // namespace hloc

#endif
