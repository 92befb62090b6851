// SPDX-License-Identifier: Apache-2.0
#include "passes/expand/BatchComputation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/schedule/BatchLimit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// Dimension numbers after an additional first dimension.
SmallVector<int64_t> shift(ArrayRef<int64_t> dimensions) {
  return llvm::map_to_vector(dimensions, [](int64_t d) { return d + 1; });
}

/// `first`, then `rest`.
SmallVector<int64_t> prepend(int64_t first, ArrayRef<int64_t> rest) {
  SmallVector<int64_t> all{first};
  llvm::append_range(all, rest);
  return all;
}

/// The scalar that a branch or a loop tests: its condition, or the number of a branch.
Value readScalar(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastUIOp>())
    value = cast.getIn();
  auto read = value.getDefiningOp<tensor::ExtractOp>();
  return read ? read.getTensor() : Value();
}

/// A computation with an additional first dimension of `count` elements.
class Batch {
public:
  Batch(Build build, ComputationOp computation, int64_t count)
      : build(build), builder(build.builder), body(computation.getBody().front()), count(count) {
    for (Value argument : body.getArguments())
      varying.insert(argument);
    while (findVarying(body)) // until a fixed point
      ;
  }

  /// True if every operation has a batched form.
  bool isPossible() { return isPossible(body); }

  SmallVector<Value> apply(ValueRange vectors, Value counts) {
    for (auto [argument, vector] : llvm::zip(body.getArguments(), vectors))
      arrays[argument] = vector;
    emit(body, counts);
    return llvm::map_to_vector(body.getTerminator()->getOperands(),
                               [&](Value value) { return getArray(value); });
  }

private:
  //===- Which values differ from element to element ------------------------===//

  bool isVarying(Value value) const { return varying.contains(value); }
  bool isAnyVarying(ValueRange values) const {
    return llvm::any_of(values, [&](Value value) { return isVarying(value); });
  }
  /// Marks `value` as varying if `isVarying`; returns true if that is new.
  bool setVarying(bool isVarying, Value value) { return isVarying && varying.insert(value).second; }
  bool findVarying(Block &block);
  bool isPossible(Block &block);
  bool isPossible(Operation &op);

  //===- Operations on arrays -----------------------------------------------===//

  Value getPlain(Value value) { return plain.lookupOrDefault(value); }
  Value getEither(Value value, bool isArray) { return isArray ? getArray(value) : getPlain(value); }
  Value getArray(Value value) { return getArray(value, arrayType(value).getShape()); }
  Value getArray(Value value, ArrayRef<int64_t> shape);
  void bind(Value value, Value either) {
    if (isVarying(value))
      arrays[value] = either;
    else
      plain.map(value, either);
  }
  Type getEitherType(Value value) {
    auto type = arrayType(value);
    return isVarying(value) ? Type(type.clone(prepend(count, type.getShape()))) : Type(type);
  }
  Value selectFor(Value lanes, Value onTrue, Value onFalse) {
    return build.select(build.broadcastLike(lanes, onTrue, {0}), onTrue, onFalse);
  }

  void emit(Block &block, Value active);
  void emitWhile(scf::WhileOp loop, Value active);
  void emitBranches(Operation *op, Value active);
  void emitChoice(Operation *op, Value active);
  SmallVector<Value> emitOperation(Operation *op);
  Value emitSlice(DynamicSliceOp op);
  SmallVector<Value> cloneOn(Operation *op, ValueRange operands);

  Build build;
  OpBuilder &builder;
  Block &body;
  int64_t count;
  DenseSet<Value> varying;
  IRMapping plain; // values that are the same for all elements
  DenseMap<Value, Value> arrays;
};

} // namespace

bool Batch::findVarying(Block &block) {
  bool changed = false;
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      auto condition = loop.getConditionOp();
      Operation *end = loop.getAfter().front().getTerminator();
      for (auto [i, state] : llvm::enumerate(loop.getBeforeArguments())) {
        changed |= setVarying(isVarying(condition.getCondition()) ||
                                  isVarying(loop.getInits()[i]) || isVarying(end->getOperand(i)),
                              state);
      }
      changed |= findVarying(loop.getBefore().front());
      for (auto [value, inside, result] :
           llvm::zip(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
        changed |= setVarying(isVarying(value), inside);
        changed |= setVarying(isVarying(value), result);
      }
      changed |= findVarying(loop.getAfter().front());
      continue;
    }
    for (Region &region : op.getRegions()) {
      if (region.empty())
        continue;
      changed |= findVarying(region.front());
      for (auto [value, result] :
           llvm::zip(region.front().getTerminator()->getOperands(), op.getResults()))
        changed |= setVarying(isVarying(value), result);
    }
    for (Value result : op.getResults())
      changed |= setVarying(isAnyVarying(op.getOperands()), result);
  }
  return changed;
}

