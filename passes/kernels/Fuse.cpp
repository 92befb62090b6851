// SPDX-License-Identifier: Apache-2.0
// Decides which operations form a kernel. In each block, from the last operation to the first, each
// operation joins the kernels of its users if that is legal (FuseLegality.cpp) and saves time
// (compiler/target/Cost.h). Kernels that read the same arrays are merged. Test:
// test/passes/kernels/fuse.mlir.
#include "compiler/hlo/Location.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseGroups.h"
#include "passes/schedule/DotProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;
using namespace hloc::fuse;

namespace hloc {
#define GEN_PASS_DEF_FUSE
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// True if computing the operation in each user is cheaper than reading its result from memory.
bool isFree(Operation *op) {
  if (isa<IotaOp, ReshapeOp>(op))
    return true;
  auto broadcast = dyn_cast<BroadcastOp>(op);
  return broadcast &&
         elementsOf(broadcast.getOperand().getType()) <= 0.25 * elementsOf(broadcast.getType()) + 1;
}

/// True if the result of `op` is computed from indices and constant scalars alone, with little
/// work: the kernel of each user computes it again, so its users need not be in one kernel.
bool readsNothing(const CostModel &costs, Operation *op, unsigned depth = 4) {
  if (isa<IotaOp>(op) || Groups::isSmallConstant(op))
    return true;
  if (auto broadcast = dyn_cast<BroadcastOp>(op);
      broadcast && broadcast.getOperand().getType().getRank() == 0)
    return true;
  if (depth == 0 || costs.isExpensive(op) ||
      !(op->hasTrait<Elementwise>() || isa<BroadcastOp, ReshapeOp>(op)))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return operand.getDefiningOp() && readsNothing(costs, operand.getDefiningOp(), depth - 1);
  });
}

/// True if kernels over this many elements are worth merging just to save launches.
bool isTiny(const CostModel &costs, int64_t elements) {
  return double(elements) * costs.getReloadTime() <= 3 * costs.getLaunchTime();
}

class BlockFusion {
public:
  BlockFusion(Block &block, const CostModel &costs, bool remarks)
      : groups(block, costs), costs(costs), remarks(remarks) {}

  void run(bool alone);

private:
  void visit(Operation *op);
  void visitReshape(Operation *op);
  void mergeSiblings();
  void dropOuterReshapes();
  int host(Operation *op, ArrayRef<int> candidates, bool outside);
  int mergeAll(Operation *op, SmallVectorImpl<int> &candidates);
  bool pays(Operation *op, ArrayRef<int> candidates, bool outside);

  void explain(Operation *op, Reason reason) {
    if (remarks && !reason.empty())
      op->emitRemark("not fused: ") << reason;
  }

  Groups groups;
  const CostModel &costs;
  bool remarks;
  /// Time spent on repeated computation in several kernels, accumulated along the chain of users.
  DenseMap<Operation *, double> repeated;
};

/// True if `op` masks an operand of a dot that because of the mask multiplies only a part of its
/// depth.
bool limitsDepth(Operation *op, const Group &group) {
  auto dot = dyn_cast_or_null<DotOp>(group.hero);
  return dot && isa<SelectOp>(op) && DotProblem(dot).liveDepth &&
         (findZeroingSelect(dot.getLhs()) == op || findZeroingSelect(dot.getRhs()) == op);
}

/// The fraction of lanes that a loop over `piece` positions uses.
double getFilledLanes(int64_t piece, int64_t lanes) {
  if (piece == fuse::kView || piece == 0)
    return 1;
  return double(piece) / double(llvm::alignTo(piece, lanes));
}

/// True if `op` finishes a reduction, as the root of a variance does. A kernel that does not
/// contain it could not contain the reduction either.
bool finishesReduction(Operation *op, unsigned depth = 8) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && (isa<ReduceOp>(producer) || (depth > 0 && isPointwise(producer) &&
                                                    finishesReduction(producer, depth - 1)));
  });
}

