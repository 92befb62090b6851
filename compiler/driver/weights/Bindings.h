// SPDX-License-Identifier: Apache-2.0
// The options --bind and --bind-all: which arrays become the values of which parameters.
// docs/weights.md describes the names. Test: test/tools/bind.test.

#ifndef HLOC_COMPILER_DRIVER_WEIGHTS_BINDINGS_H
#define HLOC_COMPILER_DRIVER_WEIGHTS_BINDINGS_H

#include "compiler/driver/weights/WeightFile.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// An array that a program has in memory, for one parameter.
struct BoundArray {
  /// The parameter's name.
  std::string name;
  StoredArray array;
  StoredBytes stored;
};

struct BindOptions {
  /// NAME=FILE[:KEY], each for one parameter.
  std::vector<std::string> one;
  /// Files, and folders of files, whose arrays have the names of parameters.
  std::vector<std::string> all;
  std::vector<BoundArray> arrays;
  /// Names of parameters that are not bound but stay the same over many runs (Prepared.h).
  std::vector<std::string> prepare;

  /// Whether nothing is bound.
  bool empty() const { return one.empty() && all.empty() && arrays.empty(); }
};

/// Makes constants of the parameters of `module`, which no pass except localize-entry has changed.
/// Errors in the module, or about a parameter, are diagnostics; those about a file are passed to
/// `fail`, as "FILE: error: ...".
mlir::LogicalResult bindParameters(mlir::ModuleOp module, const BindOptions &options,
                                   llvm::function_ref<void(const std::string &)> fail);

} // namespace hloc

#endif
