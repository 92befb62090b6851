// SPDX-License-Identifier: Apache-2.0
// Exchange of sizes between participants: the sizes of all members of a group, and arrays that are
// sent together with their sizes. Test: test/passes/bounded/collectives.hlo.

#ifndef HLOC_PASSES_BOUNDEDCOLLECTIVES_H
#define HLOC_PASSES_BOUNDEDCOLLECTIVES_H

#include "passes/bounded/BoundedArray.h"
#include "passes/collectives/MemberRows.h"

namespace hloc {

/// Exchanges sizes among the members of a collective's groups, by additional collectives before it.
class SizeExchange {
public:
  using Value = mlir::Value;

  /// Fails with an error if the groups are invalid.
  static mlir::FailureOr<SizeExchange> of(mlir::Operation *op, BoundedBuild &build);

  /// The number of members of a group; all groups must have the same.
  int64_t getMembers() const { return groups.empty() ? 1 : groups.front().size(); }

  /// The elements of all members' arrays, as rows.
  MemberRows gatherRows(Value array) { return hloc::gatherRows(build, op, groups, array); }
  /// The vectors of all members, as [members, n]; all groups must have the same number of members.
  Value gather(Value vector) { return gatherRows(vector).rows; }
  /// Likewise for s32 scalars.
  Value gather(llvm::ArrayRef<Value> numbers);
  /// The participant's position in its group, an s32 scalar.
  Value getPlace();

  /// Emits a check that the members have arrays of the same sizes in all dimensions but `without`;
  /// otherwise the run fails.
  void requireSame(llvm::ArrayRef<BoundedArray> arrays, int64_t without = -1);
  /// Emits a check that all of `holds`, pred[...], is true; otherwise the run fails.
  void require(Value holds, const llvm::Twine &expected);

private:
  SizeExchange(mlir::Operation *op, BoundedBuild &build, ParticipantGroups groups);

  mlir::Operation *op;
  BoundedBuild &build;
  ParticipantGroups groups; // none if there is one participant
};

/// The run-time sizes of `array`; those that are known to be the same on all participants are left
/// out.
llvm::SmallVector<mlir::Value> getOwnSizes(const BoundedArray &array, int64_t without = -1);

//===- Arrays that are sent with their sizes --------------------------------===//

/// Appends what is sent for `array`: the array, and each size plus one, so that zeros mean that
/// nothing was received.
void appendSent(BoundedBuild &build, const BoundedArray &array,
                llvm::SmallVectorImpl<mlir::Value> &sent);

/// Takes an array that was sent this way from the front of `received`; its sizes are those of
/// `unsent` if nothing was received.
BoundedArray takeReceived(BoundedBuild &build, mlir::ValueRange &received,
                          const BoundedArray &unsent);

} // namespace hloc

#endif