bool Batch::isPossible(Block &block) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) { return isPossible(op); });
}

bool Batch::isPossible(Operation &op) {
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    auto condition = loop.getConditionOp();
    return readScalar(condition.getCondition()) &&
           llvm::equal(condition.getArgs(), loop.getBeforeArguments()) &&
           isPossible(loop.getBefore().front()) && isPossible(loop.getAfter().front());
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return readScalar(op.getOperand(0)) && llvm::all_of(op.getRegions(), [&](Region &region) {
             return region.empty() || isPossible(region.front());
           });
  if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
    return false;
  if (!isAnyVarying(op.getOperands()) || isa<tensor::ExtractOp, arith::IndexCastUIOp>(op))
    return true;
  for (Value result : op.getResults())
    if (int64_t elements = arrayType(result).getNumElements();
        elements > 1 && elements > kMostBatchedElements / count)
      return false;
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<CopyOp, BitcastConvertOp, ReshapeOp, BroadcastOp, TransposeOp, SliceOp, ReverseOp,
            ConcatenateOp, DotOp, DynamicSliceOp, SortOp>([](Operation *) { return true; })
      .Case([&](PadOp pad) { return !isVarying(pad.getPaddingValue()); })
      .Case([&](ReduceOp reduce) { return !isAnyVarying(reduce.getInitialValues()); })
      .Case([&](GatherOp gather) { return !isVarying(gather.getOperand()); })
      .Default([](Operation *other) { return other->hasTrait<Elementwise>(); });
}

/// `value` with the first dimension; a scalar is broadcast to `shape`.
Value Batch::getArray(Value value, ArrayRef<int64_t> shape) {
  bool isWhole = arrayType(value).getShape() == shape;
  SmallVector<int64_t> all = prepend(count, shape);
  if (isVarying(value)) {
    Value array = arrays.lookup(value);
    return isWhole ? array : build.broadcast(array, all, {0});
  }
  return build.broadcast(getPlain(value), all,
                         isWhole ? shift(iotaVector(shape.size())) : SmallVector<int64_t>());
}

/// Emits the operations of a block; `active` says for which elements they count.
void Batch::emit(Block &block, Value active) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      emitWhile(loop, active);
    } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      if (isVarying(op.getOperand(0)))
        emitChoice(&op, active);
      else
        emitBranches(&op, active);
    } else if (!isAnyVarying(op.getOperands())) {
      builder.clone(op, plain);
    } else if (!isa<tensor::ExtractOp, arith::IndexCastUIOp>(op)) { // these are read at their uses
      for (auto [result, array] : llvm::zip(op.getResults(), emitOperation(&op)))
        arrays[result] = array;
    }
  }
}

/// If elements end at different times, the loop continues until all have ended; those that have
/// ended keep their state.
void Batch::emitWhile(scf::WhileOp loop, Value active) {
  Value holds = readScalar(loop.getConditionOp().getCondition());
  bool isMasked = isVarying(holds);
  SmallVector<Value> inits;
  for (auto [state, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits()))
    inits.push_back(getEither(init, isVarying(state)));
  if (isMasked)
    inits.push_back(active ? active
                           : build.splat(RankedTensorType::get({count}, builder.getI1Type()), 1));
  TypeRange types = ValueRange(inits).getTypes();
  SmallVector<Location> locs(inits.size(), build.loc);
  auto batched = scf::WhileOp::create(builder, build.loc, types, inits);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *before = builder.createBlock(&batched.getBefore(), {}, types, locs);
    for (auto [state, value] : llvm::zip(loop.getBeforeArguments(), before->getArguments()))
      bind(state, value);
    Value lanes = isMasked ? before->getArguments().back() : active;
    emit(loop.getBefore().front(), lanes);
    SmallVector<Value> states(before->getArguments());
    Value goesOn = getPlain(loop.getConditionOp().getCondition());
    if (isMasked) {
      states.back() = build.bitAnd(lanes, getArray(holds));
      Value any =
          build.reduce(states.back(), build.scalar(builder.getI1Type(), 0.0), {0}, "hlo.or");
      goesOn = tensor::ExtractOp::create(builder, build.loc, any, ValueRange());
    }
    scf::ConditionOp::create(builder, build.loc, goesOn, states);

    Block *after = builder.createBlock(&batched.getAfter(), {}, types, locs);
    for (auto [state, value] : llvm::zip(loop.getAfterArguments(), after->getArguments()))
      bind(state, value);
    lanes = isMasked ? after->getArguments().back() : active;
    emit(loop.getAfter().front(), lanes);
    SmallVector<Value> next;
    for (auto [state, value, old] : llvm::zip(
             loop.getBeforeArguments(), loop.getYieldOp().getOperands(), after->getArguments())) {
      next.push_back(getEither(value, isVarying(state)));
      if (isMasked)
        next.back() = selectFor(lanes, next.back(), old);
    }
    if (isMasked)
      next.push_back(lanes);
    scf::YieldOp::create(builder, build.loc, next);
  }
  for (auto [result, value] : llvm::zip(loop.getResults(), batched.getResults()))
    bind(result, value);
}

