// SPDX-License-Identifier: Apache-2.0
// The context of a shape rule: where to report, the result types that the text states, and the
// signatures of computations.
//
// A rule is a free function that computes the result type of one kind of operation from operand
// types and attributes, or reports the first constraint (`C1`, `C2` ... of the operation's
// definition) that is violated. Parser, builders and verifiers call the same rules (Infer.h).

#ifndef HLOC_COMPILER_HLO_INFER_RULE_H
#define HLOC_COMPILER_HLO_INFER_RULE_H

#include "compiler/hlo/Errors.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeRange.h"

namespace hloc::hlo {

/// Parameter and result types of the computation of a name; null if there is none.
using SignatureLookup = llvm::function_ref<mlir::FunctionType(mlir::FlatSymbolRefAttr)>;

class Rule {
public:
  /// Reports at `location` (not at all without one) under the name of operation `name`
  /// (`hlo.foo_bar`). `declared` are the result types that the text states, empty if it states
  /// none. Without `signatures`, rules skip the checks of called computations.
  Rule(mlir::MLIRContext *context, std::optional<mlir::Location> location, llvm::StringRef name,
       mlir::TypeRange declared = {}, SignatureLookup signatures = {})
      : context(context), location(location), name(name), declared(declared),
        signatures(signatures) {}

  mlir::MLIRContext *getContext() const { return context; }

  /// Begins the report of a violated constraint; convertible to failure.
  Report fail(Error error) const;

  /// The one result type that the text states; null if it states none or several.
  mlir::Type getDeclared() const { return declared.size() == 1 ? declared[0] : mlir::Type(); }
  mlir::TypeRange getDeclaredTypes() const { return declared; }

  /// True if signatures are known; if not, rules guess what depends on them.
  bool knowsSignatures() const { return bool(signatures); }
  /// Signature of a called computation. Only for rules that `knowsSignatures()`.
  llvm::FailureOr<mlir::FunctionType> getSignature(mlir::FlatSymbolRefAttr computation) const;

  /// Opcode as HLO text spells it: `foo-bar`.
  std::string getOpcode() const;

private:
  mlir::MLIRContext *context;
  std::optional<mlir::Location> location;
  llvm::StringRef name;
  mlir::TypeRange declared;
  SignatureLookup signatures;
};

} // namespace hloc::hlo

#endif
