// SPDX-License-Identifier: Apache-2.0
// Groups of launches that run tile by tile: for instance, the weights of attention are computed,
// normalized and multiplied for a few rows at a time, so that they stay in L2 in between. The units
// are those of separate launches in another order, and so the results are the same. Test:
// test/codegen/attention-group.hlo.

#ifndef HLOC_CODEGEN_PROGRAM_FUSEDTILEGROUP_H
#define HLOC_CODEGEN_PROGRAM_FUSEDTILEGROUP_H

#include "codegen/KernelEmission.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

struct FusedTileGroup {
  /// A dot, reductions of its rows, and the dot with their results, in order. Other launches
  /// between them are moved before the group.
  llvm::SmallVector<hlo::LaunchOp, 3> launches;
  /// The tiles: blocks of `blockRows` rows in each of `batches` batches.
  int64_t batches = 1, rows = 1, blockRows = 1;
  /// For each launch, the bytes of a row of each of its inputs and then outputs that only the group
  /// uses; zero for other arrays. A tile does not need what the tiles before it have left there, so
  /// all that run one after the other use the memory of the first, which stays in L2.
  llvm::SmallVector<llvm::SmallVector<int64_t>, 3> rowBytesOfPassed;

  int64_t getBlocks() const { return (rows + blockRows - 1) / blockRows; }
};

/// The group that begins with `first`; none if there is none, or if it would not help. `aliased`
/// says whether two buffers of the host may be the same memory.
std::optional<FusedTileGroup>
findFusedTileGroup(hlo::LaunchOp first, const llvm::StringMap<KernelSchedule> &schedules,
                   const Target &target,
                   llvm::function_ref<bool(mlir::Value, mlir::Value)> aliased);

/// The units [begin, end) of `launch` that compute block `block` of rows of batch `batch`.
std::pair<mlir::Value, mlir::Value> buildUnitsOfTile(IndexBuilder &index,
                                                     const FusedTileGroup &group,
                                                     const TileAccess &blocks, mlir::Value batch,
                                                     mlir::Value block);

/// Where block `block` of batch `batch` begins, in bytes, in an array with rows of `rowBytes`.
mlir::Value buildOffsetOfTile(IndexBuilder &index, const FusedTileGroup &group, int64_t rowBytes,
                              mlir::Value batch, mlir::Value block);

} // namespace hloc

#endif
