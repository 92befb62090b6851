// SPDX-License-Identifier: Apache-2.0
// Index maps of fused operations.
#include "passes/kernels/FuseIndexMaps.h"
#include "compiler/hlo/Movement.h"
#include "compiler/target/VectorAccess.h"
#include "mlir/IR/Operation.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/Strategies.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;
using namespace hloc::fuse;

bool fuse::isMovement(Operation *op) {
  if (auto cast = dyn_cast<BitcastConvertOp>(op))
    return cast.getOperand().getType().getShape() == cast.getType().getShape();
  return isa<MovementInterface, DynamicSliceOp, GatherOp, IotaOp, ReshapeOp>(op);
}

bool fuse::isPointwise(Operation *op) {
  return op->hasTrait<Elementwise>() || isMovement(op) || isa<CopyOp, BitcastConvertOp>(op);
}

bool fuse::isOfPlaces(Value value, unsigned depth) {
  if (cast<ShapedType>(value.getType()).getRank() == 0)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  auto isToo = [&](Value operand) { return isOfPlaces(operand, depth - 1); };
  return isa<IotaOp>(op) ||
         (isa<BroadcastOp, CompareOp, AndOp, OrOp>(op) && llvm::all_of(op->getOperands(), isToo));
}

int64_t fuse::getRun(ReshapeOp reshape) {
  SmallVector<int64_t> from = withoutUnits(reshape.getOperand().getType().getShape());
  SmallVector<int64_t> to = withoutUnits(reshape.getType().getShape());
  int64_t run = kView;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    // The smallest groups of dimensions with equal numbers of elements.
    int64_t left = i < from.size() ? from[i++] : 1, right = j < to.size() ? to[j++] : 1;
    size_t firstLeft = i, firstRight = j;
    while (left != right)
      if (left < right && i < from.size())
        left *= from[i++];
      else if (right < left && j < to.size())
        right *= to[j++];
      else
        return 1; // one of the arrays is empty
    if (i > firstLeft)
      run = j > firstRight ? 1 : std::min(run, from[i - 1]);
  }
  return run;
}

int IndexMaps::getRoot(ArrayRef<int64_t> shape) {
  auto [entry, isNew] =
      roots.try_emplace(std::vector<int64_t>(shape.begin(), shape.end()), int(all.size()));
  if (isNew) {
    double count = 1;
    for (int64_t size : shape)
      count *= double(size);
    all.push_back({-1, count, false, false, kView, 1, kView});
  }
  return entry->second;
}

