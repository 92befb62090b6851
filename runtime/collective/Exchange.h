// SPDX-License-Identifier: Apache-2.0
// The work of a collective whose members have access to each other's memory, divided into units
// that any thread may do in any order: the results have the same bits. A unit reads its inputs once
// and writes them to everyone's result while they are in a cache.
// Test: test/runtime/collective/InProcessTest.cpp.
#ifndef HLOC_RUNTIME_EXCHANGE_H
#define HLOC_RUNTIME_EXCHANGE_H

#include "collective/Member.h"

namespace hloc::runtime {

class Exchange {
public:
  /// The members in the order of the group. Both outlive the exchange.
  Exchange(const Group &group, std::vector<const Member *> members)
      : group(group), members(std::move(members)) {}

  /// Determines the work. Fails if a slice is outside its array.
  int32_t plan(hlort_status *status);
  /// Work that fits into one piece is one unit: claiming more units would take longer than the
  /// work.
  int64_t units() const { return isSmall() ? 1 : unitCount; }
  /// Returns the number of bytes of results written.
  int64_t run(int64_t unit) const;

private:
  /// A part of the work: units firstUnit, firstUnit + 1, ...
  struct Task {
    enum Kind { Reduce, Copy, Everything } kind;
    int64_t firstUnit;
    Pieces pieces;
    /// Copy: from member `source` to each of the targets, in pieces of the same shape. Reduce: the
    /// part of everyone's operand, and its place in the results of the targets.
    int32_t source;
    std::vector<std::pair<int32_t, Box>> targets;
  };

  bool isSmall() const { return unitCount > 0 && bytesMoved <= Pieces::kBytes; }
  int64_t runUnit(int64_t unit) const;
  bool planCopies();
  void planReductions();
  void add(Task::Kind kind, Pieces pieces, int32_t source,
           std::vector<std::pair<int32_t, Box>> targets);
  /// True if a result shares no memory with operand `box.from` of any member.
  bool isApart(const void *result, int64_t bytes, const Box &box) const;
  int64_t reduce(const Task &task, const Piece &piece) const;
  int64_t runEverything(int32_t target) const;

  const Group &group;
  std::vector<const Member *> members;
  std::vector<Task> tasks;
  /// The boxes that each member sends to each: source * n + target.
  std::vector<std::vector<Box>> boxes;
  int64_t unitCount = 0;
  int64_t bytesMoved = 0; // to all results
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_EXCHANGE_H
