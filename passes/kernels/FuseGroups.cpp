// SPDX-License-Identifier: Apache-2.0
// Membership, merging and dependences of groups.
#include "passes/kernels/FuseGroups.h"
#include "compiler/hlo/AsyncStages.h"
#include "compiler/hlo/CollectiveStages.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/kernels/ArraySizes.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;
using namespace hloc::fuse;

Groups::Groups(Block &block, const CostModel &costs) : block(block), costs(costs) {
  int position = 0;
  Operation *lastEffect = nullptr;
  for (Operation &op : block) {
    Info &opInfo = info[&op];
    opInfo.position = position++;
    opInfo.wait = findWait(op);
    hasWaits |= opInfo.wait >= 0;
    if (isMemoryEffectFree(&op))
      continue;
    if (lastEffect)
      nextEffect[lastEffect] = &op;
    lastEffect = &op;
  }
}

int Groups::findWait(Operation &op) const {
  int wait = isa<CollectiveDoneOp, AsyncWaitOp>(op) ? info.lookup(&op).position : -1;
  op.walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &block)
        wait = std::max(wait, info.lookup(source).wait);
  });
  return wait;
}

int Groups::getWait(int group) const {
  int wait = -1;
  if (!hasWaits)
    return wait;
  for (const auto &[op, opMaps] : groups[group].members)
    wait = std::max(wait, info.lookup(op).wait);
  return wait;
}

bool Groups::isFusable(Operation *op) {
  if (!isa<HLODialect>(op->getDialect()) || op->getNumResults() == 0 || !isMemoryEffectFree(op))
    return false;
  if (isa<ConstantOp, KernelOp, CustomCallOp, FftOp, PartitionIdOp, ReplicaIdOp>(op))
    return false;
  return llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

bool Groups::isSmallConstant(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  if (!constant || !isa<RankedTensorType>(constant.getType()))
    return false;
  auto value = dyn_cast<ElementsAttr>(constant.getValue());
  return value && (cast<ShapedType>(constant.getType()).getRank() == 0 || value.isSplat());
}

Groups::Uses Groups::getUses(Operation *op) {
  Uses uses;
  for (Operation *owner : op->getUsers()) {
    Operation *user = block.findAncestorOpInBlock(*owner);
    const Info &userInfo = info[user];
    if (user != owner || userInfo.groups.empty() || userInfo.view)
      uses.outside = true;
    if (user != owner)
      continue;
    for (int group : userInfo.groups)
      if (!llvm::is_contained(uses.groups, group))
        uses.groups.push_back(group);
  }
  llvm::sort(uses.groups);
  return uses;
}

Maps Groups::getMaps(Operation *op, int group) {
  Maps result;
  for (OpOperand &use : op->getUses()) {
    auto member = groups[group].members.find(use.getOwner());
    if (member != groups[group].members.end())
      maps.appendOperandMaps(use, member->second, result);
  }
  llvm::sort(result);
  return result;
}

void Groups::add(Operation *op, int index, const Maps &opMaps, bool isHome) {
  Group &group = groups[index];
  assert(!group.contains(op));
  group.members.insert({op, opMaps});
  group.emission += opMaps.size();
  Info &opInfo = info[op];
  opInfo.groups.push_back(index);
  if (isHome)
    opInfo.home = index;
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    group.kind = KernelKind::Reduce;
    group.dimensions.assign(reduce.getDimensions().begin(), reduce.getDimensions().end());
    llvm::sort(group.dimensions);
    ArrayRef<int64_t> shape = cast<ShapedType>(reduce.getInputs()[0].getType()).getShape();
    group.space.assign(shape.begin(), shape.end());
  } else if (!isPointwise(op)) {
    group.hero = op;
    if (auto update = dyn_cast<DynamicUpdateSliceOp>(op)) {
      group.update = update;
    } else if (group.update) { // the loops iterate over what is written
      ArrayRef<int64_t> shape = cast<ShapedType>(group.update.getUpdate().getType()).getShape();
      group.space.assign(shape.begin(), shape.end());
    }
    group.kind = isa<DotOp>(op)                  ? KernelKind::Dot
                 : isa<ConvolutionOp>(op)        ? KernelKind::Convolution
                 : isa<ReduceWindowOp>(op)       ? KernelKind::Window
                 : isa<ScanOp>(op)               ? KernelKind::Scan
                 : isa<SortOp, TopkOp>(op)       ? KernelKind::Sort
                 : isa<ScatterOp>(op)            ? KernelKind::Scatter
                 : isa<DynamicUpdateSliceOp>(op) ? KernelKind::Update
                                                 : KernelKind::Loop;
  }
}

void Groups::remove(Operation *op, int index) {
  Group &group = groups[index];
  group.emission -= group.members[op].size();
  group.members.erase(op);
  llvm::erase(info[op].groups, index);
}

int Groups::open(Operation *op) {
  int index = groups.size();
  groups.emplace_back();
  auto type = cast<ShapedType>(op->getResult(0).getType());
  groups[index].space.assign(type.getShape().begin(), type.getShape().end());
  add(op, index, {maps.getRoot(type)}, /*isHome=*/true);
  return index;
}