/// True if computing `op` in each of `candidates` is faster than writing and reading it.
bool BlockFusion::pays(Operation *op, ArrayRef<int> candidates, bool outside) {
  if (isFree(op) || !isPointwise(op))
    return !outside;
  if (candidates.size() == 1 && limitsDepth(op, groups[candidates.front()]))
    return true;
  double elements = elementsOf(op->getResult(0).getType());
  double bytes = bytesOf(op->getResult(0).getType());
  double time = costs.getElementTime(op), stream = costs.getStreamTime(bytes);
  auto compute = [&](double count) { return time * std::max(count, 16.0); };

  double fused = 0, separate = compute(elements) + bytes * stream + costs.getLaunchTime();
  int64_t lanes = costs.getLanes(/*bits=*/32);
  double evaluations = 0, allComputed = 0, reads = 0, allLoads = 0, slack = 0;
  // Of a value per row, a kernel computes one at a time, in as many instructions as for a vector.
  double perRow = costs.isExpensive(op) && !finishesReduction(op)
                      ? std::max(1.0, costs.getScalarTime(op) / time)
                      : 1;
  for (Value operand : op->getOperands()) {
    if (Groups::isSmallConstant(operand.getDefiningOp()) || isOfPlaces(operand))
      continue;
    // What a broadcast repeats is read from the caches.
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    double operandBytes = bytesOf((broadcast ? broadcast.getOperand() : operand).getType());
    reads += operandBytes > 16;
    double operandStream = std::min(operandBytes, 4 * bytes) * costs.getStreamTime(operandBytes);
    separate += operandStream;
    for (int group : candidates) {
      bool alreadyRead = llvm::any_of(operand.getUsers(), [&](Operation *user) {
        return user != op && groups[group].contains(user);
      });
      fused += alreadyRead ? 0 : operandStream;
    }
  }
  for (int group : candidates) {
    double loads = 0, count = 0, computed = 0;
    bool crosses = groups.lanesCrossFew(group);
    for (int map : groups.getMaps(op, group)) {
      const fuse::IndexMap &m = groups.maps[map];
      bool repeats = crosses && m.shared > 1;
      double times = repeats ? m.count * m.shared : m.count;
      count += times;
      computed += isMovement(op) ? times : times / getFilledLanes(m.piece, lanes);
      if (!crosses && m.shared >= double(lanes))
        computed += times * (perRow - 1);
      loads += times * (m.strided || repeats ? costs.getStridedTime() : costs.getReloadTime());
    }
    evaluations += count;
    // A sort computes its operands for the keys, and again for what it writes.
    if (groups[group].kind == KernelKind::Sort)
      computed *= 2;
    allComputed += computed;
    allLoads += loads * reads;
    slack += costs.getReloadTime() / 6 * double(ShapedType::getNumElements(groups[group].space));
    fused += compute(computed) + loads * reads;
    separate += bytes * stream + loads;
  }
  // If each element is evaluated at most once either way, its operands are loaded once either way.
  if (candidates.size() == 1 && evaluations <= elements)
    separate += elements * costs.getReloadTime() * reads;
  // Negligible beside the kernel's own work, such as a value per row of a normalization.
  if (candidates.size() == 1 && compute(allComputed) + allLoads <= slack)
    return true;
  double before = 0;
  for (Operation *user : op->getUsers())
    before = std::max(before, repeated.lookup(user));
  double again = std::max(0.0, compute(allComputed) - compute(elements));
  if (fused + (again > 0 ? before : 0) > separate)
    return false;
  repeated[op] = again > 0 || candidates.size() > 1 ? before + again : 0;
  return true;
}

/// Merges the kernels that read `op` as far as possible; returns the number that remain.
int BlockFusion::mergeAll(Operation *op, SmallVectorImpl<int> &candidates) {
  constexpr unsigned limit = 8;
  for (unsigned i = 0; i < candidates.size() && i < limit; ++i)
    for (unsigned j = i + 1; j < candidates.size() && j < limit;) {
      if (!groups.canMerge(candidates[i], candidates[j])) {
        ++j;
        continue;
      }
      candidates[i] = groups.merge(candidates[i], candidates[j]);
      candidates.erase(candidates.begin() + j);
    }
  return candidates.size();
}

/// Computes `op` in one of `candidates`, which also writes it to memory if anything else reads it.
/// Returns that group, or -1.
int BlockFusion::host(Operation *op, ArrayRef<int> candidates, bool outside) {
  for (int group : candidates) {
    Maps maps = groups.getMaps(op, group);
    int root = groups.maps.getRoot(op->getResult(0).getType());
    if (isPointwise(op) && maps != Maps{root})
      continue;
    maps = {root};
    if (!groups.canOutput(op, group, maps) || !groups.canAdd(op, group, maps).empty() ||
        groups.reachesAround(op, group))
      continue;
    bool isReadElsewhere = outside || groups.getUses(op).groups.size() > 1;
    groups.add(op, group, maps, /*isHome=*/isReadElsewhere);
    return group;
  }
  return -1;
}

