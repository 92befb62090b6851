// SPDX-License-Identifier: Apache-2.0
// Code that reports launches, calls, copies and loops to the context's trace, only where the target
// asks for it. Test: test/tools/trace.test.

#ifndef HLOC_CODEGEN_TRACE_H
#define HLOC_CODEGEN_TRACE_H

#include "codegen/program/Globals.h"

namespace hloc {

class Tracer {
public:
  Tracer(mlir::ImplicitLocOpBuilder &b, Globals &globals, bool enabled)
      : b(b), globals(globals), enabled(enabled) {}

  bool isEnabled() const { return enabled; }

  /// Calls `emit`, whose code stands between the begin and the end of an event then: named after
  /// the instruction that `op` comes from, of the kind `category`; `kernel` is what runs, if it is
  /// a kernel or several. `context` is the run's.
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
