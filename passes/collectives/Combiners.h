// SPDX-License-Identifier: Apache-2.0
// Kernels that fold a chunk of one array into another, made from the computations of reductions.

#ifndef HLOC_PASSES_COMBINERS_H
#define HLOC_PASSES_COMBINERS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Elements of a chunk. Generated code processes longer arrays chunk by chunk.
constexpr int64_t kCombinedElements = 1024;

class Combiners {
public:
  explicit Combiners(mlir::ModuleOp module) : symbols(module) {}

  /// The kernel that applies `computation` to elements of type `element`. Fails with an error at an
  /// operation that kernels cannot apply.
  mlir::FailureOr<mlir::FlatSymbolRefAttr> get(hlo::ComputationOp computation, mlir::Type element,
                                               mlir::Location loc);

private:
  mlir::SymbolTable symbols;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Type>, mlir::FlatSymbolRefAttr> known;
};

/// The type in which elements of type `element` are folded by `computation` over groups of at most
/// `members`: a wider one where rounding after each step would be visible.
mlir::Type getFoldType(hlo::ComputationOp computation, mlir::Type element, int64_t members);

} // namespace hloc

#endif
