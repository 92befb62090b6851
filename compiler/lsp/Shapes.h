// SPDX-License-Identifier: Apache-2.0
// The shapes of a module's instructions by their names, for texts that omit some.
// Test: test/lsp/hover.test.

#ifndef HLOC_COMPILER_LSP_SHAPES_H
#define HLOC_COMPILER_LSP_SHAPES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace hloc::lsp {

class Shapes {
public:
  explicit Shapes(mlir::ModuleOp module);
  /// Empty if it is not known.
  llvm::StringRef find(llvm::StringRef computation, llvm::StringRef instruction) const;

private:
  llvm::StringMap<std::string> byName;
};

} // namespace hloc::lsp

#endif