/// Branches that all elements take alike.
void Batch::emitBranches(Operation *op, Value active) {
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResults(), [&](Value result) { return getEitherType(result); });
  OperationState state(op->getLoc(), op->getName(), getPlain(op->getOperand(0)), types);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *batched = builder.create(state);
  for (auto [from, to] : llvm::zip(op->getRegions(), batched->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&to);
    emit(from.front(), active);
    SmallVector<Value> results;
    for (auto [result, value] :
         llvm::zip(op->getResults(), from.front().getTerminator()->getOperands()))
      results.push_back(getEither(value, isVarying(result)));
    scf::YieldOp::create(builder, build.loc, results);
  }
  for (auto [result, value] : llvm::zip(op->getResults(), batched->getResults()))
    bind(result, value);
}

/// Branches that elements take differently: each is computed for the elements that take it.
void Batch::emitChoice(Operation *op, Value active) {
  Value number = getArray(readScalar(op->getOperand(0)));
  SmallVector<std::pair<Region *, Value>> branches; // and which elements take it
  if (isa<scf::IfOp>(op)) {
    branches = {{&op->getRegion(1), build.unary<NotOp>(number)}, {&op->getRegion(0), number}};
  } else {
    auto choice = cast<scf::IndexSwitchOp>(op);
    Value others; // elements that do not take the default
    for (auto [region, value] : llvm::zip(choice.getCaseRegions(), choice.getCases())) {
      Value isThis = build.compare(number, double(value), Direction::EQ);
      others = others ? build.bitOr(others, isThis) : isThis;
      branches.emplace_back(&region, isThis);
    }
    Value rest = others ? build.unary<NotOp>(others) : Value();
    branches.insert(branches.begin(), {&choice.getDefaultRegion(), rest});
  }
  SmallVector<Value> chosen;
  for (auto [region, takes] : branches) {
    if (region->empty())
      continue;
    Value lanes = active && takes ? build.bitAnd(active, takes) : takes ? takes : active;
    emit(region->front(), lanes);
    for (auto [i, value] : llvm::enumerate(region->front().getTerminator()->getOperands())) {
      Value array = getArray(value);
      if (i >= chosen.size())
        chosen.push_back(array);
      else
        chosen[i] = selectFor(takes, array, chosen[i]);
    }
  }
  for (auto [result, array] : llvm::zip(op->getResults(), chosen))
    arrays[result] = array;
}

/// Clones the operation on `operands`; its results get the first dimension.
SmallVector<Value> Batch::cloneOn(Operation *op, ValueRange operands) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(arrayType(result).clone(prepend(count, arrayType(result).getShape())));
  Operation *clone = Operation::create(op->getLoc(), op->getName(), types, operands,
                                       op->getDiscardableAttrDictionary().getValue(),
                                       op->getPropertiesStorage(), BlockRange(), /*numRegions=*/0);
  builder.insert(clone);
  return SmallVector<Value>(clone->getResults());
}

/// A dynamic_slice at varying indices becomes a gather.
Value Batch::emitSlice(DynamicSliceOp op) {
  auto type = arrayType(op.getOperand());
  bool isArray = isVarying(op.getOperand());
  SmallVector<Value> places;
  auto addPlace = [&](Value place) { // s64 [count]
    places.push_back(build.reshape(build.convert(place, builder.getI64Type()), {count, 1}));
  };
  if (isArray)
    addPlace(build.iota({count}, builder.getI64Type(), 0));
  OperandRange starts = op.getStartIndices();
  if (starts.size() == 1 && arrayType(starts[0]).getRank() == 1) {
    places.push_back(build.convert(getArray(starts[0]), builder.getI64Type()));
  } else {
    for (Value start : starts)
      addPlace(build.signedIndices(getArray(start)));
  }
  SmallVector<int64_t> sizes(op.getDynamicSliceSizes());
  SmallVector<int64_t> collapsed;
  if (isArray) {
    sizes = prepend(1, sizes);
    collapsed = {0};
  }
  Value operand = getEither(op.getOperand(), isArray);
  if (places.empty()) // a scalar
    return getArray(op.getOperand());
  return GatherOp::create(builder, build.loc, type.clone(prepend(count, op.getDynamicSliceSizes())),
                          operand, build.concatenate(places, 1),
                          /*offset_dims=*/shift(iotaVector(type.getRank())), collapsed,
                          /*operand_batching_dims=*/ArrayRef<int64_t>(),
                          /*start_indices_batching_dims=*/ArrayRef<int64_t>(),
                          /*start_index_map=*/iotaVector(sizes.size()), /*index_vector_dim=*/1,
                          /*slice_sizes=*/sizes, /*indices_are_sorted=*/false);
}

