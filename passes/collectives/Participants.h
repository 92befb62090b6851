// SPDX-License-Identifier: Apache-2.0
// The participants of collectives, which are numbered replica * partitions + partition. Test:
// test/passes/collectives/groups-refused.test.

#ifndef HLOC_PASSES_PARTICIPANTS_H
#define HLOC_PASSES_PARTICIPANTS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The numbers of replicas and partitions of a module.
struct ParticipantCounts {
  int64_t replicas = 1, partitions = 1;

  static ParticipantCounts of(mlir::ModuleOp module);
  int64_t total() const { return replicas * partitions; }
};

/// The groups of a collective, each a list of participants in member order.
using ParticipantGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// True if participants meet in `op`.
bool isCollective(mlir::Operation *op);
/// True if it is the start of such an operation, in the text's form.
bool isCollectiveStart(mlir::Operation *op);

/// The groups of `op`, for any group mode; participants may be in no group. Fails with an error at
/// its location if the groups name a participant that does not exist, or leave out one that needs a
/// group.
mlir::FailureOr<ParticipantGroups> getGroups(mlir::Operation *op, ParticipantCounts counts);

/// Source-target pairs of `op`, which name partitions or replicas, as pairs of participants; both
/// lists are flattened.
mlir::FailureOr<llvm::SmallVector<int64_t>> getPairs(mlir::Operation *op,
                                                     llvm::ArrayRef<int64_t> pairs,
                                                     bool ofPartitions, ParticipantCounts counts);

/// The source-target pairs of a collective-permute as participants, flattened.
mlir::FailureOr<llvm::SmallVector<int64_t>> getPairs(hlo::CollectivePermuteOp op,
                                                     ParticipantCounts counts);

} // namespace hloc

#endif
