// SPDX-License-Identifier: Apache-2.0
// Runs before the conversion: the loop state consists of arrays and sizes, and the inlined step
// uses bounded arrays again. Outputs get the sizes that the last step returns; slices of other
// steps are truncated or padded with zeros to these.
#include "passes/bounded/BoundedSteps.h"
#include "passes/Computations.h"
#include "passes/bounded/BoundedPatterns.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The parts of a value: its array, and a size for each bounded dimension of its type.
BoundedArray split(BoundedBuild &build, Value value) {
  if (!isBoundedType(value.getType()))
    return BoundedArray(value);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Type> types(1 + type.getNumDynamicDims(), arrayType(build.index(0)));
  types[0] = getFullType(type);
  ValueRange parts =
      UnrealizedConversionCastOp::create(build.builder, build.loc, types, value).getResults();
  BoundedArray array(parts.front());
  for (int64_t d = 0, next = 1; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      array.sizes[d] = parts[next++];
  return array;
}

/// A value of `type` from its parts.
Value join(BoundedBuild &build, const BoundedArray &array, RankedTensorType type) {
  SmallVector<Value> parts{array.array};
  SmallVector<int64_t> ended;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (type.isDynamicDim(d))
      parts.push_back(build.getSize(array, d));
    else
      ended.push_back(d);
  }
  parts[0] = build.zeroPast(array, ended);
  if (parts.size() == 1)
    return parts[0];
  return UnrealizedConversionCastOp::create(build.builder, build.loc, type, parts).getResult(0);
}

class StepLoop {
public:
  StepLoop(ScanOp op, ComputationOp body)
      : op(op), body(body), builder(op), build(builder, op.getLoc()),
        dimension(op.getDimensions()[0]), carries(op.getNumCarries()),
        outputs(op->getNumResults() - carries) {}

  void lower() {
    size_t inputCount = op.getArrays().size() - carries;
    for (Value input : op.getArrays().take_front(inputCount))
      inputs.push_back(split(build, input));
    BoundedArrays state;
    for (auto [carry, type] : llvm::zip(op.getArrays().drop_front(inputCount), carryTypes()))
      state.push_back(withTypesSizes(build, split(build, carry), type));
    for (Type type : outputTypes()) {
      state.emplace_back(build.zero(getFullType(type)));
      state.back() = withTypesSizes(build, state.back(), type);
      state.back().sizes[dimension] = nullptr;
    }
    Value count = build.index(getFullType(scanned()).getDimSize(dimension));
    for (const BoundedArray &input : inputs)
      if (input.sizes[dimension])
        count = input.sizes[dimension];
    BoundedArrays last = loop(count, state);
    std::rotate(last.begin(), last.begin() + carries, last.end());
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      if (i < outputs)
        last[i].sizes[dimension] = count;
      result.replaceAllUsesWith(join(build, last[i], cast<RankedTensorType>(result.getType())));
    }
    op->erase();
  }

