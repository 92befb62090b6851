// SPDX-License-Identifier: Apache-2.0
// Which operations can be computed in which kernels.
#include "compiler/hlo/Movement.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseGroups.h"
#include "passes/simplify/SliceWindow.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;
using namespace hloc::fuse;

namespace {

constexpr unsigned maxMembers = 250, maxEmission = 800;

ArrayRef<int64_t> shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

/// True if the elements of an array share bytes.
bool isPacked(Type type) { return elementBytes(type) < 1; }

bool sameDimensions(ReduceOp reduce, ArrayRef<int64_t> dimensions) {
  SmallVector<int64_t> own(reduce.getDimensions());
  llvm::sort(own);
  return ArrayRef(own) == dimensions;
}

/// Follows the values that depend on a reduction inside a kernel. Each must have one element per
/// row, that is, per kept element of the reduction (apart from unit dimensions), or one per element
/// of the iteration space.
class RowValues {
public:
  RowValues(const Group &group, ReduceOp reduce, const Groups &groups)
      : group(group), groups(groups), space(shapeOf(reduce.getInputs()[0])) {
    dimensions.assign(reduce.getDimensions().begin(), reduce.getDimensions().end());
    llvm::sort(dimensions);
    for (int64_t d = 0; d < int64_t(space.size()); ++d)
      if (!llvm::is_contained(dimensions, d))
        kept.push_back(space[d] == 1 ? -1 : d);
    origin[reduce] = kept;
  }

  Reason follow(ReduceOp reduce);

  /// True if some value that depends on the reduction has more than one element per row, so that
  /// the row is read again.
  bool readsRowAgain = false;

private:
  Reason visit(Operation *op);
  Reason visitReshape(ReshapeOp op);
  Reason visitBroadcast(BroadcastOp op);

  SmallVector<int64_t> identity() const {
    SmallVector<int64_t> result;
    for (auto [d, size] : llvm::enumerate(space))
      result.push_back(size == 1 ? -1 : int64_t(d));
    return result;
  }
  ArrayRef<int64_t> originOf(Value value) { return origin.find(value.getDefiningOp())->second; }
  bool depends(Value value) { return origin.contains(value.getDefiningOp()); }

  const Group &group;
  const Groups &groups;
  ArrayRef<int64_t> space;
  SmallVector<int64_t> dimensions, kept;
  /// For each dimension of a value that depends on the reduction, the dimension of the iteration
  /// space that it corresponds to; -1 for dimensions of size 1.
  DenseMap<Operation *, SmallVector<int64_t>> origin;
};

Reason RowValues::visitReshape(ReshapeOp op) {
  ArrayRef<int64_t> from = originOf(op.getOperand());
  SmallVector<int64_t> result;
  unsigned next = 0;
  for (int64_t size : op.getType().getShape()) {
    if (size == 1) {
      result.push_back(-1);
      continue;
    }
    while (next < from.size() && from[next] < 0)
      ++next;
    if (next == from.size() || space[from[next]] != size)
      return "a reshape of a value per row";
    result.push_back(from[next++]);
  }
  origin[op] = result;
  return {};
}

Reason RowValues::visitBroadcast(BroadcastOp op) {
  ArrayRef<int64_t> from = originOf(op.getOperand()), shape = op.getType().getShape();
  if (elementsOf(op.getType()) == elementsOf(op.getOperand().getType())) {
    SmallVector<int64_t> result(shape.size(), -1);
    for (auto [d, mapped] : llvm::zip(from, op.getDimensions()))
      result[mapped] = d;
    origin[op] = result;
    return {};
  }
  bool fits = shape == space;
  for (auto [d, mapped] : llvm::zip(from, op.getDimensions()))
    fits = fits && (d < 0 || d == mapped);
  if (!fits)
    return "a value per row is broadcast to another shape";
  origin[op] = identity();
  readsRowAgain = true;
  return {};
}

Reason RowValues::visit(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return visitReshape(reshape);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return visitBroadcast(broadcast);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (!sameDimensions(reduce, dimensions) || shapeOf(reduce.getInputs()[0]) != space)
      return "two reductions over different dimensions";
    for (Value init : reduce.getInitialValues())
      if (depends(init))
        return "the initial value is a reduction";
    for (Value input : reduce.getInputs())
      if (depends(input) && originOf(input) != ArrayRef(identity()))
        return "two reductions of different shapes";
    origin[op] = kept;
    readsRowAgain = true;
    return {};
  }
  bool keepsPlaces = op->hasTrait<Elementwise>() || isa<CopyOp>(op) ||
                     (isa<BitcastConvertOp>(op) && isMovement(op));
  if (!keepsPlaces)
    return "the elements of a value per row are moved";
  std::optional<SmallVector<int64_t>> result;
  for (Value operand : op->getOperands()) {
    if (!depends(operand))
      continue;
    SmallVector<int64_t> from(originOf(operand));
    if (from.size() != shapeOf(op->getResult(0)).size()) { // a scalar is used for all elements
      if (shapeOf(op->getResult(0)) != space)
        return "a value per row is broadcast to another shape";
      from = identity();
      readsRowAgain = true;
    }
    if (result && *result != from)
      return "values per row of different shapes";
    result = from;
  }
  origin[op] = *result;
  return {};
}

