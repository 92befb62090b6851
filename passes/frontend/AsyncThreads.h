// SPDX-License-Identifier: Apache-2.0
// Decides which asynchronous computations of the text may run on a thread of their own; all others
// run where they start. Test: test/passes/frontend/async-threads.hlo.

#ifndef HLOC_PASSES_ASYNCTHREADS_H
#define HLOC_PASSES_ASYNCTHREADS_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace hloc {

class AsyncThreads {
public:
  /// Analyses the calls of `module`, in the text's form.
  explicit AsyncThreads(mlir::ModuleOp module);

  /// True if `callee`, which `start` begins, may run on the thread that it names. It must have all
  /// its operands, use only arrays of static shape, end in the block where it starts, and do
  /// nothing that other participants see. If it calls the host, nothing else may do so between its
  /// start and its end.
  bool runsOnThread(hlo::AsyncStartOp start, hlo::ComputationOp callee) const;

private:
  /// The side effects of an operation: none, calls of the host, or effects that are ordered with
  /// everything else.
  enum class Effects { None, Host, Ordered };

  static Effects getEffects(mlir::Operation *op);
  static Effects getEffects(hlo::ComputationOp computation);

  /// Computations that operations apply to elements, and what these call.
  llvm::DenseSet<mlir::Operation *> applied;
};

} // namespace hloc

#endif
