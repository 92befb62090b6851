// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `loop`: every element of the results by itself.
//
// The iteration space is the results' shape. It is walked
// - in square tiles, if an operand lies across it in memory (TransposeLoop.cpp);
// - as one flat range, if no operation looks at the dimensions, or the minor one is too short;
// - if the minor dimension has a few elements, with lanes along the one before it;
// - if the outermost dimension has a few, each of them computed in its own way, with all of them at
// once;
// - else with lanes along the minor dimension and a loop for each other one.
#include "codegen/KernelEmission.h"

using namespace mlir;

namespace hloc {

/// Elements of one unit of a flat iteration space.
static constexpr int64_t kFlatUnit = 4096;
/// Cycles of a body below which two registers' worth of lanes are in flight.
static constexpr double kCheapCycles = 12;
/// Elements of a minor dimension that are computed beside each other, and the bound on the code
/// that makes.
static constexpr int64_t kMaxMinor = 8, kMaxMinorOperations = 1200;

namespace {

class LoopKernel {
public:
  explicit LoopKernel(KernelContext &context)
      : context(context), index(context.index), results(context.getReturn().getOperands()),
        shape(cast<RankedTensorType>(results[0].getType()).getShape()) {
    count = 1;
    for (int64_t size : shape)
      count *= size;
  }

  LogicalResult emit() {
    if (count == 0) {
      context.schedule.units = 0;
      return success();
    }
    if (emitTransposeLoop(context))
      return success();
    int64_t lanes =
        std::max<int64_t>(1, context.target.getLanes(getWidestElement(context.getBody())));
    elementTime = context.costs.getElementTime(context.getBody());
    // Cheap bodies keep two registers' worth of lanes in flight.
    if (context.costs.toCycles(elementTime) * lanes < kCheapCycles && count >= 4 * lanes)
      lanes *= 2;
    while (lanes > 1 && lanes / 2 >= count)
      lanes /= 2;
    index.setLanes(lanes);
    bool isBlind = isShapeBlind(), isPacked = context.packsOutputs();
    if (!isBlind && !isPacked && hasFewMinor(lanes)) {
      emitFew();
      return success();
    }
    if (!isBlind && !isPacked && joinsFewMajor(lanes)) {
      emitFewMajor();
      return success();
    }
    if (isBlind || shape.size() < 2 || shape.back() < lanes / 2 || isPacked)
      return emitFlat();
    while (index.getLanes() > 1 && index.getLanes() / 2 >= shape.back())
      index.setLanes(index.getLanes() / 2);
    buildRows(context, shape, elementTime, /*parallel=*/true,
              [&](ArrayRef<VectorIndex> at, Mask mask) { emitElements(at, mask); });
    return success();
  }

private:
  /// Computes all results at `at`, then stores them: a result may lie where an input did.
  void emitElements(ArrayRef<VectorIndex> at, Mask mask) {
    SmallVector<VectorValue> values;
    SmallVector<ElementIndex> places;
    for (Value result : results) {
      auto resultShape = cast<RankedTensorType>(result.getType()).getShape();
      places.push_back(resultShape == shape ? ElementIndex(at)
                                            : reshapeIndex(index, shape, resultShape, at));
      values.push_back(context.emitter.emit(result, places.back(), mask));
    }
    if (context.emitter.hasFailed())
      return;
    for (auto [i, value] : llvm::enumerate(values))
      storeElements(index, context.getOutput(i), places[i], value, mask);
  }

  /// Whether every operation treats elements alike wherever they are.
  bool isShapeBlind() {
    for (Value result : results)
      if (cast<RankedTensorType>(result.getType()).getShape() != shape)
        return false;
    for (Value argument : context.getBody().getArguments())
      if (auto type = cast<RankedTensorType>(argument.getType());
          type.getRank() != 0 && type.getShape() != shape)
        return false;
    for (Operation &op : context.getBody()) {
      bool scalarBroadcast =
          isa<hlo::BroadcastOp>(op) && cast<hlo::BroadcastOp>(op).getDimensions().empty();
      bool elementwise =
          op.hasTrait<hlo::Elementwise>() || isa<hlo::CopyOp, hlo::ConstantOp, hlo::ReturnOp>(op);
      if (!scalarBroadcast && !elementwise)
        return false;
    }
    return true;
  }

  /// VectorValue on the row-major position.
  LogicalResult emitFlat() {
    bool blind = isShapeBlind();
    walkFlat(count, elementTime, [&](VectorIndex position, Mask mask) {
      emitElements(blind ? flatIndex(position) : reshapeIndex(index, count, shape, position), mask);
    });
    return success();
  }

