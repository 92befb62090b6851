// SPDX-License-Identifier: Apache-2.0
// Sizes between participants: what members of a group tell each other about theirs, and arrays that
// are sent with theirs. Test: test/passes/bounded/collectives.hlo.

#ifndef HLOC_PASSES_BOUNDEDCOLLECTIVES_H
#define HLOC_PASSES_BOUNDEDCOLLECTIVES_H

#include "passes/bounded/BoundedArray.h"
#include "passes/collectives/MemberRows.h"

namespace hloc {

/// The members of the groups of a collective as they speak of sizes, by collectives of their own
/// before it.
class SizeExchange {
public:
  using Value = mlir::Value;

  /// Fails with an error if the groups are none of the module's participants.
  static mlir::FailureOr<SizeExchange> of(mlir::Operation *op, BoundedBuild &build);

  /// How many are in a group, which are all of one size.
  int64_t getMembers() const { return groups.empty() ? 1 : groups.front().size(); }

  /// The elements of all members' arrays, as rows.
  MemberRows gatherRows(Value array) { return hloc::gatherRows(build, op, groups, array); }
  /// The vectors of members of groups of one size, one after the other: [members, n].
  Value gather(Value vector) { return gatherRows(vector).rows; }
  /// The same of s32 scalars.
  Value gather(llvm::ArrayRef<Value> numbers);
  /// The participant's place among them, an s32 scalar.
  Value getPlace();

  /// The run fails unless the members have arrays of the same sizes in all dimensions but
  /// `without`.
  void requireSame(llvm::ArrayRef<BoundedArray> arrays, int64_t without = -1);
  /// The run fails unless all of `holds`, pred[...], is true.
  void require(Value holds, const llvm::Twine &expected);

private:
  SizeExchange(mlir::Operation *op, BoundedBuild &build, ParticipantGroups groups);

  mlir::Operation *op;
  BoundedBuild &build;
  ParticipantGroups groups; // none if there is one participant
};

/// Scalars of `array`'s sizes; those that are the same on all participants are left out.
llvm::SmallVector<mlir::Value> getOwnSizes(const BoundedArray &array, int64_t without = -1);

//===- Arrays that are sent with their sizes --------------------------------===//

/// Appends what stands for `array` when it is sent: itself, and its sizes plus one each, so that
/// who is sent nothing sees zeros.
void appendSent(BoundedBuild &build, const BoundedArray &array,
                llvm::SmallVectorImpl<mlir::Value> &sent);

/// Takes an array that was sent so from the front of `received`; its sizes are those of `unsent`
/// where nothing was.
BoundedArray takeReceived(BoundedBuild &build, mlir::ValueRange &received,
                          const BoundedArray &unsent);

} // namespace hloc

#endif
