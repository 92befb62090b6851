// SPDX-License-Identifier: Apache-2.0
// The arrays of a group's members side by side on each of them, to be folded there: for
// computations that the runtime cannot apply while it reduces, because of loops or arrays in them.
// Tests: test/passes/collectives/lower-collectives.hlo, test/passes/bounded/loops-of-members.hlo.

#ifndef HLOC_PASSES_MEMBERROWS_H
#define HLOC_PASSES_MEMBERROWS_H

#include "passes/Build.h"
#include "passes/collectives/Participants.h"

namespace hloc {

struct MemberRows {
  /// [members, elements], in the order of the members.
  mlir::Value rows;
  /// How many rows count, an s32 scalar, where groups are of different sizes; null: all.
  mlir::Value members;
  /// What exchanges them; null if the participant is alone.
  mlir::Operation *collective = nullptr;
};

/// The groups of collectives beside `op`, whose groups are `groups`, and their channel. Without a
/// channel all collectives are of replicas; with one, some are not of partitions, and these name
/// participants.
hlo::ReplicaGroupsAttr getMemberGroups(mlir::Operation *op, const ParticipantGroups &groups);
mlir::IntegerAttr getMemberChannel(mlir::Operation *op);

/// The elements of `array` on each member, by a collective beside `op`, whose groups are `groups`:
/// an all-gather or, where they are of different sizes, an all-reduce of arrays in which each
/// member has written its own row. Without groups the participant is alone.
MemberRows gatherRows(Build build, mlir::Operation *op, const ParticipantGroups &groups,
                      mlir::Value array);

/// The rows folded by `computation` in their order, a vector. `counts`: pred for each element
/// whether it counts; for others the result is anything, and loops need not end. Null: all do.
mlir::Value foldRows(Build build, hlo::ComputationOp computation, const MemberRows &rows,
                     mlir::Value counts);

/// The place of the participant in its group, an s32 scalar.
mlir::Value getPlace(Build build, const ParticipantGroups &groups, ParticipantCounts counts);

} // namespace hloc

#endif