Reason RowValues::follow(ReduceOp reduce) {
  // In block order, so that operands are visited before their users.
  std::map<int, Operation *> work;
  auto push = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (group.contains(user))
        work[groups.getPosition(user)] = user;
  };
  push(reduce);
  while (!work.empty()) {
    Operation *op = work.begin()->second;
    work.erase(work.begin());
    if (Reason reason = visit(op); !reason.empty())
      return reason;
    push(op);
  }
  return {};
}

} // namespace

bool Groups::writesPacked(int index) {
  return llvm::any_of(groups[index].members, [&](const auto &member) {
    return getHome(member.first) == index && isPacked(member.first->getResult(0).getType());
  });
}

Reason Groups::canAddReduce(ReduceOp reduce, int index) {
  const Group &group = groups[index];
  ArrayRef<int64_t> space = shapeOf(reduce.getInputs()[0]);
  if (writesPacked(index))
    return "the user's results share bytes";
  if (group.kind == KernelKind::Reduce) {
    if (ArrayRef(group.space) != space || !sameDimensions(reduce, group.dimensions))
      return "two reductions of different shapes";
  } else if (group.kind != KernelKind::Loop || group.hero) {
    return "the user's kernel cannot reduce";
  }
  RowValues rows(group, reduce, *this);
  if (Reason reason = rows.follow(reduce); !reason.empty())
    return reason;
  if (group.kind == KernelKind::Loop && ArrayRef(group.space) != space &&
      elementsOf(reduce.getResult(0).getType()) != double(ShapedType::getNumElements(group.space)))
    return "the user has another shape";
  if (!rows.readsRowAgain)
    return {};
  double row = 1;
  for (int64_t d : reduce.getDimensions())
    row *= double(space[d]);
  bool columns = !llvm::is_contained(reduce.getDimensions(), int64_t(space.size()) - 1);
  if (columns)
    row *= double(std::min<int64_t>(space.back(), 16));
  // The stages of the kernel read the row again, so it must stay in the cache together with one or
  // two other arrays.
  if (row * elementBytes(reduce.getInputs()[0].getType()) > double(costs.getRowBytes()))
    return "a row does not fit into the cache";
  return {};
}

/// Why the group does not evaluate `op` at the index of the result; empty if it does. If an update
/// writes the result, dimensions of size one may be added or dropped.
static Reason movesElements(Operation *op, const Group &group) {
  DynamicUpdateSliceOp update = group.update;
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  SmallVector<Operation *> work{op};
  DenseSet<Operation *> seen;
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val()->getUses()) {
      Operation *user = use.getOwner();
      if (!group.contains(user))
        continue;
      if (user == update) {
        if (use.getOperandNumber() != update.getUpdateMutable().getOperandNumber())
          return "it is an index of the update";
        continue;
      }
      if (!seen.insert(user).second)
        continue;
      ArrayRef<int64_t> userShape = shapeOf(user->getResult(0));
      bool isInPlace = user->hasTrait<Elementwise>() || isa<CopyOp>(user);
      if (update ? !(isInPlace || isa<ReshapeOp>(user)) ||
                       withoutUnits(userShape) != withoutUnits(shape)
                 : !isInPlace || userShape != shape)
        return "its elements are moved";
      work.push_back(user);
    }
  return {};
}

