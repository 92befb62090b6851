// SPDX-License-Identifier: Apache-2.0
// A module that returns the values of its instructions as results.
// Test: test/tools/numeric-report.test.

#ifndef HLOC_COMPILER_DRIVER_NUMERICS_PROBES_H
#define HLOC_COMPILER_DRIVER_NUMERICS_PROBES_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/OwningOpRef.h"

namespace hloc {

struct Probes {
  /// The module, with calls and fusions inlined. Its result is a tuple: first the original result,
  /// then the results of `probed`, in order.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// All instructions of the entry that compute arrays, in program order.
  llvm::SmallVector<mlir::Operation *> probed;
};

/// Makes probes from a copy of `source`. Errors are diagnostics.
mlir::FailureOr<Probes> makeProbes(mlir::ModuleOp source);

/// A copy of the probes' module that computes in f64.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> makeWide(const Probes &probes);

} // namespace hloc

#endif