unsigned IndexMaps::SameMovement::getHashValue(const Operation *op) {
  return OperationEquivalence::computeHash(
      const_cast<Operation *>(op), OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
}

bool IndexMaps::SameMovement::isEqual(const Operation *a, const Operation *b) {
  if (a == b)
    return true;
  auto isSpecial = [](const Operation *op) {
    return op == getEmptyKey() || op == getTombstoneKey();
  };
  if (isSpecial(a) || isSpecial(b))
    return false;
  return OperationEquivalence::isEquivalentTo(
      const_cast<Operation *>(a), const_cast<Operation *>(b),
      [](Value x, Value y) { return success(x.getType() == y.getType()); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

int IndexMaps::getChild(int parent, Operation *op, unsigned operand, double count, bool strided,
                        bool hero, int64_t run, double shared, int64_t piece) {
  // What gathers and dynamic slices read is at positions that other operands determine.
  bool isKnown = isa<MovementInterface>(op) && !isa<PadOp>(op);
  if (isKnown || isa<ReshapeOp>(op) || (isa<GatherOp>(op) && operand == 1))
    op = *movements.insert(op).first;
  auto key = std::make_tuple(parent, op, operand);
  auto [entry, isNew] = children.try_emplace(key, int(all.size()));
  if (isNew) {
    const IndexMap &from = all[parent];
    all.push_back({parent, count, strided || from.strided, hero || from.underHero,
                   std::min(run, from.run), shared * from.shared, std::min(piece, from.piece)});
  }
  return entry->second;
}

double IndexMaps::countOf(ArrayRef<int> maps) const {
  double count = 0;
  for (int map : maps)
    count += all[map].count;
  return count;
}

/// The number of evaluations of a broadcast's operand: one serves all elements along trailing
/// dimensions along which it does not vary.
static double hoistedCount(BroadcastOp broadcast, double count) {
  ArrayRef<int64_t> shape = broadcast.getType().getShape();
  int64_t last = -1;
  for (const DimensionMap &map : getIndexMap(broadcast))
    if (shape[map.dimension] != 1)
      last = std::max(last, map.dimension);
  for (int64_t d = shape.size() - 1; d > last && count > 1; --d)
    count /= double(std::max<int64_t>(shape[d], 1));
  return std::max(count, 1.0);
}

/// Likewise for the indices of a gather, which serve all elements of a slice.
static double hoistedCount(GatherOp gather, double count) {
  ArrayRef<int64_t> shape = gather.getType().getShape();
  for (int64_t d = shape.size() - 1; d >= 0 && llvm::is_contained(gather.getOffsetDims(), d); --d)
    count /= double(std::max<int64_t>(shape[d], 1));
  return std::max(count, 1.0);
}

/// True if single elements are concatenated to a short minor dimension, as colours or coordinates
/// are. Kernels compute these elements together, with a lane for each position of the dimension
/// before.
static bool isStackedInMinor(ConcatenateOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t rank = shape.size(), minor = rank - 1;
  Type element = op.getType().getElementType();
  return rank > 1 && int64_t(op.getDimension()) == minor && shape[minor] == op->getNumOperands() &&
         shape[minor] <= kMostStacked && shape[minor - 1] >= 64 && !isa<ComplexType>(element) &&
         elementBytes(op.getType()) >= 1;
}

void IndexMaps::appendHeroMaps(OpOperand &operand, int parent, Maps &result) {
  Operation *op = operand.getOwner();
  double count = elementsOf(operand.get().getType());
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (operand.getOperandNumber() < reduce.getCount())
      result.push_back(getRoot(operand.get().getType()));
    else
      result.push_back(getChild(parent, op, operand.getOperandNumber(), 1, false, false));
    return;
  }
  if (isa<DynamicUpdateSliceOp>(op) && operand.getOperandNumber() < 2) {
    result.push_back(getRoot(operand.get().getType()));
    return;
  }
  if (auto dot = dyn_cast<DotOp>(op))
    count *= countOperandReads(dot, operand.getOperandNumber());
  else if (auto window = dyn_cast<ReduceWindowOp>(op)) {
    double size = 1;
    for (int64_t s : window.getWindow().getSizes())
      size *= double(s);
    count = elementsOf(op->getResult(0).getType()) * size;
  } else if (isa<ConvolutionOp>(op)) {
    count *= 16;
  }
  result.push_back(getChild(parent, op, operand.getOperandNumber(), count, false, true));
}

void IndexMaps::appendOperandMaps(OpOperand &operand, ArrayRef<int> maps, Maps &result) {
  Operation *op = operand.getOwner();
  auto add = [&](int map) {
    if (!llvm::is_contained(result, map))
      result.push_back(map);
  };
  auto type = cast<ShapedType>(operand.get().getType());
  if (!isPointwise(op)) {
    Maps heroMaps;
    appendHeroMaps(operand, maps.empty() ? getRoot(op->getResult(0).getType()) : maps.front(),
                   heroMaps);
    llvm::for_each(heroMaps, add);
    return;
  }
  auto resultShape = cast<ShapedType>(op->getResult(0).getType()).getShape();
  bool sameIndex = !isMovement(op) || isa<BitcastConvertOp>(op);
  if (sameIndex && type.getShape() == resultShape) {
    llvm::for_each(maps, add);
    return;
  }
  for (int map : maps) {
    double count = all[map].count, shared = 1;
    bool strided = false;
    int64_t run = kView, piece = kView;
    unsigned number = operand.getOperandNumber();
    if (type.getRank() == 0)
      count = 1;
    else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      count = hoistedCount(broadcast, count);
      shared = all[map].count / count;
    } else if (auto transpose = dyn_cast<TransposeOp>(op))
      strided = type.getRank() > 0 && getIndexMap(transpose).back().dimension != type.getRank() - 1;
    else if (auto gather = dyn_cast<GatherOp>(op); gather && operand.getOperandNumber() == 1)
      count = hoistedCount(gather, count);
    else if (gather)
      strided = !llvm::is_contained(gather.getOffsetDims(), int64_t(resultShape.size()) - 1);
    else if (auto reshape = dyn_cast<ReshapeOp>(op))
      run = all[map].underHero ? getRun(reshape) : kView;
    else if (auto concatenate = dyn_cast<ConcatenateOp>(op); concatenate && all[map].parent < 0) {
      count = elementsOf(type); // there is a loop for each operand
      if (isStackedInMinor(concatenate))
        number = 0; // all operands are evaluated at the same index
      else if (int64_t(concatenate.getDimension()) == type.getRank() - 1)
        piece = type.getShape().back();
    }
    add(getChild(map, op, number, count, strided, false, run, shared, piece));
  }
}
