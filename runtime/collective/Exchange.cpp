// SPDX-License-Identifier: Apache-2.0

#include "collective/Exchange.h"
#include "collective/Reduction.h"

#include <algorithm>

namespace hloc::runtime {

void Exchange::add(Task::Kind kind, Pieces pieces, int32_t source,
                   std::vector<std::pair<int32_t, Box>> targets) {
  for (const auto &[target, box] : targets)
    bytesMoved += box.packedBytes();
  tasks.push_back({kind, unitCount, pieces, source, std::move(targets)});
  unitCount += kind == Task::Everything ? 1 : pieces.count();
}

int32_t Exchange::plan(hlort_status *status) {
  const hlort_collective &what = *members[0]->what;
  if (isReduction(what))
    planReductions();
  else if (!planCopies())
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "%s: a slice is outside its array, or does not match it",
                            describe(what).c_str());
  return HLORT_OK;
}

void Exchange::planReductions() {
  const hlort_collective &what = *members[0]->what;
  int32_t n = group.size();
  bool isScatter = what.kind == HLORT_REDUCE_SCATTER;
  for (int64_t i = 0; i < what.operand_count; ++i)
    for (int32_t part = 0; part < (isScatter ? n : 1); ++part) {
      Box box = keptBox(what, i, part, n);
      std::vector<std::pair<int32_t, Box>> targets;
      for (int32_t t = 0; t < n; ++t)
        if (!isScatter || t == part)
          targets.emplace_back(t, box);
      // Adjacent pieces must not write to one byte at the same time.
      bool isOneUnit = isScatter && !box.isWholeBytes();
      add(isOneUnit ? Task::Everything : Task::Reduce, Pieces(box.rows, box.bits), part,
          std::move(targets));
    }
}

bool Exchange::planCopies() {
  const hlort_collective &what = *members[0]->what;
  int32_t n = group.size();
  boxes.resize(size_t(n) * n);
  // Slices may overlap: the last member's remain.
  bool isOrdered =
      what.kind == HLORT_COLLECTIVE_PERMUTE_SLICES || what.kind == HLORT_RAGGED_ALL_TO_ALL;
  for (int32_t s = 0; s < n; ++s)
    for (int32_t t = 0; t < n; ++t) {
      std::vector<Box> &between = boxes[size_t(s) * n + t];
      if (!appendBoxes(between, *members[s], group, s, t))
        return false;
      for (const Box &box : between)
        isOrdered |= !box.isWholeBytes();
    }
  if (isOrdered) {
    for (const std::vector<Box> &between : boxes)
      for (const Box &box : between)
        bytesMoved += box.packedBytes();
    for (int32_t t = 0; t < n; ++t)
      add(Task::Everything, Pieces(0, 0), t, {});
    return true;
  }
  bool isSpread = what.kind == HLORT_ALL_GATHER || what.kind == HLORT_COLLECTIVE_BROADCAST;
  tasks.reserve(size_t(n) * n);
  if (!isSpread) { // target by target: members that do their share first write to their own results
    for (int32_t t = 0; t < n; ++t)
      for (int32_t s = 0; s < n; ++s)
        for (const Box &box : boxes[size_t(s) * n + t])
          add(Task::Copy, Pieces(box.rows, box.bits), s, {{t, box}});
    return true;
  }
  for (int32_t s = 0; s < n; ++s) {
    size_t count = boxes[size_t(s) * n].size();
    for (size_t i = 0; i < count; ++i) {
      std::vector<std::pair<int32_t, Box>> targets;
      for (int32_t t = 0; t < n; ++t)
        targets.emplace_back(t, boxes[size_t(s) * n + t][i]);
      Box first = targets[0].second;
      add(Task::Copy, Pieces(first.rows, first.bits), s, std::move(targets));
    }
  }
  return true;
}

int64_t Exchange::run(int64_t unit) const {
  if (!isSmall())
    return runUnit(unit);
  for (int64_t i = 0; i < unitCount; ++i)
    runUnit(i);
  return bytesMoved;
}

/// The bytes of the piece in one result.
static int64_t bytesOf(const Piece &piece) {
  return (piece.rowEnd - piece.rowBegin) * (piece.bitEnd - piece.bitBegin) / 8;
}

int64_t Exchange::runUnit(int64_t unit) const {
  auto task =
      std::prev(std::upper_bound(tasks.begin(), tasks.end(), unit,
                                 [](int64_t unit, const Task &t) { return unit < t.firstUnit; }));
  if (task->kind == Task::Everything && task->targets.empty())
    return runEverything(task->source);
  if (task->kind == Task::Everything) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < task->pieces.count(); ++i)
      bytes += reduce(*task, task->pieces[i]);
    return bytes;
  }
  Piece piece = task->pieces[unit - task->firstUnit];
  if (task->kind == Task::Reduce)
    return reduce(*task, piece);
  for (const auto &[target, box] : task->targets)
    copyPiece(box, piece, members[target]->results[box.to],
              members[task->source]->operands[box.from]);
  return bytesOf(piece) * int64_t(task->targets.size());
}

bool Exchange::isApart(const void *result, int64_t bytes, const Box &box) const {
  auto begin = reinterpret_cast<uintptr_t>(result), end = begin + uintptr_t(bytes);
  return std::all_of(members.begin(), members.end(), [&](const Member *member) {
    auto operand = reinterpret_cast<uintptr_t>(member->operands[box.from]);
    return end <= operand ||
           operand + uintptr_t(byteCount(member->what->operands[box.from])) <= begin;
  });
}

int64_t Exchange::reduce(const Task &task, const Piece &piece) const {
  const Box &box = task.targets[0].second;
  const Member &first = *members[task.targets[0].first];
  const hlort_collective_array &array = members[0]->what->operands[box.from];
  void *home = first.results[box.to];
  if (!isApart(home, byteCount(first.what->results[box.to]), box))
    home = nullptr;
  Pieces parts(piece.rowEnd - piece.rowBegin, piece.bitEnd - piece.bitBegin, Pieces::kNearBytes);
  for (int64_t i = 0; i < parts.count(); ++i) {
    Piece part = parts[i];
    part.rowBegin += piece.rowBegin;
    part.rowEnd += piece.rowBegin;
    part.bitBegin += piece.bitBegin;
    part.bitEnd += piece.bitBegin;
    ReducedPiece reduced(array, box, part, home);
    for (const Member *member : members)
      reduced.add(member->operands[box.from]);
    for (const auto &target : task.targets)
      reduced.store(members[target.first]->results[box.to]);
  }
  return bytesOf(piece) * int64_t(task.targets.size());
}

int64_t Exchange::runEverything(int32_t target) const {
  int32_t n = group.size();
  int64_t bytes = 0;
  for (int32_t s = 0; s < n; ++s)
    for (const Box &box : boxes[size_t(s) * n + target]) {
      copyBox(box, members[target]->results[box.to], members[s]->operands[box.from]);
      bytes += box.packedBytes();
    }
  return bytes;
}

} // namespace hloc::runtime
