// SPDX-License-Identifier: Apache-2.0
// The attribute of kernels and launches that run tile by tile together (GroupKernels.cpp): the
// number of their group for each target. Code generation fuses them where their buffers allow it
// (codegen/program/FusedTileGroup.h).

#ifndef HLOC_PASSES_SCHEDULE_TILEGROUPS_H
#define HLOC_PASSES_SCHEDULE_TILEGROUPS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace hloc {

inline constexpr llvm::StringLiteral kTileGroups = "hlo.tile_groups";
/// The number of a kernel that is in no group.
inline constexpr int64_t kNoTileGroup = -1;

inline void setTileGroups(mlir::Operation *kernel, llvm::ArrayRef<int64_t> numbers) {
  kernel->setDiscardableAttr(kTileGroups,
                             mlir::DenseI64ArrayAttr::get(kernel->getContext(), numbers));
}

/// The group of a kernel or launch on target `target`.
inline int64_t getTileGroup(mlir::Operation *kernel, size_t target) {
  auto numbers = kernel->getAttrOfType<mlir::DenseI64ArrayAttr>(kTileGroups);
  return numbers && target < size_t(numbers.size()) ? numbers[target] : kNoTileGroup;
}

} // namespace hloc

#endif
