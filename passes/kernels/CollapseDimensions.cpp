// SPDX-License-Identifier: Apache-2.0
// Joins adjacent dimensions of a kernel wherever no operation distinguishes them. Test:
// test/passes/kernels/collapse-dimensions.mlir.
//
// Seam i of a value is the boundary between its dimensions i and i + 1. Each operation declares
// which seams of its operands and results can only be removed together, and which must be kept. All
// seams that are not tied to a kept one are removed.
#include "compiler/hlo/Movement.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_COLLAPSEDIMENSIONS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// Where parts of a dimension come from different operands (concatenate, pad), it is joined with
/// the inner dimensions only if these have at most kShortRow elements: with longer rows it is
/// faster to choose the operand once per row. Nor is it joined in arrays of at most kFewElements
/// elements, which need no loop.
constexpr int64_t kShortRow = 32, kFewElements = 64;

/// The seams of all values of a kernel, in classes that are removed or kept together.
class DimensionGroups {
public:
  explicit DimensionGroups(Block &body) {
    for (Value argument : body.getArguments())
      number(argument);
    for (Operation &op : body)
      for (Value result : op.getResults())
        number(result);
    classes.grow(count);
  }

  void keep(Value value, int64_t seam) { classes.join(kKept, find(value, seam)); }
  void keepAll(Value value) {
    for (int64_t i = 0; i + 1 < arrayType(value).getRank(); ++i)
      keep(value, i);
  }
  void link(Value a, int64_t i, Value b, int64_t j) { classes.join(find(a, i), find(b, j)); }
  /// Links all seams of two arrays of one shape.
  void linkAll(Value a, Value b) {
    for (int64_t i = 0; i + 1 < arrayType(a).getRank(); ++i)
      link(a, i, b, i);
  }
  void linkReshaped(Value a, Value b);
  /// If seam i of `a` is kept, seam j of `b` is kept, too.
  void keepWith(Value a, int64_t i, Value b, int64_t j) {
    implications.push_back({find(a, i), find(b, j)});
  }
  /// Applies what `keepWith` has recorded, after all other constraints.
  void settle() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (auto [cause, seam] : implications)
        if (classes.findLeader(cause) == kKept && classes.findLeader(seam) != kKept) {
          classes.join(kKept, seam);
          isChanged = true;
        }
    }
  }

  bool isKept(Value value, int64_t seam) const {
    return classes.findLeader(find(value, seam)) == kKept;
  }

private:
  static constexpr unsigned kKept = 0;

  void number(Value value) {
    first[value] = count;
    count += std::max<int64_t>(0, arrayType(value).getRank() - 1);
  }
  unsigned find(Value value, int64_t seam) const { return first.lookup(value) + seam; }

  llvm::IntEqClasses classes;
  SmallVector<std::pair<unsigned, unsigned>> implications;
  DenseMap<Value, unsigned> first;
  unsigned count = 1;
};

/// Links the seams of two shapes with equally many elements before them. Without that, indices of
/// one shape would have to be divided to get indices of the other.
void DimensionGroups::linkReshaped(Value a, Value b) {
  ArrayRef<int64_t> from = arrayType(a).getShape(), to = arrayType(b).getShape();
  int64_t before = 1;
  for (int64_t i = 0; i + 1 < int64_t(from.size()); ++i) {
    before *= from[i];
    int64_t other = 1;
    for (int64_t j = 0; j + 1 < int64_t(to.size()); ++j)
      if ((other *= to[j]) == before)
        link(a, i, b, j);
  }
}

//===-- Constraints of the operations --------------------------------------------------------===//

/// True if a dimension whose parts come from different operands is joined with the inner ones.
bool joinsRows(ArrayRef<int64_t> shape, int64_t dimension) {
  return product(shape.drop_front(dimension + 1)) <= kShortRow && product(shape) > kFewElements;
}

