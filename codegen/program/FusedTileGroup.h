// SPDX-License-Identifier: Apache-2.0
// Launches that work on each other's results part by part: the weights of attention are computed,
// normalized and multiplied for some rows at a time, so that they stay near the core in between.
// Units are the same, and so are the results; only their order is another. Test:
// test/codegen/attention-group.hlo.

#ifndef HLOC_CODEGEN_PROGRAM_FUSEDTILEGROUP_H
#define HLOC_CODEGEN_PROGRAM_FUSEDTILEGROUP_H

#include "codegen/KernelEmission.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

struct FusedTileGroup {
  /// A product, reductions of its rows, and the product with their results, in order. What stands
  /// in between goes before.
  llvm::SmallVector<hlo::LaunchOp, 3> launches;
  /// Parts: blocks of `blockRows` rows of each of so many batches.
  int64_t batches = 1, rows = 1, blockRows = 1;

  int64_t getBlocks() const { return (rows + blockRows - 1) / blockRows; }
};

/// The group that begins with `first`; nullopt if there is none, or if there is nothing to win.
/// `aliased` says whether two buffers of the host may be one.
std::optional<FusedTileGroup>
findFusedTileGroup(hlo::LaunchOp first, const llvm::StringMap<KernelSchedule> &schedules,
                   const Target &target,
                   llvm::function_ref<bool(mlir::Value, mlir::Value)> aliased);

/// The units [begin, end) of `launch` that do the rows [firstRow, endRow) of batch `batch` of the
/// group.
std::pair<mlir::Value, mlir::Value> buildUnitsOfTile(IndexBuilder &index,
                                                     const FusedTileGroup &group,
                                                     const TileAccess &blocks, mlir::Value batch,
                                                     mlir::Value block);

} // namespace hloc

#endif
