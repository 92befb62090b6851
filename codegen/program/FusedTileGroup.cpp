// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/FusedTileGroup.h"

using namespace mlir;

namespace hloc {

namespace {

/// Launches that may stand in between, so that the search takes time linear in the program.
constexpr int kMaxBetween = 16;

/// Bytes [begin, end) of a buffer of the program; without a base, it is not known where.
struct Extent {
  Value base;
  int64_t begin = 0, end = 0;

  bool operator==(const Extent &other) const {
    return base == other.base && begin == other.begin && end == other.end;
  }
};

class ChainFinder {
public:
  ChainFinder(const llvm::StringMap<KernelSchedule> &schedules, const Target &target,
              function_ref<bool(Value, Value)> aliased)
      : schedules(schedules), target(target), aliased(aliased) {}

  std::optional<FusedTileGroup> find(hlo::LaunchOp first);

private:
  const KernelSchedule *getSchedule(hlo::LaunchOp launch) const {
    auto found = schedules.find(launch.getKernel());
    return found == schedules.end() ? nullptr : &found->second;
  }
  bool canChain(hlo::LaunchOp launch) const {
    const KernelSchedule *schedule = getSchedule(launch);
    return schedule && schedule->units > 0 && schedule->blocks.batches > 0 &&
           schedule->scratchBytes == 0;
  }
  bool overlap(const Extent &a, const Extent &b) const {
    if (!a.base || !b.base)
      return true;
    return a.base == b.base ? a.begin < b.end && b.begin < a.end : aliased(a.base, b.base);
  }
  bool conflict(ValueRange written, ValueRange other) const;
  bool isApart(hlo::LaunchOp between, const FusedTileGroup &chain) const;
  /// Whether `weights` would leave the core before they are used.
  bool isLarge(const Extent &weights) const {
    return weights.end - weights.begin > target.machine.l2.bytes;
  }
  bool chooseParts(FusedTileGroup &chain) const;
  bool isLegal(const FusedTileGroup &chain) const;

  const llvm::StringMap<KernelSchedule> &schedules;
  const Target &target;
  function_ref<bool(Value, Value)> aliased;
};

/// Where `buffer` lies.
Extent locate(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = getByteSize(RankedTensorType::get(type.getShape(), type.getElementType())),
          offset = 0;
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> shift = getConstant(view.getByteShift());
      if (!shift)
        return {};
      offset += *shift;
      buffer = view.getSource();
    } else if (isa<memref::ReinterpretCastOp, UnrealizedConversionCastOp>(op)) {
      buffer = op->getOperand(0);
    } else {
      break;
    }
  }
  return {buffer, offset, offset + bytes};
}

} // namespace

bool ChainFinder::conflict(ValueRange written, ValueRange other) const {
  return llvm::any_of(written, [&](Value x) {
    return llvm::any_of(other, [&](Value y) { return overlap(locate(x), locate(y)); });
  });
}

/// Whether `between`, which stands after launches of the chain, may go before them.
bool ChainFinder::isApart(hlo::LaunchOp between, const FusedTileGroup &chain) const {
  return llvm::none_of(chain.launches, [&](hlo::LaunchOp launch) {
    return conflict(between.getOutputs(), launch.getInputs()) ||
           conflict(between.getOutputs(), launch.getOutputs()) ||
           conflict(launch.getOutputs(), between.getInputs());
  });
}

/// Parts that all launches can do: blocks of rows, or else whole batches.
bool ChainFinder::chooseParts(FusedTileGroup &chain) const {
  const TileAccess &first = getSchedule(chain.launches.front())->blocks,
                   &last = getSchedule(chain.launches.back())->blocks;
  int64_t rowCount = getSchedule(chain.launches[1])->blocks.batches;
  chain.batches = first.batches;
  if (last.batches != first.batches || rowCount % first.batches != 0)
    return false;
  chain.rows = chain.blockRows = rowCount / first.batches;
  if (chain.rows < 2)
    return false;
  bool byRows = first.writesRows && first.rows == chain.rows && last.rows == chain.rows &&
                first.blockRows == last.blockRows && !last.rowInputs.empty();
  if (byRows)
    chain.blockRows = first.blockRows;
  Extent weights = locate(chain.launches.front().getOutputs()[0]);
  return (weights.end - weights.begin) / chain.batches / chain.rows * chain.blockRows <=
         target.machine.l2.bytes;
}