/// True if dimensions d and d + 1 of an operand of data movement, which are adjacent in the result
/// too, can be joined.
bool joins(MovementInterface op, Value operand, const IndexMap &map, int64_t d) {
  ArrayRef<int64_t> from = arrayType(operand).getShape(),
                    shape = arrayType(op->getResult(0)).getShape();
  const DimensionMap &outer = map[d], &inner = map[d + 1];
  if (outer.stride < 0 && inner.stride < 0)
    return true;
  auto isAll = [&](int64_t i) {
    return map[i].stride > 0 && map[i].offset == 0 && map[i].divisor == 1 &&
           from[i] == shape[map[i].dimension];
  };
  bool isOnlySource = op->getNumOperands() == 1;
  return isAll(d + 1) && outer.stride == 1 && outer.divisor == 1 &&
         (isAll(d) || isOnlySource || joinsRows(shape, outer.dimension));
}

void constrainMovement(MovementInterface op, unsigned number, DimensionGroups &seams) {
  Value operand = op->getOperand(number), result = op->getResult(0);
  IndexMap map = getIndexMap(op, number);
  ArrayRef<int64_t> shape = arrayType(result).getShape();
  SmallVector<int64_t> source(shape.size(), -1);
  for (auto [from, to] : llvm::enumerate(map))
    source[to.dimension] = from;
  // A new dimension of size one is joined with the dimension before it, or else with the next one.
  auto isNothing = [&](int64_t d) { return source[d] < 0 && shape[d] == 1; };
  for (int64_t i = 0; i + 1 < int64_t(shape.size()); ++i) {
    int64_t left = i;
    while (left >= 0 && isNothing(left))
      --left;
    if (left < 0 || isNothing(i + 1))
      continue;
    int64_t x = source[left], y = source[i + 1];
    bool areNeighbours = x >= 0 && y == x + 1;
    if (areNeighbours) {
      seams.link(operand, x, result, i);
      for (int64_t seam = left; seam < i; ++seam)
        seams.keepWith(result, seam, operand, x);
    }
    if (areNeighbours ? !joins(op, operand, map, x) : x >= 0 || y >= 0)
      seams.keep(result, i);
  }
  for (int64_t i = 0; i + 1 < int64_t(map.size()); ++i) {
    int64_t first = map[i].dimension, next = map[i + 1].dimension;
    if (next < first)
      seams.keep(operand, i);
    for (int64_t d = first + 1; d < next; ++d)
      if (!isNothing(d))
        seams.keep(operand, i);
  }
}

/// Constrains `part`, which is a slice of `whole` at offsets that are only known at run time.
void constrainDynamic(Value whole, Value part, ValueRange starts, DimensionGroups &seams) {
  ArrayRef<int64_t> from = arrayType(whole).getShape(), to = arrayType(part).getShape();
  seams.linkAll(whole, part);
  for (int64_t i = 0; i + 1 < int64_t(from.size()); ++i)
    if (starts.size() != from.size() || from[i] != to[i] || from[i + 1] != to[i + 1])
      seams.keep(whole, i);
}

void constrainReduce(ReduceOp op, DimensionGroups &seams) {
  Value first = op.getInputs()[0];
  auto isReduced = [&](int64_t d) { return llvm::is_contained(op.getDimensions(), d); };
  int64_t lastKept = -1,
          place = -1; // the last kept dimension, and its place in the result
  for (int64_t d = 0; d < arrayType(first).getRank(); ++d) {
    if (d > 0 && isReduced(d) != isReduced(d - 1))
      seams.keep(first, d - 1);
    if (isReduced(d))
      continue;
    if (lastKept >= 0 && lastKept == d - 1)
      seams.link(op.getResult(0), place, first, d - 1);
    else if (lastKept >= 0)
      seams.keep(op.getResult(0), place);
    lastKept = d;
    ++place;
  }
  for (Value input : op.getInputs())
    seams.linkAll(input, first);
  for (Value result : op.getResults())
    seams.linkAll(result, op.getResult(0));
}

