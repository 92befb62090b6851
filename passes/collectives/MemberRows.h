// SPDX-License-Identifier: Apache-2.0
// Gathers the arrays of a group's members on each of them, to be folded there: for computations
// that the runtime cannot apply while it reduces, because they contain loops or arrays. Tests:
// test/passes/collectives/lower-collectives.hlo, test/passes/bounded/loops-of-members.hlo.

#ifndef HLOC_PASSES_MEMBERROWS_H
#define HLOC_PASSES_MEMBERROWS_H

#include "passes/Build.h"
#include "passes/collectives/Participants.h"

namespace hloc {

struct MemberRows {
  /// [members, elements], in the order of the members.
  mlir::Value rows;
  /// The number of rows that count, an s32 scalar, if groups have different sizes; null: all.
  mlir::Value members;
  /// The collective that exchanges them; null if the participant is alone.
  mlir::Operation *collective = nullptr;
};

/// The groups and the channel of additional collectives for `op`, whose groups are `groups`.
/// Without a channel all collectives are between replicas; with one, some are not between
/// partitions, and these name participants.
hlo::ReplicaGroupsAttr getMemberGroups(mlir::Operation *op, const ParticipantGroups &groups);
mlir::IntegerAttr getMemberChannel(mlir::Operation *op);

/// The elements of `array` on each member, by an additional collective for `op`, whose groups are
/// `groups`: an all-gather or, if groups have different sizes, an all-reduce of arrays in which
/// each member has written its own row. Without groups the participant is alone.
MemberRows gatherRows(Build build, mlir::Operation *op, const ParticipantGroups &groups,
                      mlir::Value array);

/// The rows folded by `computation` in order, a vector. `counts` is a pred per element: others have
/// undefined results, and do not keep loops running. Null: all count.
mlir::Value foldRows(Build build, hlo::ComputationOp computation, const MemberRows &rows,
                     mlir::Value counts);

/// The participant's position in its group, an s32 scalar.
mlir::Value getPlace(Build build, const ParticipantGroups &groups, ParticipantCounts counts);

} // namespace hloc

#endif
