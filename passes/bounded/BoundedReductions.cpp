// SPDX-License-Identifier: Apache-2.0
// Reductions, windows and select_and_scatter.
#include "passes/Computations.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/bounded/BoundedWindows.h"
#include "passes/expand/ApplyToElements.h"
#include "passes/expand/Expansions.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

Value hloc::countWindows(BoundedBuild &build, WindowAttr window, int64_t i, Value size,
                         Value length) {
  auto get = [i](ArrayRef<int64_t> list, int64_t missing) {
    return i < int64_t(list.size()) ? list[i] : missing;
  };
  int64_t dilation = get(window.getBaseDilations(), 1), stride = get(window.getStrides(), 1);
  int64_t padding = get(window.getPaddingLow(), 0) + get(window.getPaddingHigh(), 0);
  // The extent from the first to the last of `count` elements.
  auto spread = [&](Value count, int64_t step) {
    if (step == 1)
      return count;
    Value some = build.add(build.mul(build.sub(count, 1), step), 1);
    return build.select(build.compare(count, 0.0, Direction::EQ), count, some);
  };
  int64_t step = get(window.getWindowDilations(), 1);
  Value dilated = spread(size, dilation);
  // max(0, dilated + padding - extent + stride) / stride
  Value room = length
                   ? build.sub(build.add(dilated, padding + stride), spread(length, step))
                   : build.add(dilated, padding + stride - (window.getSizes()[i] - 1) * step - 1);
  room = build.maximum(room, build.index(0));
  return stride == 1 ? room : build.div(room, stride);
}

namespace {

/// The identity element of `reducer`; null if unknown.
Value makeNeutral(BoundedBuild &build, ComputationOp reducer, Type element) {
  Operation *op = getSingleBinaryOp(reducer);
  bool isComplex = isa<ComplexType>(element);
  if (!op || op->getResult(0).getType() != RankedTensorType::get({}, element) ||
      isa<Float8E8M0FNUType>(element))
    return Value();
  bool isPred = element.isInteger(1);
  if (isa<AddOp>(op)) // for floats -0: 0 + -0 is 0, and -0 + -0 is -0
    return isComplex ? Value() : build.scalar(element, isPred ? 0.0 : -0.0);
  if (isa<MultiplyOp>(op))
    return isComplex ? Value() : build.scalar(element, 1.0);
  if (isa<OrOp, XorOp>(op))
    return build.scalar(element, 0.0);
  if (isa<AndOp>(op))
    return build.scalar(element, APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  if (isa<MaximumOp>(op) && !isComplex)
    return build.lowest(element);
  if (isa<MinimumOp>(op) && !isComplex)
    return build.highest(element);
  return Value();
}

/// `reducer` with a mark for the accumulators and one for the elements that say whether they are
/// valid: invalid ones are skipped.
ComputationOp withMarks(ComputationOp reducer, Location loc) {
  unsigned count = reducer.getNumArguments() / 2;
  SmallVector<Type> types(reducer.getArgumentTypes());
  Type mark = RankedTensorType::get({}, IntegerType::get(reducer.getContext(), 1));
  types.insert(types.begin() + count, mark);
  types.push_back(mark);
  return createComputation(
      reducer->getParentOfType<ModuleOp>(), (reducer.getSymName() + ".marked").str(), types,
      [&](OpBuilder &builder, ValueRange values) {
        Build build(builder, loc);
        SmallVector<Value> arguments(values.take_front(count));
        llvm::append_range(arguments, values.slice(count + 1, count));
        Value left = values[count], right = values.back();
        if (!mayAlwaysRun(reducer)) { // a loop over elements, whose accumulator is valid
          SmallVector<Value> results = inlineWhere(build, right, reducer, arguments,
                                                   ValueRange(arguments).take_front(count));
          results.push_back(build.bitOr(left, right));
          return results;
        }
        SmallVector<Value> results = inlineComputation(builder, reducer, arguments);
        for (unsigned i = 0; i < count; ++i) {
          Value accumulated = arguments[i], element = arguments[count + i];
          // The right operand may be an accumulator too, and either may be empty.
          if (element.getType() == accumulated.getType())
            results[i] = build.select(left, results[i], element);
          results[i] = build.select(right, results[i], accumulated);
        }
        results.push_back(build.bitOr(left, right));
        return results;
      });
}

/// Adds `marks` to the inputs in `arrays`, and the corresponding initial value and result type.
void addMarks(BoundedBuild &build, Value marks, SmallVector<Value> &arrays,
              SmallVector<Type> &types) {
  arrays.insert(arrays.begin() + arrays.size() / 2, marks);
  arrays.push_back(build.scalar(build.builder.getI1Type(), 1.0));
  types.push_back(cast<RankedTensorType>(types[0]).clone(build.builder.getI1Type()));
}

Expanded expandReduce(ReduceOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  unsigned count = op.getCount();
  SmallVector<Value> sizes = mergeSizes(operands.take_front(count)), kept;
  SmallVector<Type> types = getFullTypes(op->getResultTypes());
  for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
    if (!llvm::is_contained(op.getDimensions(), d))
      kept.push_back(sizes[d]);
  SmallVector<Value> arrays = getArrays(operands), results;
  BoundedArray first(arrays[0], sizes);
  ComputationOp reducer = lookupComputation(op, op.getToApplyAttr());
  // Loops in the computation must not run on elements past the sizes, in any dimension.
  SmallVector<int64_t> hidden(op.getDimensions());
  if (!mayAlwaysRun(reducer))
    hidden = iotaVector(first.getRank());
  if (!first.isBoundedIn(hidden)) {
    results = build.cloneOn(op, arrays, types);
  } else if (Value neutral =
                 count == 1 ? makeNeutral(build, reducer, first.getElement()) : Value()) {
    arrays[0] = build.fillPast(first, op.getDimensions(), neutral);
    results = build.cloneOn(op, arrays, types);
  } else {
    addMarks(build, build.isInside(first, hidden), arrays, types);
    auto marked = ReduceOp::create(build.builder, build.loc, types, arrays, op.getDimensions(),
                                   withMarks(reducer, op.getLoc()).getSymName());
    results.assign(marked.result_begin(), std::prev(marked.result_end()));
  }
  BoundedArrays all;
  for (Value result : results)
    all.emplace_back(result, kept);
  return all;
}

/// Sizes of the result of a window over an array.
SmallVector<Value> getWindowedSizes(BoundedBuild &build, WindowAttr window,
                                    ArrayRef<Value> operandSizes) {
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(operandSizes))
    sizes.push_back(size ? countWindows(build, window, d, size) : Value());
  return sizes;
}

/// The elements that valid windows may reach: those within the sizes, and the padding after them.
/// Null: all.
Value isReached(BoundedBuild &build, WindowAttr window, Value array, ArrayRef<Value> sizes) {
  BoundedArray reached(array);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    int64_t padding = window.getPaddingHigh().empty() ? 0 : window.getPaddingHigh()[d];
    int64_t dilation = window.getBaseDilations().empty() ? 1 : window.getBaseDilations()[d];
    if (size)
      reached.sizes[d] =
          build.add(size, double(llvm::divideCeil(std::max<int64_t>(padding, 0), dilation)));
  }
  return build.isInside(reached);
}

