// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/FusedTileGroup.h"
#include "codegen/program/Extent.h"
#include "codegen/program/Program.h"
#include "passes/schedule/TileGroups.h"

using namespace mlir;

namespace hloc {

namespace {

/// The most other launches between those of a group, so that the search takes linear time.
constexpr int kMaxBetween = 16;

class GroupFinder {
public:
  GroupFinder(const llvm::StringMap<KernelSchedule> &schedules, const Target &target,
              function_ref<bool(Value, Value)> aliased)
      : schedules(schedules), target(target), aliased(aliased) {}

  std::optional<FusedTileGroup> find(hlo::LaunchOp first);

private:
  const KernelSchedule *getSchedule(hlo::LaunchOp launch) const {
    auto found = schedules.find(launch.getKernel());
    return found == schedules.end() ? nullptr : &found->second;
  }
  bool canJoin(hlo::LaunchOp launch) const {
    const KernelSchedule *schedule = getSchedule(launch);
    return schedule && schedule->units > 0 && schedule->blocks.batches > 0 && !launch.getScratch();
  }
  bool overlap(const Extent &a, const Extent &b) const {
    if (!a.base || !b.base)
      return true;
    return a.base == b.base ? a.begin < b.end && b.begin < a.end : aliased(a.base, b.base);
  }
  bool conflict(ValueRange written, ValueRange other) const;
  bool isApart(hlo::LaunchOp between, const FusedTileGroup &group) const;
  bool chooseParts(FusedTileGroup &group) const;
  bool isLegal(const FusedTileGroup &group) const;
  int64_t getRowBytesOfPassed(const FusedTileGroup &group, const Extent &extent) const;
  void findPassed(FusedTileGroup &group) const;

  const llvm::StringMap<KernelSchedule> &schedules;
  const Target &target;
  function_ref<bool(Value, Value)> aliased;
};

} // namespace

bool GroupFinder::conflict(ValueRange written, ValueRange other) const {
  return llvm::any_of(written, [&](Value x) {
    return llvm::any_of(other, [&](Value y) { return overlap(findExtent(x), findExtent(y)); });
  });
}

/// True if `between`, which follows launches of the group, may be moved before them.
bool GroupFinder::isApart(hlo::LaunchOp between, const FusedTileGroup &group) const {
  SmallVector<Value> written(between.getOutputs());
  if (between.getScratch())
    written.push_back(between.getScratch());
  return llvm::none_of(group.launches, [&](hlo::LaunchOp launch) {
    return conflict(written, launch.getInputs()) || conflict(written, launch.getOutputs()) ||
           conflict(launch.getOutputs(), between.getInputs());
  });
}

/// Chooses tiles that all launches can compute: blocks of rows, or else whole batches.
bool GroupFinder::chooseParts(FusedTileGroup &group) const {
  const TileAccess &first = getSchedule(group.launches.front())->blocks,
                   &last = getSchedule(group.launches.back())->blocks;
  int64_t rowCount = getSchedule(group.launches[1])->blocks.batches;
  group.batches = first.batches;
  if (last.batches != first.batches || rowCount % first.batches != 0)
    return false;
  group.rows = group.blockRows = rowCount / first.batches;
  if (group.rows < 2)
    return false;
  bool byRows = first.writesRows && first.rows == group.rows && last.rows == group.rows &&
                first.blockRows == last.blockRows && !last.rowInputs.empty();
  if (byRows)
    group.blockRows = first.blockRows;
  Extent weights = findExtent(group.launches.front().getOutputs()[0]);
  return (weights.end - weights.begin) / group.batches / group.rows * group.blockRows <=
         target.machine.l2.bytes;
}

/// True if nothing that a tile of one launch reads or writes is written by another launch, except
/// by the same tile of an earlier one.
bool GroupFinder::isLegal(const FusedTileGroup &group) const {
  bool byRows = group.blockRows < group.rows;
  size_t count = group.launches.size();
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j) {
      if (i == j)
        continue;
      hlo::LaunchOp writer = group.launches[i], other = group.launches[j];
      const TileAccess &blocks = getSchedule(other)->blocks;
      bool goesByRows = blocks.batches == group.batches && byRows;
      for (Value output : writer.getOutputs()) {
        Extent written = findExtent(output);
        if (!written.base)
          return false;
        for (auto [k, input] : llvm::enumerate(other.getInputs())) {
          Extent read = findExtent(input);
          if (!read.base)
            return false;
          bool isSamePart =
              i < j && written == read &&
              llvm::is_contained(goesByRows ? blocks.rowInputs : blocks.batchInputs, k);
          if (overlap(written, read) && !isSamePart)
            return false;
        }
        for (Value result : other.getOutputs())
          if (overlap(written, findExtent(result)) && !(written == findExtent(result)))
            return false;
      }
    }
  return true;
}