Reason Groups::canAddHero(Operation *op, int index) {
  const Group &group = groups[index];
  if (!isa<DotOp, ConvolutionOp, ReduceWindowOp>(op))
    return "the operation is always a separate kernel";
  // A dot can also be written into a slice of an array, in place.
  bool isUpdate = group.kind == KernelKind::Update && isa<DotOp>(op);
  if (!isUpdate && (group.kind != KernelKind::Loop || group.hero))
    return "the user's kernel is built around another operation";
  if (writesPacked(index))
    return "the user's results share bytes";
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  DynamicUpdateSliceOp update = group.update;
  if (update ? withoutUnits(shapeOf(update.getUpdate())) != withoutUnits(shape)
             : ArrayRef(group.space) != shape)
    return "the user has another shape";
  if (update && llvm::is_contained(op->getOperands(), update.getOperand()))
    return "it reads the buffer that is updated in place";
  return movesElements(op, group);
}

/// True if `op` is part of a mask, or is a select by a mask.
static bool isMask(Operation *op) {
  if (auto select = dyn_cast<SelectOp>(op))
    return isOfPlaces(select.getPred()) && isOfPlaces(select.getOnFalse());
  return isOfPlaces(op->getResult(0));
}

/// True if a sort may compute `op` when it reads an operand: it does so for the key, and again, in
/// another order, for what it writes. Both must have the same bits, so `op` must not round.
static bool canSortCompute(Operation *op) {
  if (isa<IotaOp, NegateOp, AbsOp, SelectOp, CompareOp, CopyOp>(op))
    return true;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.getOperand().getType().getRank() < broadcast.getType().getRank();
  return op->hasTrait<Elementwise>() && llvm::all_of(op->getOperandTypes(), [](Type type) {
           return getElementTypeOrSelf(type).isInteger();
         });
}

/// True if `op` reads elements of the buffer of `update` other than those that `update` writes.
static bool readsElsewhere(Operation *op, DynamicUpdateSliceOp update) {
  if (!llvm::is_contained(op->getOperands(), update.getOperand()))
    return false;
  if (auto slice = dyn_cast<DynamicSliceOp>(op);
      slice && slice.getStartIndices() == update.getStartIndices())
    return slice.getType() != update.getUpdate().getType();
  std::optional<SliceWindow> read = getSliceWindow(op);
  return !read || read != getSliceWindow(arrayType(update.getOperand()), update.getStartIndices(),
                                         arrayType(update.getUpdate()).getShape());
}

/// True if several of the operations from which `op` is computed read the buffer of `update`, each
/// elsewhere, as in a stencil. Each of them would have to be a kernel of its own; if `op` is one
/// instead, they are all part of it.
static bool isStencil(Operation *op, DynamicUpdateSliceOp update) {
  constexpr size_t kMostOperations = 64;
  llvm::SmallSetVector<Operation *, 16> computed;
  computed.insert(op);
  int64_t readers = 0;
  for (size_t i = 0; i < computed.size() && computed.size() < kMostOperations; ++i) {
    readers += readsElsewhere(computed[i], update);
    for (Value operand : computed[i]->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && source->getBlock() == op->getBlock() && isPointwise(source))
        computed.insert(source);
  }
  return readers > 1;
}