/// An operation with a varying operand.
SmallVector<Value> Batch::emitOperation(Operation *op) {
  auto getArrays = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return getArray(value); });
  };
  using Results = SmallVector<Value>;
  Value first = op->getOperand(0);
  ArrayRef<int64_t> shape = arrayType(op->getResult(0)).getShape();
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](CopyOp) { return Results{getArray(first)}; })
      .Case([&](BitcastConvertOp) { return cloneOn(op, getArray(first)); })
      .Case(
          [&](ReshapeOp) { return Results{build.reshape(getArray(first), prepend(count, shape))}; })
      .Case([&](BroadcastOp broadcast) {
        return Results{build.broadcast(getArray(first), prepend(count, shape),
                                       prepend(0, shift(broadcast.getDimensions())))};
      })
      .Case([&](TransposeOp transpose) {
        return Results{
            build.transpose(getArray(first), prepend(0, shift(transpose.getDimensions())))};
      })
      .Case([&](ReverseOp reverse) {
        return Results{build.reverse(getArray(first), shift(reverse.getDimensions()))};
      })
      .Case([&](SliceOp slice) {
        return Results{build.slice(getArray(first), prepend(0, slice.getStarts()),
                                   prepend(count, slice.getLimits()),
                                   prepend(1, slice.getStrides()))};
      })
      .Case([&](PadOp pad) {
        return Results{build.pad(getArray(first), getPlain(pad.getPaddingValue()),
                                 prepend(0, pad.getLow()), prepend(0, pad.getHigh()),
                                 prepend(0, pad.getInterior()))};
      })
      .Case([&](ConcatenateOp concatenate) {
        return Results{
            build.concatenate(getArrays(op->getOperands()), concatenate.getDimension() + 1)};
      })
      .Case([&](DynamicSliceOp slice) { return Results{emitSlice(slice)}; })
      .Case([&](GatherOp gather) {
        Value indices = getArray(gather.getStartIndices());
        auto whole = GatherOp::create(
            builder, op->getLoc(), getEitherType(op->getResult(0)), getPlain(first), indices,
            shift(gather.getOffsetDims()), gather.getCollapsedSliceDims(),
            gather.getOperandBatchingDims(), shift(gather.getStartIndicesBatchingDims()),
            gather.getStartIndexMap(), gather.getIndexVectorDim() + 1, gather.getSliceSizes(),
            /*indices_are_sorted=*/false);
        return Results{whole};
      })
      .Case([&](DotOp dot) {
        auto whole = DotOp::create(
            builder, op->getLoc(), getEitherType(op->getResult(0)), getArray(dot.getLhs()),
            getArray(dot.getRhs()), prepend(0, shift(dot.getLhsBatchDims())),
            prepend(0, shift(dot.getRhsBatchDims())), shift(dot.getLhsContractingDims()),
            shift(dot.getRhsContractingDims()), dot.getOperandPrecisionAttr(),
            dot.getAlgorithmAttr());
        return Results{whole};
      })
      .Case([&](SortOp sort) {
        Results operands = getArrays(op->getOperands());
        auto whole =
            SortOp::create(builder, op->getLoc(), ValueRange(operands).getTypes(), operands,
                           sort.getDimension() + 1, sort.getIsStable(), sort.getToApply());
        return Results(whole.getResults());
      })
      .Case([&](ReduceOp reduce) {
        Results operands = getArrays(reduce.getInputs());
        SmallVector<Type> types;
        for (Value result : op->getResults())
          types.push_back(arrayType(result).clone(prepend(count, shape)));
        for (Value init : reduce.getInitialValues())
          operands.push_back(getPlain(init));
        auto whole = ReduceOp::create(builder, op->getLoc(), types, operands,
                                      shift(reduce.getDimensions()), reduce.getToApply());
        return Results(whole.getResults());
      })
      .Default([&](Operation *) { // elementwise
        Results operands;
        for (Value operand : op->getOperands())
          operands.push_back(getArray(operand, shape));
        return cloneOn(op, operands);
      });
}

std::optional<SmallVector<Value>> hloc::batchComputation(Build build, ComputationOp computation,
                                                         ValueRange vectors, Value counts) {
  Batch batch(build, computation, arrayType(vectors[0]).getDimSize(0));
  if (!batch.isPossible())
    return std::nullopt;
  return batch.apply(vectors, counts);
}