bool Groups::lanesCrossFew(int index) const {
  const Group &group = groups[index];
  int64_t rank = group.space.size();
  return group.kind == KernelKind::Reduce && rank > 1 &&
         group.space.back() < costs.getLanes(/*bits=*/32) &&
         !llvm::is_contained(group.dimensions, rank - 1);
}

bool Groups::sharesWork(int index) const {
  return !lanesCrossFew(index) && llvm::any_of(groups[index].members, [&](const auto &member) {
    return !isMovement(member.first) &&
           llvm::any_of(member.second, [&](int map) { return maps[map].shared > 1; });
  });
}

void Groups::appendOutputUsers(int group, SmallVectorImpl<Operation *> &users) {
  for (auto &[op, opMaps] : groups[group].members)
    if (info[op].home == group)
      for (Operation *owner : op->getUsers())
        users.push_back(block.findAncestorOpInBlock(*owner));
}

int64_t Groups::countOutputs(int group) {
  return llvm::count_if(groups[group].members,
                        [&](auto &member) { return info[member.first].home == group; });
}

/// True if `target` depends on one of the operations `work`. Operations that are only in the group
/// `ignored` are skipped.
bool Groups::search(SmallVector<Operation *> work, int target, int ignored) {
  llvm::SmallDenseSet<int> seenGroups;
  llvm::SmallPtrSet<Operation *, 16> seen;
  unsigned budget = 2000;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!seen.insert(op).second)
      continue;
    const Info &opInfo = info[op];
    if (opInfo.groups.empty() || opInfo.view) {
      for (Operation *owner : op->getUsers())
        work.push_back(block.findAncestorOpInBlock(*owner));
      if (auto next = nextEffect.find(op); next != nextEffect.end())
        work.push_back(next->second);
    }
    for (int group : opInfo.groups) {
      if (group == ignored)
        continue;
      if (group == target)
        return true;
      if (seenGroups.insert(group).second)
        appendOutputUsers(group, work);
    }
    if (work.size() + seen.size() > budget)
      return true;
  }
  return false;
}

bool Groups::reachesAround(Operation *op, int target) {
  SmallVector<Operation *> work;
  for (Operation *owner : op->getUsers()) {
    Operation *user = block.findAncestorOpInBlock(*owner);
    ArrayRef<int> userGroups = info[user].groups;
    if (user == owner && userGroups.size() == 1 && userGroups.front() == target && !info[user].view)
      continue; // it is in the same kernel
    if (user == owner && !userGroups.empty() && !info[user].view) {
      for (int group : userGroups)
        if (group != target)
          appendOutputUsers(group, work);
    } else {
      for (Operation *next : user->getUsers())
        work.push_back(block.findAncestorOpInBlock(*next));
      if (auto next = nextEffect.find(user); next != nextEffect.end())
        work.push_back(next->second);
    }
  }
  return search(work, target, -1);
}

bool Groups::canMerge(int a, int b) {
  const Group &first = groups[a], &second = groups[b];
  auto isMergeable = [](const Group &group) {
    return group.kind == KernelKind::Loop || group.kind == KernelKind::Reduce;
  };
  if (!isMergeable(first) || !isMergeable(second) || first.space != second.space)
    return false;
  if (first.kind == second.kind && first.dimensions != second.dimensions)
    return false;
  if (first.hero || second.hero)
    return false;
  if (getWait(a) != getWait(b)) // one can run while the other waits
    return false;
  // A value per row that one group computes once would be computed for each element in the merged
  // kernel.
  if ((lanesCrossFew(a) && sharesWork(b)) || (lanesCrossFew(b) && sharesWork(a)))
    return false;
  if (first.members.size() + second.members.size() > 200 || first.emission + second.emission > 600)
    return false;
  // What both read is loaded once in a merged kernel, but functions with many pointers take long to
  // compile.
  constexpr int64_t mostOutputs = 16;
  if (countOutputs(a) + countOutputs(b) > mostOutputs)
    return false;
  SmallVector<Operation *> fromFirst, fromSecond;
  appendOutputUsers(a, fromFirst);
  appendOutputUsers(b, fromSecond);
  return !search(fromFirst, b, a) && !search(fromSecond, a, b);
}

int Groups::merge(int a, int b) {
  if (groups[a].members.size() < groups[b].members.size())
    std::swap(a, b);
  Group &into = groups[a], &from = groups[b];
  for (auto &[op, opMaps] : from.members) {
    Info &opInfo = info[op];
    llvm::erase(opInfo.groups, b);
    if (opInfo.home == b)
      opInfo.home = a;
    auto [entry, isNew] = into.members.insert({op, opMaps});
    if (isNew) {
      opInfo.groups.push_back(a);
      continue;
    }
    for (int map : opMaps)
      if (!llvm::is_contained(entry->second, map))
        entry->second.push_back(map);
  }
  if (from.kind == KernelKind::Reduce) {
    into.kind = from.kind;
    into.dimensions = from.dimensions;
  }
  into.emission = 0;
  for (auto &[op, opMaps] : into.members)
    into.emission += opMaps.size();
  from = Group();
  return a;
}
