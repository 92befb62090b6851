// SPDX-License-Identifier: Apache-2.0
// Which arrays become the values of which parameters: what --bind and --bind-all say.
// docs/weights.md tells of the names. Test: test/tools/bind.test.

#ifndef HLOC_COMPILER_DRIVER_WEIGHTS_BINDINGS_H
#define HLOC_COMPILER_DRIVER_WEIGHTS_BINDINGS_H

#include "compiler/driver/weights/WeightFile.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// An array that a program has in memory, for one parameter.
struct BoundArray {
  /// The parameter's.
  std::string name;
  StoredArray array;
  StoredBytes stored;
};

struct BindOptions {
  /// NAME=FILE[:KEY], each for one parameter.
  std::vector<std::string> one;
  /// Files, and folders of files, of arrays that are called as parameters are.
  std::vector<std::string> all;
  std::vector<BoundArray> arrays;
  /// Names of parameters that are not bound but stay the same over many runs (Prepared.h).
  std::vector<std::string> prepare;

  /// Whether nothing is bound.
  bool empty() const { return one.empty() && all.empty() && arrays.empty(); }
};

/// Makes constants of the parameters of `module`, which no pass has changed but localize-entry.
/// What is wrong with the module, or with a parameter, is a diagnostic; what is wrong with a file
/// goes to `fail`, as "FILE: error: ...".
mlir::LogicalResult bindParameters(mlir::ModuleOp module, const BindOptions &options,
                                   llvm::function_ref<void(const std::string &)> fail);

} // namespace hloc

#endif