/// Elements outside of the array, including those past the sizes, are the initial value.
Expanded expandReduceWindow(ReduceWindowOp op, ArrayRef<BoundedArray> operands,
                            BoundedBuild &build) {
  unsigned count = op.getCount();
  SmallVector<Value> sizes = mergeSizes(operands.take_front(count)), arrays = getArrays(operands);
  WindowAttr window = op.getWindow();
  SmallVector<int64_t> seen; // by windows of several elements, or next to padding
  for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
    if (window.getSizes()[d] > 1 ||
        (!window.getPaddingHigh().empty() && window.getPaddingHigh()[d]))
      seen.push_back(d);
  for (unsigned i = 0; i < count; ++i)
    arrays[i] = build.fillPast(BoundedArray(arrays[i], sizes), seen, arrays[count + i]);
  SmallVector<Type> types = getFullTypes(op->getResultTypes());
  SmallVector<Value> windowed = getWindowedSizes(build, window, sizes), folded;
  ComputationOp reducer = lookupComputation(op, op.getToApplyAttr());
  Value reached = mayAlwaysRun(reducer) ? Value() : isReached(build, window, arrays[0], sizes);
  if (reached) {
    addMarks(build, reached, arrays, types);
    auto marked = ReduceWindowOp::create(build.builder, build.loc, types, arrays, window,
                                         withMarks(reducer, op.getLoc()).getSymName());
    folded.assign(marked.result_begin(), std::prev(marked.result_end()));
  } else {
    folded = build.cloneOn(op, arrays, types);
  }
  BoundedArrays results;
  for (Value array : folded)
    results.emplace_back(array, windowed);
  return results;
}

/// Elements past the sizes are never selected, and the source's elements past its sizes are
/// dropped.
Expanded expandSelectAndScatter(SelectAndScatterOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  BoundedArray operand = operands[0], source = operands[1];
  SmallVector<Value> windowed = getWindowedSizes(build, op.getWindow(), operand.sizes);
  for (auto [size, counted] : llvm::zip(source.sizes, windowed))
    size = size ? size : counted;
  ComputationOp select = lookupComputation(op, op.getSelectAttr());
  Value array = selectAndScatter(build.builder, op, select,
                                 {operand.array, source.array, operands[2].array,
                                  build.isInside(operand), build.isInside(source)});
  return BoundedArrays{BoundedArray(array, operand.sizes)};
}

} // namespace

void hloc::populateReductions(BoundedPatterns &patterns) {
  patterns.add<ReduceOp>(expandReduce);
  patterns.add<ReduceWindowOp>(expandReduceWindow);
  patterns.add<SelectAndScatterOp>(expandSelectAndScatter);
}