  /// VectorValue on [0, count), in units; `time` is what each position takes, in nanoseconds.
  void walkFlat(int64_t count, double time,
                function_ref<void(VectorIndex position, Mask)> elementsAt) {
    int64_t lanes = index.getLanes(), whole = count / lanes * lanes;
    context.setUnits((count + kFlatUnit - 1) / kFlatUnit, kFlatUnit * time, /*atBytes=*/true);
    auto &b = context.b;
    Value unit = index.constant(kFlatUnit);
    Value lower = b.createOrFold<arith::MulIOp>(context.getBegin(), unit);
    Value upper = b.createOrFold<arith::MulIOp>(context.getEnd(), unit);
    Value wholeUpper = b.createOrFold<arith::MinSIOp>(upper, index.constant(whole));
    if (context.schedule.units == 1) {
      lower = index.constant(0);
      wholeUpper = index.constant(whole);
    }
    buildFor(context, lower, wholeUpper, lanes, {}, [&](Value i, ValueRange) {
      elementsAt(index.consecutive(i, lanes), {});
      return SmallVector<Value>();
    });
    if (whole == count)
      return;
    auto remainder = [&] {
      elementsAt(index.consecutive(index.constant(whole), lanes), firstLanes(index, count - whole));
    };
    if (context.schedule.units == 1)
      return remainder();
    Value last =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, upper, index.constant(count));
    auto branch = scf::IfOp::create(b, last, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    remainder();
  }

  /// VectorValue on the minor one of `sizes`, in units.
  void walkRows(ArrayRef<int64_t> sizes, double time,
                function_ref<void(ArrayRef<VectorIndex>, Mask)> elementsAt) {
    if (sizes.size() == 1)
      return walkFlat(sizes[0], time,
                      [&](VectorIndex position, Mask mask) { elementsAt(position, mask); });
    buildRows(context, sizes, time, /*parallel=*/true, elementsAt);
  }

  ElementIndex flatIndex(VectorIndex position) {
    // All but the minor index are zero: row-major positions are what is added up.
    ElementIndex at(shape.size(), index.uniform(0));
    at.back() = position;
    return at;
  }

  /// Whether the minor dimension has a few elements, which rows of the one before it can share a
  /// lane for: colours, coordinates.
  bool hasFewMinor(int64_t lanes) {
    if (shape.size() < 2 || shape.back() < 2 || shape.back() > kMaxMinor ||
        shape[shape.size() - 2] < lanes ||
        int64_t(context.getBody().getOperations().size()) * shape.back() > kMaxMinorOperations)
      return false;
    return llvm::all_of(results, [&](Value result) {
      auto type = cast<RankedTensorType>(result.getType());
      return type.getShape() == shape && !isa<ComplexType>(type.getElementType());
    });
  }

  /// VectorValue on the dimension before the minor one: all of the minor one's elements in each.
  void emitFew() {
    walkRows(shape.drop_back(), shape.back() * elementTime,
             [&](ArrayRef<VectorIndex> row, Mask mask) {
               SmallVector<SmallVector<VectorValue>> values(results.size());
               SmallVector<ElementIndex> places;
               for (int64_t minor = 0; minor < shape.back(); ++minor) {
                 places.push_back(ElementIndex(row));
                 places.back().push_back(index.uniform(minor));
                 for (auto [value, result] : llvm::zip(values, results))
                   value.push_back(context.emitter.emit(result, places.back(), mask));
               }
               if (context.emitter.hasFailed())
                 return;
               for (auto [i, value] : llvm::enumerate(values))
                 if (!storeInterleaved(index, context.getOutput(i), places[0], value, mask))
                   for (auto [place, lanes] : llvm::zip(places, value))
                     storeElements(index, context.getOutput(i), place, lanes, mask);
             });
  }

  /// Whether the outermost dimension has a few elements that come of different operands: what these
  /// have in common, as the coordinates of vectors that are multiplied crosswise, is then read
  /// once.
  bool joinsFewMajor(int64_t lanes) {
    if (results.size() != 1 || shape.size() < 2 || shape[0] < 2 || shape[0] > kMaxMinor ||
        shape.back() < lanes ||
        int64_t(context.getBody().getOperations().size()) * shape[0] > kMaxMinorOperations)
      return false;
    return llvm::any_of(context.getBody().getOps<hlo::ConcatenateOp>(), [&](hlo::ConcatenateOp op) {
      auto type = cast<RankedTensorType>(op.getType());
      return op.getDimension() == 0 && type.getShape() == shape &&
             int64_t(op->getNumOperands()) == shape[0] &&
             llvm::none_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
    });
  }

  /// All elements of the outermost dimension, one after the other, at each position of the others.
  void emitFewMajor() {
    walkRows(shape.drop_front(), shape[0] * elementTime,
             [&](ArrayRef<VectorIndex> rest, Mask mask) {
               SmallVector<ElementIndex> places;
               SmallVector<VectorValue> values;
               for (int64_t major = 0; major < shape[0]; ++major) {
                 places.push_back({index.uniform(major)});
                 places.back().append(rest.begin(), rest.end());
                 values.push_back(context.emitter.emit(results[0], places.back(), mask));
               }
               if (!context.emitter.hasFailed())
                 for (auto [place, value] : llvm::zip(places, values))
                   storeElements(index, context.getOutput(0), place, value, mask);
             });
  }

  KernelContext &context;
  IndexBuilder &index;
  ValueRange results;
  ArrayRef<int64_t> shape;
  int64_t count;
  double elementTime = 0; // in nanoseconds
};

} // namespace

LogicalResult emitLoopKernel(KernelContext &context) { return LoopKernel(context).emit(); }

} // namespace hloc
