// SPDX-License-Identifier: Apache-2.0
// Shared code of the fuzzers: a context for many inputs, errors that must have a location, faults.

#ifndef HLOC_TEST_FUZZ_SESSION_H
#define HLOC_TEST_FUZZ_SESSION_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc::fuzz {

/// Stops the fuzzer: it has found a fault.
[[noreturn]] inline void fault(llvm::StringRef what, llvm::StringRef text) {
  llvm::errs() << "fault: " << what << "\n" << text << "\n";
  abort();
}

/// The context for the next input. Making one takes longer than reading a small program, and types
/// and attributes are never freed: one serves some hundred inputs.
inline mlir::MLIRContext &getContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned inputs = 0;
  if (inputs++ % 256 == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    context->allowUnregisteredDialects(false);
  }
  return *context;
}

/// Counts the errors reported while it lives, and how many of them name a place in a file.
class ErrorCount {
public:
  explicit ErrorCount(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) { return count(diagnostic); }) {}

  bool any() const { return errors; }
  bool allPlaced() const { return errors == placed; }
  llvm::StringRef getUnplaced() const { return unplaced; }

private:
  llvm::LogicalResult count(mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
      return llvm::success();
    ++errors;
    bool found = false;
    diagnostic.getLocation()->walk([&](mlir::Location location) {
      found |= llvm::isa<mlir::FileLineColLoc>(location);
      return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
    });
    placed += found;
    if (!found)
      unplaced = diagnostic.str();
    return llvm::success();
  }

  unsigned errors = 0, placed = 0;
  std::string unplaced;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hloc::fuzz

#endif
