// SPDX-License-Identifier: Apache-2.0
// A module that gives the values of its instructions as results, to look at them.
// Test: test/tools/numeric-report.test.

#ifndef HLOC_COMPILER_DRIVER_NUMERICS_PROBES_H
#define HLOC_COMPILER_DRIVER_NUMERICS_PROBES_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/OwningOpRef.h"

namespace hloc {

struct Probes {
  /// The module, with calls and fusions replaced by what they call. Its result is a tuple: first
  /// the result that it had, then the results of `probed`, in order.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Instructions of the entry, in program order, all that compute arrays.
  llvm::SmallVector<mlir::Operation *> probed;
};

/// Makes one of a copy of `source`. Errors are diagnostics.
mlir::FailureOr<Probes> makeProbes(mlir::ModuleOp source);

/// A copy of the probes' module that computes in f64.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> makeWide(const Probes &probes);

} // namespace hloc

#endif