/// Joins dimensions of the indices that are adjacent in the result, too.
void constrainGather(GatherOp op, DimensionGroups &seams) {
  seams.keepAll(op.getOperand());
  Value indices = op.getStartIndices(), result = op.getResult();
  auto isApart = [&](int64_t d) {
    return d < 0 || d == int64_t(op.getIndexVectorDim()) ||
           llvm::is_contained(op.getStartIndicesBatchingDims(), d);
  };
  // For each dimension of the result, the one of the indices; -1 for dimensions of a slice.
  SmallVector<int64_t> source;
  for (int64_t d = 0, next = 0; d < arrayType(result).getRank(); ++d) {
    if (llvm::is_contained(op.getOffsetDims(), d)) {
      source.push_back(-1);
      continue;
    }
    next += next == int64_t(op.getIndexVectorDim());
    source.push_back(next++);
  }
  for (int64_t i = 0; i + 1 < int64_t(source.size()); ++i) {
    int64_t x = source[i], y = source[i + 1];
    if (isApart(x) || isApart(y) || y != x + 1)
      seams.keep(result, i);
    else
      seams.link(indices, x, result, i);
  }
  for (int64_t d = 0; d + 1 < arrayType(indices).getRank(); ++d) {
    int64_t place = llvm::find(source, d) - source.begin();
    if (isApart(d) || isApart(d + 1) || place + 1 >= int64_t(source.size()) ||
        source[place + 1] != d + 1)
      seams.keep(indices, d);
  }
}

void constrain(Operation *op, DimensionGroups &seams) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ConstantOp constant) {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          seams.keepAll(constant);
      })
      .Case([&](IotaOp iota) {
        int64_t d = iota.getIotaDimension(), last = iota.getType().getRank() - 1;
        if (d > 0)
          seams.keep(iota, d - 1);
        if (d < last)
          seams.keep(iota, d);
      })
      .Case([&](MovementInterface movement) {
        for (unsigned operand = 0; operand < movement->getNumOperands(); ++operand)
          constrainMovement(movement, operand, seams);
      })
      .Case([&](DynamicSliceOp slice) {
        constrainDynamic(slice.getOperand(), slice, slice.getStartIndices(), seams);
      })
      .Case([&](DynamicUpdateSliceOp update) {
        constrainDynamic(update.getOperand(), update.getUpdate(), update.getStartIndices(), seams);
        seams.linkAll(update.getOperand(), update);
      })
      .Case([&](ReduceOp reduce) { constrainReduce(reduce, seams); })
      .Case([&](GatherOp gather) { constrainGather(gather, seams); })
      .Case([&](ReshapeOp reshape) { seams.linkReshaped(reshape.getOperand(), reshape); })
      .Case([&](ReturnOp) {})
      .Default([&](Operation *other) {
        bool isElementwise = other->hasTrait<Elementwise>() || isa<CopyOp, BitcastConvertOp>(other);
        Value result = other->getResult(0);
        for (Value array : llvm::concat<Value>(other->getOperands(), other->getResults()))
          if (isElementwise && arrayType(array).getShape() == arrayType(result).getShape())
            seams.linkAll(array, result);
          else
            seams.keepAll(array);
        if (isa<BitcastConvertOp>(other) &&
            arrayType(other->getOperand(0)).getShape() != arrayType(result).getShape())
          seams.keepAll(result); // the parts of elements form a dimension
      });
}

/// Constrains the values that share loops: all results, and everything that is reduced together.
void constrainLoops(Block &body, DimensionGroups &seams) {
  SmallVector<Value> walked(body.getTerminator()->getOperands());
  for (auto reduce : body.getOps<ReduceOp>()) {
    walked.push_back(reduce.getInputs()[0]);
    walked.push_back(reduce.getResult(0));
  }
  for (auto [i, value] : llvm::enumerate(walked))
    for (Value other : ArrayRef(walked).take_front(i))
      if (arrayType(value).getNumElements() == arrayType(other).getNumElements())
        seams.linkReshaped(value, other);
}