private:
  TypeRange outputTypes() { return TypeRange(op->getResultTypes()).take_front(outputs); }
  TypeRange carryTypes() { return TypeRange(op->getResultTypes()).drop_front(outputs); }
  /// The type of an array that is scanned.
  Type scanned() { return inputs.empty() ? outputTypes().front() : op.getArrays()[0].getType(); }

  /// The array with a size for each dimension that is bounded in `type`, and for no other.
  static BoundedArray withTypesSizes(BoundedBuild &build, BoundedArray array, Type type) {
    SmallVector<int64_t> ended;
    for (int64_t d = 0; d < array.getRank(); ++d)
      if (cast<RankedTensorType>(type).isDynamicDim(d))
        array.sizes[d] = build.getSize(array, d);
      else
        ended.push_back(d);
    array.array = build.zeroPast(array, ended);
    for (int64_t d : ended)
      array.sizes[d] = nullptr;
    return array;
  }

  /// The parts of the state as a list.
  static SmallVector<Value> pack(ArrayRef<BoundedArray> state) {
    SmallVector<Value> values;
    for (const BoundedArray &array : state) {
      values.push_back(array.array);
      llvm::copy_if(array.sizes, std::back_inserter(values), [](Value size) { return bool(size); });
    }
    return values;
  }

  /// The reverse, with sizes where `like` has them.
  static BoundedArrays unpack(ValueRange values, ArrayRef<BoundedArray> like) {
    BoundedArrays state;
    for (const BoundedArray &array : like) {
      BoundedArray &next = state.emplace_back(values.front());
      values = values.drop_front();
      for (auto [size, old] : llvm::zip(next.sizes, array.sizes)) {
        if (!old)
          continue;
        size = values.front();
        values = values.drop_front();
      }
    }
    return state;
  }

  BoundedArrays loop(Value count, ArrayRef<BoundedArray> inits) {
    auto step = [&](BoundedBuild inner, Value counter, ValueRange state) {
      return pack(doStep(inner, counter, count, unpack(state, inits)));
    };
    return unpack(build.sizedLoop(count, pack(inits), step), inits);
  }

  BoundedArrays doStep(BoundedBuild &step, Value counter, Value count,
                       ArrayRef<BoundedArray> state) {
    Value position = op.getIsReverse() ? step.sub(step.sub(count, 1), counter) : counter;
    auto getStarts = [&](int64_t rank) {
      SmallVector<Value> starts(rank, step.index(0));
      starts[dimension] = position;
      return starts;
    };
    SmallVector<Value> arguments;
    for (const BoundedArray &input : inputs) {
      SmallVector<int64_t> shape(input.getBounds()), rest(shape);
      shape[dimension] = 1;
      rest.erase(rest.begin() + dimension);
      SmallVector<Value> sizes(input.sizes);
      sizes.erase(sizes.begin() + dimension);
      Value slice = step.dynamicSlice(input.array, getStarts(shape.size()), shape);
      arguments.push_back(
          join(step, BoundedArray(step.reshape(slice, rest), sizes), argumentType(arguments)));
    }
    for (const BoundedArray &carry : state.take_front(carries))
      arguments.push_back(join(step, carry, argumentType(arguments)));
    SmallVector<Value> results = inlineComputation(step.builder, body, arguments);
    BoundedArrays next;
    for (auto [carry, type] : llvm::zip(ArrayRef(results).drop_front(outputs), carryTypes()))
      next.push_back(withTypesSizes(step, split(step, carry), type));
    for (auto [i, type] : llvm::enumerate(outputTypes())) {
      BoundedArray part = split(step, results[i]);
      Value masked = step.zeroPast(part, iotaVector(part.getRank()));
      SmallVector<int64_t> shape(part.getBounds());
      SmallVector<Value> sizes(part.sizes);
      shape.insert(shape.begin() + dimension, 1);
      sizes.insert(sizes.begin() + dimension, nullptr);
      BoundedArray whole(step.dynamicUpdateSlice(state[carries + i].array,
                                                 step.reshape(masked, shape),
                                                 getStarts(shape.size())),
                         sizes);
      whole = withTypesSizes(step, whole, type);
      whole.sizes[dimension] = nullptr;
      next.push_back(whole);
    }
    return next;
  }

  /// The type of the argument that follows `arguments`.
  RankedTensorType argumentType(ArrayRef<Value> arguments) {
    return cast<RankedTensorType>(body.getArgumentTypes()[arguments.size()]);
  }

  ScanOp op;
  ComputationOp body;
  OpBuilder builder;
  BoundedBuild build;
  int64_t dimension;
  size_t carries, outputs;
  BoundedArrays inputs;
};

} // namespace

static ComputationOp getBody(ScanOp op) { return lookupComputation(op, op.getToApplyAttr()); }

/// True if there is a run-time size in a dimension other than the scanned one.
static bool hasBoundedSteps(ScanOp op) {
  ComputationOp body = getBody(op);
  if (llvm::any_of(body.getArgumentTypes(), isBoundedType) ||
      llvm::any_of(body.getResultTypes(), isBoundedType))
    return true;
  size_t inputs = op.getArrays().size() - op.getNumCarries();
  for (auto [i, array] : llvm::enumerate(op.getArrays())) {
    auto type = cast<RankedTensorType>(array.getType());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d) && (i >= inputs || d != op.getDimensions()[0]))
        return true;
  }
  return false;
}

void hloc::lowerBoundedSteps(ModuleOp module) {
  llvm::SetVector<ComputationOp> bodies;
  // One after the other, because a step may contain such scans.
  for (ScanOp scan;; scan = ScanOp()) {
    module.walk([&](ScanOp op) {
      if (!hasBoundedSteps(op))
        return WalkResult::advance();
      scan = op;
      return WalkResult::interrupt();
    });
    if (!scan)
      break;
    ComputationOp body = getBody(scan);
    bodies.insert(body);
    StepLoop(scan, body).lower();
  }
  for (ComputationOp body : bodies)
    if (SymbolTable::symbolKnownUseEmpty(body, module))
      body.erase();
}