Reason Groups::canAddPointwise(Operation *op, int index, const Maps &opMaps) {
  const Group &group = groups[index];
  if (isa<BitcastConvertOp>(op) && !isMovement(op))
    return "it changes the width of elements";
  if (opMaps.size() > (costs.isExpensive(op) ? 4u : isMovement(op) ? 16u : 8u))
    return "it would be computed at too many indices";
  if (group.members.size() == 1 && isa<BitcastConvertOp>(group.members.begin()->first) &&
      !isMovement(group.members.begin()->first))
    return "the user changes the width of elements";
  if (Operation *hero = group.hero) {
    for (OpOperand &use : op->getUses()) {
      if (use.getOwner() != hero)
        continue;
      if (!isa<DotOp, ConvolutionOp, ReduceWindowOp, ScatterOp, DynamicUpdateSliceOp, SortOp>(hero))
        return "the user needs its operand in memory";
      if (auto scatter = dyn_cast<ScatterOp>(hero);
          scatter && use.getOperandNumber() < scatter.getCount())
        return "it is updated in place";
    }
    if (auto scatter = dyn_cast<ScatterOp>(hero))
      for (Value operand : op->getOperands())
        if (llvm::is_contained(scatter.getOperandArrays(), operand))
          return "it reads the buffer that is updated in place";
    if (DynamicUpdateSliceOp update = group.update) {
      if (llvm::any_of(op->getResults(),
                       [&](Value result) { return result == update.getOperand(); }))
        return "it is updated in place";
      // The updated buffer may be read only at the elements that are written.
      if (llvm::is_contained(op->getOperands(), update.getOperand()) &&
          (readsElsewhere(op, update) || opMaps.size() != 1 || maps[opMaps.front()].parent >= 0))
        return "it reads the buffer that is updated in place";
      bool isWritten = llvm::all_of(op->getUsers(), [&](Operation *user) {
        return user == update.getOperation() || isa<ReshapeOp>(user);
      });
      if (isWritten && isStencil(op, update))
        return "several of its operands read the buffer that is updated in place";
    }
  }
  bool underHero = llvm::any_of(opMaps, [&](int map) { return maps[map].underHero; });
  if (!underHero)
    return {};
  // A dot still loads whole vectors behind a reshape if that joins dimensions whose minor one is at
  // least a vector long.
  int64_t run = group.kind == KernelKind::Dot ? costs.getLanes(/*bits=*/32) : kView;
  if (llvm::any_of(opMaps, [&](int map) { return maps[map].run < run; }))
    return "a dot's operand must be a view of an array in memory";
  bool readOnce = maps.countOf(opMaps) <= elementsOf(op->getResult(0).getType());
  if (group.kind == KernelKind::Scatter && isa<GatherOp>(op) && readOnce)
    return {}; // moved from memory directly to memory
  if (costs.isExpensive(op))
    return "it is too expensive to compute for each use of an operand";
  if (group.kind == KernelKind::Sort)
    return canSortCompute(op) ? "" : "a sort computes its operands twice";
  if (group.kind == KernelKind::Dot) {
    bool isView = isa<ConvertOp, TransposeOp, SliceOp, DynamicSliceOp, ReshapeOp, BroadcastOp>(op);
    if (!isView && !isMask(op) && !(op->hasTrait<Elementwise>() && readOnce))
      return "a dot's operand must be a view of an array in memory";
  } else if (group.kind == KernelKind::Convolution) {
    if (!isa<ConvertOp, ReshapeOp>(op))
      return "a convolution's operand must be in memory";
  } else if (isa<GatherOp, ConcatenateOp>(op)) {
    return "it is too expensive to compute for each use of an operand";
  }
  return {};
}

Reason Groups::canAdd(Operation *op, int index, const Maps &opMaps) {
  const Group &group = groups[index];
  if (group.members.size() >= maxMembers || group.emission + opMaps.size() > maxEmission)
    return "the kernel is large enough";
  if (!isPointwise(op) && info.lookup(op).wait < getWait(index))
    return "it can run while the kernel waits for a collective";
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return canAddReduce(reduce, index);
  if (!isPointwise(op))
    return canAddHero(op, index);
  return canAddPointwise(op, index, opMaps);
}

bool Groups::canOutput(Operation *op, int index, const Maps &opMaps) {
  const Group &group = groups[index];
  if (group.update || group.kind == KernelKind::Scatter || group.kind == KernelKind::Sort ||
      group.kind == KernelKind::Scan)
    return false;
  if (isa<ReduceOp>(op))
    return true;
  if (group.kind != KernelKind::Loop && isPacked(op->getResult(0).getType()))
    return false;
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (!llvm::is_contained(opMaps, maps.getRoot(shape)))
    return false;
  if (shape == ArrayRef(group.space))
    return true;
  if (group.kind != KernelKind::Reduce)
    return false;
  SmallVector<int64_t> kept;
  for (auto [d, size] : llvm::enumerate(group.space))
    if (!llvm::is_contained(group.dimensions, int64_t(d)))
      kept.push_back(size);
  return withoutUnits(kept) == withoutUnits(shape);
}