/// Reshapes cost nothing outside of kernels either, where they are views.
void BlockFusion::visitReshape(Operation *op) {
  Groups::Uses uses = groups.getUses(op);
  bool outside = uses.outside;
  for (int group : uses.groups) {
    Maps maps = groups.getMaps(op, group);
    if (groups.canAdd(op, group, maps).empty())
      groups.add(op, group, maps, /*isHome=*/false);
    else
      outside = true;
  }
  if (outside)
    groups.markView(op);
}

void BlockFusion::visit(Operation *op) {
  if (isa<ReshapeOp>(op))
    return visitReshape(op);
  Groups::Uses uses = groups.getUses(op);
  bool outside = uses.outside;
  SmallVector<int> candidates(uses.groups.begin(), uses.groups.end());
  if (!isFree(op) && candidates.size() > 1 && !readsNothing(costs, op))
    mergeAll(op, candidates);

  Reason reason;
  llvm::erase_if(candidates, [&](int group) {
    Reason why = groups.canAdd(op, group, groups.getMaps(op, group));
    if (why.empty())
      return false;
    outside = true;
    reason = why;
    return true;
  });
  bool single = candidates.size() == 1 && !outside;
  bool cloned = !candidates.empty() && (single || isPointwise(op)) &&
                (isFree(op) || (!outside && pays(op, candidates, outside)));
  if (cloned) {
    for (int group : candidates)
      groups.add(op, group, groups.getMaps(op, group), /*isHome=*/false);
    if (!outside)
      return;
    groups.open(op);
    return;
  }
  if (!candidates.empty() && reason.empty())
    reason = outside ? "its result is needed in memory"
                     : "computing it again costs more than reading it from memory";
  if (host(op, candidates, outside) >= 0)
    return;
  if (!uses.groups.empty())
    explain(op, reason);
  groups.open(op);
}

/// Reshapes of values that are in memory anyway stay outside, so that kernels see simple indices.
void BlockFusion::dropOuterReshapes() {
  for (Operation &op : groups.block) {
    if (!isa<ReshapeOp>(op))
      continue;
    Operation *source = op.getOperand(0).getDefiningOp();
    SmallVector<int> members(groups.getGroups(&op));
    for (int group : members) {
      if (source && (groups[group].contains(source) || Groups::isSmallConstant(source)))
        continue;
      groups.remove(&op, group);
      groups.markView(&op);
    }
  }
}

/// Merges kernels that read the same array, then small ones of the same shape.
void BlockFusion::mergeSiblings() {
  auto mergeReaders = [&](Value value) {
    SmallVector<int> readers;
    for (Operation *user : value.getUsers())
      if (user->getBlock() == &groups.block && !groups.isView(user))
        for (int group : groups.getGroups(user))
          if (!llvm::is_contained(readers, group) &&
              !(value.getDefiningOp() && groups[group].contains(value.getDefiningOp())))
            readers.push_back(group);
    if (readers.size() < 2)
      return;
    // Only kernels that read each element once are merged; sharing a value per row is no reason.
    llvm::erase_if(readers, [&](int group) {
      return ShapedType::getNumElements(groups[group].space) != elementsOf(value.getType());
    });
    llvm::sort(readers);
    mergeAll(value.getDefiningOp(), readers);
  };
  for (BlockArgument argument : groups.block.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      mergeReaders(argument);
  for (Operation &op : groups.block)
    if (!Groups::isSmallConstant(&op))
      for (Value result : op.getResults())
        if (isa<RankedTensorType>(result.getType()))
          mergeReaders(result);

  std::map<std::vector<int64_t>, SmallVector<int>> recent;
  for (unsigned group = 0; group < groups.size(); ++group) {
    const Group &g = groups[group];
    if (g.members.empty() || !isTiny(costs, ShapedType::getNumElements(g.space)))
      continue;
    SmallVector<int> &others = recent[std::vector<int64_t>(g.space.begin(), g.space.end())];
    bool merged = false;
    for (int &other : others)
      if (groups.canMerge(other, group)) {
        other = groups.merge(other, group);
        merged = true;
        break;
      }
    if (merged)
      continue;
    if (others.size() == 4)
      others.erase(others.begin());
    others.push_back(group);
  }
}

void BlockFusion::run(bool alone) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(groups.block)))
    if (Groups::isFusable(&op)) {
      if (!alone)
        visit(&op);
      else if (isa<ReshapeOp>(op))
        groups.markView(&op);
      else
        groups.open(&op);
    }
  if (!alone)
    mergeSiblings();
  dropOuterReshapes();
  formKernels(groups);
}

