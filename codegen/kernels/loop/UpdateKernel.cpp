// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `update`: a dynamic_update_slice that writes its slice into the operand's memory.
// Short rows that lie behind each other there, as what each round of a scan leaves behind, are
// walked as one; so are columns. Short rows that are not alike, such as the next states of several
// games, are computed beside each other. Test: test/codegen/update-rows.hlo.
#include "codegen/KernelEmission.h"

using namespace mlir;

namespace hloc {

/// Elements from which on rows are long enough.
static constexpr int64_t kLongRow = 4096;

/// VectorValue whose elements are stored one by one.
static constexpr int64_t kMaxScattered = 16;

/// Elements of a minor dimension that are computed beside each other, and the bound on the code
/// that makes.
static constexpr int64_t kMaxMinor = 8, kMaxMinorOperations = 1200;

static SmallVector<int64_t> getSizesAboveOne(Value value) {
  return llvm::filter_to_vector(cast<RankedTensorType>(value.getType()).getShape(),
                                [](int64_t size) { return size != 1; });
}

/// Whether what is computed of the update treats elements alike wherever they are, so that a
/// position along a row may run on into the next ones.
static bool isBlindToRows(Block &body, hlo::DynamicUpdateSliceOp update) {
  SmallVector<int64_t> sizes = getSizesAboveOne(update.getUpdate());
  auto fits = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() == 0 ||
           getSizesAboveOne(value) == sizes;
  };
  for (Value argument : body.getArguments())
    if (argument != update.getOperand() && !fits(argument))
      return false;
  return llvm::all_of(body, [&](Operation &op) {
    if (&op == update || isa<hlo::ReturnOp>(op))
      return true;
    bool isSplat = isa<hlo::BroadcastOp>(op) && cast<hlo::BroadcastOp>(op).getDimensions().empty();
    bool isPlain =
        op.hasTrait<hlo::Elementwise>() || isa<hlo::CopyOp, hlo::ConstantOp, hlo::ReshapeOp>(op);
    return (isSplat || isPlain) && llvm::all_of(op.getResults(), fits);
  });
}

namespace {
/// The walk over an update: dimensions from `first` to `last` are one, of `length` elements, behind
/// which are only sizes of one. Elements lie `step` apart.
struct Rows {
  size_t first, last;
  int64_t length, step;
};
} // namespace

static Rows findRows(KernelContext &context, hlo::DynamicUpdateSliceOp update,
                     ArrayRef<int64_t> shape, ArrayRef<int64_t> whole) {
  size_t minor = shape.size() - 1, last = minor;
  while (last > 0 && shape[last] == 1)
    --last;
  if (shape[last] == 1 || context.packsOutputs())
    return {minor, minor, shape[minor], 1};
  Rows rows{last, last, shape[last], ShapedType::getNumElements(whole.drop_front(last + 1))};
  if (isBlindToRows(context.getBody(), update))
    while (rows.first > 0 && rows.length < kLongRow && shape[rows.first] == whole[rows.first])
      rows.length *= shape[--rows.first];
  return rows;
}

/// Whether the rows before the minor dimension, which has a few elements and is written whole, fill
/// lanes.
static bool hasFewMinor(KernelContext &context, ArrayRef<int64_t> shape, ArrayRef<int64_t> whole,
                        int64_t lanes) {
  Type element = context.getOutput(0).type.getElementType();
  return shape.size() > 1 && shape.back() > 1 && shape.back() <= kMaxMinor &&
         shape.back() == whole.back() && shape[shape.size() - 2] >= lanes &&
         !context.packsOutputs() && !isa<ComplexType>(element) &&
         int64_t(context.getBody().getOperations().size()) * shape.back() <= kMaxMinorOperations;
}

LogicalResult emitUpdateKernel(KernelContext &context) {
  IndexBuilder &index = context.index;
  auto update = context.getReturn().getOperand(0).getDefiningOp<hlo::DynamicUpdateSliceOp>();
  if (!update || context.getReturn().getNumOperands() != 1)
    return context.kernel.emitError("expected an update kernel to return one dynamic_update_slice");
  auto whole = cast<RankedTensorType>(update.getOperand().getType()).getShape();
  auto shape = cast<RankedTensorType>(update.getUpdate().getType()).getShape();
  if (llvm::is_contained(shape, 0)) {
    context.schedule.units = 0;
    return success();
  }
  ElementIndex starts;
  for (size_t d = 0; d < shape.size(); ++d)
    starts.push_back(
        emitStartIndex(context.emitter, update.getStartIndices(), d, whole[d] - shape[d], {}));
  auto placeOf = [&](ArrayRef<VectorIndex> at) {
    ElementIndex place;
    for (auto [start, x] : llvm::zip(starts, at))
      place.push_back(index.add(start, x));
    return place;
  };
  auto storeAt = [&](ArrayRef<VectorIndex> at, Mask mask) {
    VectorValue value = context.emitter.emit(update.getUpdate(), at, mask);
    if (!context.emitter.hasFailed())
      storeElements(index, context.getOutput(0), placeOf(at), value, mask);
  };
  if (shape.empty()) {
    storeAt({}, {});
    return success();
  }
  Rows rows = findRows(context, update, shape, whole);
  int64_t lanes = context.target.getLanes(getWidestElement(context.getBody()));
  if (rows.first + 1 == shape.size() && hasFewMinor(context, shape, whole, lanes)) {
    index.setLanes(lanes);
    double time = shape.back() * context.costs.getElementTime(context.getBody());
    buildRows(context, shape.drop_back(), time, /*parallel=*/true,
              [&](ArrayRef<VectorIndex> row, Mask mask) {
                SmallVector<VectorValue> values;
                SmallVector<ElementIndex> places;
                for (int64_t minor = 0; minor < shape.back(); ++minor) {
                  ElementIndex at(row);
                  at.push_back(index.uniform(minor));
                  places.push_back(placeOf(at));
                  values.push_back(context.emitter.emit(update.getUpdate(), at, mask));
                }
                if (context.emitter.hasFailed() ||
                    (!mask && storeInterleaved(index, context.getOutput(0), places[0], values, {})))
                  return;
                for (auto [place, value] : llvm::zip(places, values))
                  storeElements(index, context.getOutput(0), place, value, mask);
              });
    return success();
  }
  while (lanes > 1 && lanes / 2 >= rows.length)
    lanes /= 2;
  if (rows.step > 1)
    lanes = std::min(lanes, kMaxScattered);
  // Parts of rows may begin within a byte.
  if (context.packsOutputs() && (shape.back() != whole.back() || whole.back() % 8 != 0))
    lanes = 1;
  index.setLanes(lanes);
  SmallVector<int64_t> walked(shape.take_front(rows.first));
  walked.push_back(rows.length);
  buildRows(context, walked, context.costs.getElementTime(context.getBody()), /*parallel=*/true,
            [&](ArrayRef<VectorIndex> at, Mask mask) {
              ElementIndex full(at.drop_back());
              full.resize(shape.size(), index.uniform(0));
              full[rows.last] = at.back();
              storeAt(full, mask);
            });
  return success();
}

} // namespace hloc
