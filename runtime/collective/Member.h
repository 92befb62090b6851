// SPDX-License-Identifier: Apache-2.0
// One member's side of a collective: the operation, the member's position in its group, its
// operands and results, and the data that the operation moves between two members.
// Tests: test/runtime/collective.
#ifndef HLOC_RUNTIME_MEMBER_H
#define HLOC_RUNTIME_MEMBER_H

#include "collective/Box.h"
#include "collective/Text.h"
#include "hlort/collective.h"

#include <string>
#include <vector>

namespace hloc::runtime {

/// The members of a participant's group, in order.
struct Group {
  std::vector<int32_t> members; // empty if the participant is in none
  int32_t place = -1;           // the participant's
  uint64_t hash = 0;            // of the members

  int32_t size() const { return int32_t(members.size()); }
};

/// The group of a participant. If the operation has no groups, it is all participants. For a
/// transfer it is the source and the target, or the participant alone if it is both; empty if no
/// pair concerns it.
Group findGroup(const hlort_collective &what, int32_t participant, int32_t participants);

/// An operation as one member calls it.
struct Member {
  const hlort_collective *what = nullptr;
  int32_t participant = 0;
  std::vector<const void *> operands;
  std::vector<void *> results;
  int64_t root = 0;
  /// The integers that say where slices are. Permuted slices: for each array its starts in the
  /// input, then those in the output. Ragged all-to-all: input offsets, sizes, output offsets.
  std::vector<int64_t> numbers;

  /// Checks shapes against the group, and reads the integers among the operands.
  int32_t read(const hlort_collective &what, int32_t participant, const Group &group,
               const void *const *operands, void *const *results, hlort_status *status);

  /// Writes the contents that results have where nobody sends data: zeros, or those of the output.
  void writeInitialResults(const Group &group) const;
};

int64_t elementBits(const hlort_collective_array &array);
int64_t elementCount(const hlort_collective_array &array);
int64_t byteCount(const hlort_collective_array &array);

bool isReduction(const hlort_collective &what);
/// True for one side of a transfer between two participants, whose group is the source and the
/// target.
bool isPeerTransfer(const hlort_collective &what);
/// The arrays that a transfer moves: the source's operands or the target's results.
struct MovedArrays {
  explicit MovedArrays(const hlort_collective &what);
  int64_t count;
  const hlort_collective_array *arrays;
};

/// all-reduce 'sum' (model.hlo:3:5)
Text describe(const hlort_collective &what);

/// The difference between two members' operations that should be the same; empty if there is none.
std::string difference(const Member &one, const Member &other);

/// Appends what `source`, at position s of the group, sends to the member at position t. False if a
/// slice is outside its array. Not for reductions.
bool appendBoxes(std::vector<Box> &boxes, const Member &source, const Group &group, int32_t s,
                 int32_t t);

/// For a reduction's operand: the part that the member at position t of n keeps, and its position
/// in its result; of an all-reduce, everything.
Box keptBox(const hlort_collective &what, int64_t array, int32_t t, int32_t n);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_MEMBER_H