/// The bytes of a row of the array at `extent`, if a launch passes it to the next one; 0 if not, or
/// if something else of the group is there. After the group nothing reads it (GroupKernels.cpp).
int64_t GroupFinder::getRowBytesOfPassed(const FusedTileGroup &group, const Extent &extent) const {
  bool isWritten = false;
  for (hlo::LaunchOp launch : group.launches) {
    bool isLast = launch == group.launches.back();
    for (Value input : launch.getInputs())
      if (overlap(findExtent(input), extent) && !isWritten)
        return 0;
    for (auto [i, output] : llvm::enumerate(launch.getOutputs())) {
      Extent written = findExtent(output);
      if (!overlap(written, extent))
        continue;
      if (i > 0 || isLast || !(written == extent))
        return 0;
      isWritten = true;
    }
  }
  int64_t bytes = extent.end - extent.begin, count = group.batches * group.rows;
  int64_t rowBytes = isWritten && bytes % count == 0 ? bytes / count : 0;
  bool isAligned = group.rows * rowBytes % kArenaAlignment == 0 &&
                   group.blockRows * rowBytes % kArenaAlignment == 0;
  return isAligned ? rowBytes : 0;
}

void GroupFinder::findPassed(FusedTileGroup &group) const {
  for (hlo::LaunchOp launch : group.launches) {
    SmallVector<int64_t> &rowBytes = group.rowBytesOfPassed.emplace_back();
    for (Value buffer : llvm::concat<Value>(launch.getInputs(), launch.getOutputs()))
      rowBytes.push_back(getRowBytesOfPassed(group, findExtent(buffer)));
  }
}

std::optional<FusedTileGroup> GroupFinder::find(hlo::LaunchOp first) {
  FusedTileGroup group;
  int64_t number = getTileGroup(first, target.number);
  if (number == kNoTileGroup || !canJoin(first))
    return std::nullopt;
  group.launches.push_back(first);
  int between = 0;
  for (Operation *op = first->getNextNode(); op && group.launches.size() < 3;
       op = op->getNextNode()) {
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op))
      continue;
    auto launch = dyn_cast<hlo::LaunchOp>(op);
    if (!launch)
      return std::nullopt;
    Extent handed = findExtent(group.launches.back().getOutputs()[0]);
    bool isNext =
        getTileGroup(launch, target.number) == number && canJoin(launch) &&
        llvm::any_of(launch.getInputs(), [&](Value input) { return findExtent(input) == handed; });
    if (isNext)
      group.launches.push_back(launch);
    else if (!isApart(launch, group) || ++between > kMaxBetween)
      return std::nullopt;
  }
  if (group.launches.size() < 3 || !chooseParts(group) || !isLegal(group))
    return std::nullopt;
  findPassed(group);
  return group;
}

std::optional<FusedTileGroup> findFusedTileGroup(hlo::LaunchOp first,
                                                 const llvm::StringMap<KernelSchedule> &schedules,
                                                 const Target &target,
                                                 function_ref<bool(Value, Value)> aliased) {
  return GroupFinder(schedules, target, aliased).find(first);
}

std::pair<Value, Value> buildUnitsOfTile(IndexBuilder &index, const FusedTileGroup &group,
                                         const TileAccess &blocks, Value batch, Value block) {
  auto &b = index.b;
  auto times = [&](Value x, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(x, index.constant(factor));
  };
  auto sum = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); };
  if (blocks.batches == group.batches) {
    bool byRows = group.blockRows < group.rows;
    int64_t units = byRows ? blocks.blockUnits : blocks.batchUnits;
    Value begin = times(batch, blocks.batchUnits);
    if (byRows)
      begin = sum(begin, times(block, units));
    return {begin, sum(begin, index.constant(units))};
  }
  // A unit is a row.
  Value start = times(batch, group.rows), row = times(block, group.blockRows);
  Value end = b.createOrFold<arith::MinSIOp>(sum(row, index.constant(group.blockRows)),
                                             index.constant(group.rows));
  return {sum(start, row), sum(start, end)};
}

Value buildOffsetOfTile(IndexBuilder &index, const FusedTileGroup &group, int64_t rowBytes,
                        Value batch, Value block) {
  auto &b = index.b;
  auto times = [&](Value x, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(x, index.constant(factor));
  };
  return b.createOrFold<arith::AddIOp>(times(batch, group.rows * rowBytes),
                                       times(block, group.blockRows * rowBytes));
}

} // namespace hloc
