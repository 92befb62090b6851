// SPDX-License-Identifier: Apache-2.0
// Error codes: every diagnostic about the user's program ends in ` [H0123]`, and each code has a
// page (docs/errors.md, `hloc --explain H0123`), made from Errors.def.

#ifndef HLOC_COMPILER_HLO_ERRORS_H
#define HLOC_COMPILER_HLO_ERRORS_H

#include "mlir/IR/Diagnostics.h"
#include <optional>
#include <string>

namespace hloc::hlo {

enum class Error {
#define HLO_ERROR(Name, code, title, explanation, example) Name = code,
#include "compiler/hlo/Errors.def"
};

/// `H0123`.
std::string getCode(Error error);

/// The page of a code (`H0123`, `h123` or `123`); nothing if no error has it.
std::optional<std::string> explain(llvm::StringRef code);

/// A diagnostic under construction: it is appended to like a stream, adds the code when it is
/// destroyed, and converts to failure, so that rules can say `return rule.fail(Error::X) <<
/// "expected ...";`.
class Report {
public:
  Report(mlir::InFlightDiagnostic diagnostic, Error error)
      : diagnostic(std::move(diagnostic)), error(error) {}
  /// A report that is not emitted.
  explicit Report(Error error) : error(error) {}
  Report(Report &&other) : diagnostic(std::move(other.diagnostic)), error(other.error) {
    other.diagnostic.reset();
  }
  Report &operator=(Report &&) = delete;
  ~Report();

  template <typename T> Report &&operator<<(T &&value) && {
    if (diagnostic)
      *diagnostic << std::forward<T>(value);
    return std::move(*this);
  }
  operator llvm::LogicalResult() const { return llvm::failure(); }
  template <typename T> operator llvm::FailureOr<T>() const { return llvm::failure(); }

private:
  std::optional<mlir::InFlightDiagnostic> diagnostic;
  Error error;
};

/// Report of `error` at `location`.
Report report(mlir::Location location, Error error);

} // namespace hloc::hlo

#endif