/// Takes dimensions of one element out of a transpose: other dimensions that are adjacent in its
/// operand and in its result can be joined across them.
void dropUnits(TransposeOp op) {
  RankedTensorType from = arrayType(op.getOperand()), to = arrayType(op);
  SmallVector<int64_t> places, order; // of the other dimensions; how they are transposed
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (from.getDimSize(d) != 1)
      places.push_back(d);
  if (places.size() == size_t(from.getRank()))
    return;
  for (int64_t d : op.getDimensions())
    if (from.getDimSize(d) != 1)
      order.push_back(llvm::find(places, d) - places.begin());
  SmallVector<int64_t> shape =
      llvm::map_to_vector(places, [&](int64_t d) { return from.getDimSize(d); });
  OpBuilder builder(op);
  Build build(builder, op.getLoc());
  Value result = build.transpose(build.reshape(op.getOperand(), shape), order);
  op.replaceAllUsesWith(build.reshape(result, to.getShape()));
  op.erase();
}

//===-- Rewriting the operations --------------------------------------------------------------===//

/// How the dimensions of a value are joined.
struct Joined {
  SmallVector<int64_t> shape;
  /// The first of each group of joined dimensions.
  SmallVector<int64_t> firsts;

  /// The group that dimension `d` becomes a part of.
  int64_t find(int64_t d) const { return llvm::upper_bound(firsts, d) - firsts.begin() - 1; }
  /// The number of elements by which the joined index of `group` advances per step of its first
  /// dimension.
  int64_t getStep(size_t group) const {
    size_t end = group + 1 < firsts.size() ? firsts[group + 1] : shape.size();
    return product(ArrayRef(shape).slice(firsts[group] + 1, end - firsts[group] - 1));
  }
  SmallVector<int64_t> getShape() const {
    SmallVector<int64_t> result;
    for (auto [group, first] : llvm::enumerate(firsts))
      result.push_back(shape[first] * getStep(group));
    return result;
  }
  /// Of a list with one entry per dimension, the entries of the first dimensions.
  template <typename Range> auto pick(Range &&entries) const {
    return llvm::map_to_vector(firsts, [&](int64_t first) { return entries[first]; });
  }
  /// Likewise for numbers of indices, which are scaled to the joined dimensions.
  SmallVector<int64_t> scale(ArrayRef<int64_t> counts) const {
    SmallVector<int64_t> result = pick(counts);
    for (auto [group, count] : llvm::enumerate(result))
      count *= getStep(group);
    return result;
  }
  SmallVector<int64_t> findAll(ArrayRef<int64_t> dimensions) const {
    SmallVector<int64_t> result;
    for (int64_t d : dimensions)
      if (llvm::is_contained(firsts, d))
        result.push_back(find(d));
    return result;
  }
};

class KernelCollapse {
public:
  KernelCollapse(Block &body, const DimensionGroups &seams) : body(body) {
    for (Value argument : body.getArguments())
      plan(argument, seams);
    for (Operation &op : body)
      for (Value result : op.getResults())
        plan(result, seams);
  }

  /// Returns true if the kernel changed.
  bool run() {
    if (!isUseful)
      return false;
    for (Operation &op : llvm::make_early_inc_range(body))
      rewrite(&op);
    for (auto &[value, joined] : all)
      value.setType(arrayType(value).clone(joined.getShape()));
    for (auto reshape : llvm::make_early_inc_range(body.getOps<ReshapeOp>()))
      if (reshape.getOperand().getType() == reshape.getType()) {
        reshape.replaceAllUsesWith(reshape.getOperand());
        reshape.erase();
      }
    return true;
  }

private:
  void plan(Value value, const DimensionGroups &seams) {
    Joined joined;
    joined.shape.assign(arrayType(value).getShape().begin(), arrayType(value).getShape().end());
    for (int64_t d = 0; d < int64_t(joined.shape.size()); ++d)
      if (d == 0 || seams.isKept(value, d - 1))
        joined.firsts.push_back(d);
    isUseful |= joined.firsts.size() < joined.shape.size();
    all.insert({value, joined});
  }
  const Joined &of(Value value) { return all.find(value)->second; }

