// SPDX-License-Identifier: Apache-2.0
// Emits events for the context's trace: launches, calls, copies and loops; only if the target asks
// for it. Test: test/tools/trace.test.

#ifndef HLOC_CODEGEN_TRACE_H
#define HLOC_CODEGEN_TRACE_H

#include "codegen/program/Globals.h"

namespace hloc {

class Tracer {
public:
  Tracer(mlir::ImplicitLocOpBuilder &b, Globals &globals, bool enabled)
      : b(b), globals(globals), enabled(enabled) {}

  bool isEnabled() const { return enabled; }

  /// Calls `emit`, and puts the begin and end of an event around the code that it emits. The event
  /// is named after the instruction that `op` comes from and has the category `category`; `kernel`
  /// names the kernel or kernels that run. `context` is that of the run.
  mlir::LogicalResult trace(mlir::Operation *op, llvm::StringRef category, mlir::Value context,
                            llvm::function_ref<mlir::LogicalResult()> emit,
                            llvm::StringRef kernel = {});

private:
  mlir::ImplicitLocOpBuilder &b;
  Globals &globals;
  bool enabled;
};

} // namespace hloc

#endif