/// Whether what a part of one launch reads or writes is written by no other's, but by the same part
/// of one before.
bool ChainFinder::isLegal(const FusedTileGroup &chain) const {
  bool byRows = chain.blockRows < chain.rows;
  size_t count = chain.launches.size();
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j) {
      if (i == j)
        continue;
      hlo::LaunchOp writer = chain.launches[i], other = chain.launches[j];
      const TileAccess &blocks = getSchedule(other)->blocks;
      bool goesByRows = blocks.batches == chain.batches && byRows;
      for (Value output : writer.getOutputs()) {
        Extent written = locate(output);
        if (!written.base)
          return false;
        for (auto [k, input] : llvm::enumerate(other.getInputs())) {
          Extent read = locate(input);
          if (!read.base)
            return false;
          bool isSamePart =
              i < j && written == read &&
              llvm::is_contained(goesByRows ? blocks.rowInputs : blocks.batchInputs, k);
          if (overlap(written, read) && !isSamePart)
            return false;
        }
        for (Value result : other.getOutputs())
          if (overlap(written, locate(result)) && !(written == locate(result)))
            return false;
      }
    }
  return true;
}

std::optional<FusedTileGroup> ChainFinder::find(hlo::LaunchOp first) {
  FusedTileGroup chain;
  if (!canChain(first) || !isLarge(locate(first.getOutputs()[0])))
    return std::nullopt;
  chain.launches.push_back(first);
  int between = 0;
  for (Operation *op = first->getNextNode(); op && chain.launches.size() < 3;
       op = op->getNextNode()) {
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op))
      continue;
    auto launch = dyn_cast<hlo::LaunchOp>(op);
    if (!launch)
      return std::nullopt;
    Extent weights = locate(chain.launches.back().getOutputs()[0]);
    bool isNext =
        llvm::any_of(launch.getInputs(), [&](Value input) { return locate(input) == weights; });
    if (isNext && canChain(launch))
      chain.launches.push_back(launch);
    else if (isNext || !isApart(launch, chain) || ++between > kMaxBetween)
      return std::nullopt;
  }
  if (chain.launches.size() < 3 || !chooseParts(chain) || !isLegal(chain))
    return std::nullopt;
  return chain;
}

std::optional<FusedTileGroup> findFusedTileGroup(hlo::LaunchOp first,
                                                 const llvm::StringMap<KernelSchedule> &schedules,
                                                 const Target &target,
                                                 function_ref<bool(Value, Value)> aliased) {
  return ChainFinder(schedules, target, aliased).find(first);
}

std::pair<Value, Value> buildChainedUnits(IndexBuilder &index, const FusedTileGroup &chain,
                                          const TileAccess &blocks, Value batch, Value block) {
  auto &b = index.b;
  auto times = [&](Value x, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(x, index.constant(factor));
  };
  auto sum = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); };
  if (blocks.batches == chain.batches) {
    bool byRows = chain.blockRows < chain.rows;
    int64_t units = byRows ? blocks.blockUnits : blocks.batchUnits;
    Value begin = times(batch, blocks.batchUnits);
    if (byRows)
      begin = sum(begin, times(block, units));
    return {begin, sum(begin, index.constant(units))};
  }
  // A unit is a row.
  Value start = times(batch, chain.rows), row = times(block, chain.blockRows);
  Value end = b.createOrFold<arith::MinSIOp>(sum(row, index.constant(chain.blockRows)),
                                             index.constant(chain.rows));
  return {sum(start, row), sum(start, end)};
}

} // namespace hloc