/// Copies constants, iotas and broadcasts from outside into the block that uses them. Broadcasts of
/// arrays are copied only for elementwise users, which are sure to compute them in their own
/// kernel.
void sinkFreeOperations(Block &block) {
  DenseMap<Value, Value> copies;
  OpBuilder builder(block.getParentOp()->getContext());
  builder.setInsertionPointToStart(&block);
  std::function<Value(Value, bool)> sink = [&](Value value, bool elementwise) -> Value {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() == &block || op->getNumResults() != 1)
      return {};
    auto broadcast = dyn_cast<BroadcastOp>(op);
    if (broadcast && cast<ShapedType>(broadcast.getOperand().getType()).getRank() != 0 &&
        !(elementwise && isFree(op)))
      return {};
    if (auto entry = copies.find(value); entry != copies.end())
      return entry->second;
    if (broadcast) {
      Value operand = broadcast.getOperand();
      Value source = sink(operand, elementwise);
      IRMapping mapping;
      if (source)
        mapping.map(operand, source);
      return copies[value] = builder.clone(*op, mapping)->getResult(0);
    }
    if (!isa<IotaOp>(op) && !Groups::isSmallConstant(op))
      return {};
    return copies[value] = builder.clone(*op)->getResult(0);
  };
  SmallVector<OpOperand *> uses;
  for (Operation &op : block)
    if (Groups::isFusable(&op))
      for (OpOperand &operand : op.getOpOperands())
        uses.push_back(&operand);
  for (OpOperand *use : uses)
    if (Value copy = sink(use->get(), use->getOwner()->hasTrait<Elementwise>()))
      use->set(copy);
}

/// True for a splat that is too large for the object file, so that a kernel writes it if it must be
/// in memory.
bool isLargeSplat(Operation *op) {
  return Groups::isSmallConstant(op) && elementsOf(op->getResult(0).getType()) > 64;
}

/// Makes kernels for large splats that must be in memory.
void materializeSplats(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isLargeSplat(&op))
      continue;
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto isOutside = [&](OpOperand &use) {
      return use.getOwner()->getBlock() != &block || !Groups::isFusable(use.getOwner()) ||
             isa<DynamicUpdateSliceOp, ScatterOp, SortOp, TopkOp, ScanOp, ConvolutionOp, DotOp>(
                 use.getOwner());
    };
    if (llvm::none_of(op.getResult(0).getUses(), isOutside))
      continue;
    auto value = cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue());
    OpBuilder builder(&op);
    auto scalarType = RankedTensorType::get({}, type.getElementType());
    Value scalar =
        ConstantOp::create(builder, op.getLoc(), scalarType, value.resizeSplat(scalarType));
    Value splat = BroadcastOp::create(builder, op.getLoc(), type, scalar, ArrayRef<int64_t>());
    op.getResult(0).replaceUsesWithIf(splat, isOutside);
  }
}

/// Clones splats for each use as an operand of control flow: writing one takes no longer than a
/// copy, and no buffer has to stay live for the copy.
void separateSplats(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<scf::SCFDialect>(op.getDialect()))
      continue;
    for (OpOperand &use : op.getOpOperands()) {
      Operation *source = use.get().getDefiningOp();
      auto broadcast = dyn_cast_or_null<BroadcastOp>(source);
      bool isSplat =
          broadcast ? broadcast.getOperand().getType().getRank() == 0 : isLargeSplat(source);
      if (isSplat)
        use.set(OpBuilder(&op).clone(*source)->getResult(0));
    }
  }
}

/// Makes a tensor.empty of its own, at the place of use, for each use of one.
void separateEmpties(Block &block) {
  for (tensor::EmptyOp empty : llvm::to_vector(block.getOps<tensor::EmptyOp>()))
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*empty)->getResult(0));
    }
}

void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

struct Fuse : hloc::impl::FuseBase<Fuse> {
  using FuseBase::FuseBase;

  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    CostModel costs(*target);
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      if (block->getParentOp() != getOperation())
        sinkFreeOperations(*block);
      separateSplats(*block);
      materializeSplats(*block);
      separateEmpties(*block);
    }
    for (Block *block : llvm::reverse(blocks)) {
      eraseDead(*block);
      BlockFusion(*block, costs, remarks).run(alone);
    }
    getOperation()->walk([&](KernelOp) { ++kernels; });
  }
};

} // namespace
