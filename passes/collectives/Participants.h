// SPDX-License-Identifier: Apache-2.0
// Who takes part in a collective. Participants are numbered replica * partitions + partition.
// Test: test/passes/collectives/groups.mlir.

#ifndef HLOC_PASSES_PARTICIPANTS_H
#define HLOC_PASSES_PARTICIPANTS_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// How many replicas and partitions a module is for.
struct ParticipantCounts {
  int64_t replicas = 1, partitions = 1;

  static ParticipantCounts of(mlir::ModuleOp module);
  int64_t total() const { return replicas * partitions; }
};

/// The groups of a collective, each a list of participants in the order of its members.
using ParticipantGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// Whether participants meet in `op`.
bool isCollective(mlir::Operation *op);
/// Whether it is the first half of such an operation, in the text's form.
bool isCollectiveStart(mlir::Operation *op);

/// Who meets in `op`, whatever its group mode; participants outside all groups are in none. Fails
/// with an error at its place if the groups name a participant that does not exist, or leave out
/// one that needs a group.
mlir::FailureOr<ParticipantGroups> getGroups(mlir::Operation *op, ParticipantCounts counts);

/// Source-target pairs at `op`, of partitions or of replicas, as participants; flattened, as are
/// the pairs themselves.
mlir::FailureOr<llvm::SmallVector<int64_t>> getPairs(mlir::Operation *op,
                                                     llvm::ArrayRef<int64_t> pairs,
                                                     bool ofPartitions, ParticipantCounts counts);

/// The source-target pairs of a collective-permute as participants, flattened.
mlir::FailureOr<llvm::SmallVector<int64_t>> getPairs(hlo::CollectivePermuteOp op,
                                                     ParticipantCounts counts);

} // namespace hloc

#endif
