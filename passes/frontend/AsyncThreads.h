// SPDX-License-Identifier: Apache-2.0
// Which asynchronous computations of the text may run on a thread of their own; all others run
// where they start. Test: test/passes/frontend/async-threads.hlo.

#ifndef HLOC_PASSES_ASYNCTHREADS_H
#define HLOC_PASSES_ASYNCTHREADS_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace hloc {

class AsyncThreads {
public:
  /// Looks at who calls whom in `module`, in the text's form.
  explicit AsyncThreads(mlir::ModuleOp module);

  /// Whether `callee`, which `start` begins, may run on the thread that it names. It has all its
  /// operands, arrays of static shape, ends in the block where it starts, and it does nothing that
  /// other participants see; if it calls the host, nothing else between its start and its end does.
  bool runsOnThread(hlo::AsyncStartOp start, hlo::ComputationOp callee) const;

private:
  /// What an operation does beside computing: calls of the host, or what has to keep its place
  /// among everything else.
  enum class Effects { None, Host, Ordered };

  static Effects getEffects(mlir::Operation *op);
  static Effects getEffects(hlo::ComputationOp computation);

  /// Computations that operations apply to elements, and what these call.
  llvm::DenseSet<mlir::Operation *> applied;
};

} // namespace hloc

#endif