  /// Updates the operation's attributes and start indices; types are updated later.
  void rewrite(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ConstantOp constant) {
          if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
            constant.setValueAttr(
                splat.resizeSplat(arrayType(constant).clone(of(constant).getShape())));
        })
        .Case([&](IotaOp iota) { iota.setIotaDimension(of(iota).find(iota.getIotaDimension())); })
        .Case([&](BroadcastOp broadcast) {
          SmallVector<int64_t> dimensions =
              of(broadcast.getOperand()).pick(broadcast.getDimensions());
          for (int64_t &d : dimensions)
            d = of(broadcast).find(d);
          broadcast.setDimensions(dimensions);
        })
        .Case([&](TransposeOp transpose) {
          SmallVector<int64_t> dimensions = of(transpose).pick(transpose.getDimensions());
          for (int64_t &d : dimensions)
            d = of(transpose.getOperand()).find(d);
          transpose.setDimensions(dimensions);
        })
        .Case([&](ReverseOp reverse) {
          reverse.setDimensions(of(reverse).findAll(reverse.getDimensions()));
        })
        .Case([&](ReduceOp reduce) {
          reduce.setDimensions(of(reduce.getInputs()[0]).findAll(reduce.getDimensions()));
        })
        .Case([&](GatherOp gather) {
          const Joined &indices = of(gather.getStartIndices());
          auto findIndex = [&](int64_t d) {
            return d == int64_t(indices.shape.size()) ? int64_t(indices.firsts.size())
                                                      : indices.find(d);
          };
          gather.setOffsetDims(of(gather).findAll(gather.getOffsetDims()));
          gather.setIndexVectorDim(findIndex(gather.getIndexVectorDim()));
          gather.setStartIndicesBatchingDims(indices.findAll(gather.getStartIndicesBatchingDims()));
        })
        .Case([&](SliceOp slice) {
          const Joined &from = of(slice.getOperand());
          slice.setStarts(from.scale(slice.getStarts()));
          slice.setLimits(from.scale(slice.getLimits()));
          slice.setStrides(from.pick(slice.getStrides()));
        })
        .Case([&](PadOp pad) {
          const Joined &from = of(pad.getOperand());
          pad.setLow(from.scale(pad.getLow()));
          pad.setHigh(from.scale(pad.getHigh()));
          pad.setInterior(from.pick(pad.getInterior()));
        })
        .Case([&](ConcatenateOp concatenate) {
          concatenate.setDimension(of(concatenate).find(concatenate.getDimension()));
        })
        .Case([&](DynamicSliceOp slice) {
          if (slice.getStartIndices().size() == of(slice).shape.size())
            slice.getStartIndicesMutable().assign(of(slice).pick(slice.getStartIndices()));
          slice.setDynamicSliceSizes(of(slice).getShape());
        })
        .Case([&](DynamicUpdateSliceOp update) {
          if (update.getStartIndices().size() == of(update).shape.size())
            update.getStartIndicesMutable().assign(of(update).pick(update.getStartIndices()));
        })
        .Case([&](ReshapeOp reshape) { reshape.removeInferredDimensionAttr(); });
  }

  Block &body;
  llvm::MapVector<Value, Joined> all;
  bool isUseful = false;
};

struct CollapseDimensions : hloc::impl::CollapseDimensionsBase<CollapseDimensions> {
  void runOnOperation() override {
    getOperation()->walk([&](KernelOp kernel) {
      Block &body = kernel.getBody().front();
      bool isEmpty = false; // arrays without elements are handled elsewhere
      body.walk([&](Operation *op) {
        for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
          isEmpty |= arrayType(value).getNumElements() == 0;
      });
      if (isEmpty)
        return;
      for (auto transpose : llvm::make_early_inc_range(body.getOps<TransposeOp>()))
        dropUnits(transpose);
      DimensionGroups seams(body);
      for (Operation &op : body)
        constrain(&op, seams);
      constrainLoops(body, seams);
      seams.settle();
      collapsed += KernelCollapse(body, seams).run();
    });
  }
};

} // namespace
