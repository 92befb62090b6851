// SPDX-License-Identifier: Apache-2.0
// Convolutions with few features and many channels, such as the last layer of a network that draws
// images.
//
// Lanes lie along channels, which are contiguous in the input: nothing is transposed, and all lanes
// are used even with few features. A tile is some pixels times all features, each with a vector of
// sums whose lanes are added at the end. The filter, in which features are contiguous, is
// transposed once for all units of a call.
#include "codegen/emit/Fold.h"
#include "codegen/kernels/convolution/ConvolutionKernel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Packs the filter into the panel.
void ConvolutionKernel::packFilter() {
  for (int64_t d = 0; d < spatial(); ++d)
    enterPhase(d, index.constant(0));
  walkTaps(spatial(), {}, [&](ArrayRef<VectorIndex> tap, ValueRange) {
    SmallVector<Value> tapValues;
    for (VectorIndex x : tap)
      tapValues.push_back(x.base);
    return buildLanes(
        context, problem.channels, {}, [&](VectorIndex channel, Mask mask, ValueRange) {
          for (int64_t feature = 0; feature < problem.features; ++feature) {
            VectorValue value = loadFilter(tapValues, channel, index.uniform(feature), mask);
            if (!value.re)
              break;
            value = broadcastLanes(index, value);
            if (mask)
              value = emitSelect(index, mask.lanes, value, emitZero(index, element));
            ElementIndex to(tap);
            to.append({index.uniform(feature), channel});
            storeElements(index, panel, to, value, {});
          }
          return SmallVector<Value>();
        });
  });
}

/// Adds the products of one tap and the vectors of channels [firstStep, endStep) to the sums of a
/// tile.
SmallVector<VectorValue> ConvolutionKernel::multiplyChannels(ArrayRef<VectorIndex> tap,
                                                             Value firstStep, Value endStep,
                                                             ArrayRef<VectorValue> sums) {
  int64_t lanes = index.getLanes();
  const Axis &axis = axes.back();
  MemoryArray memory{patch, RankedTensorType::get(shape.patchSizes, element)};
  auto channel = [&](Value step) {
    return index.consecutive(index.multiply(index.uniform(step), lanes).base, lanes);
  };
  auto left = [&](int64_t pixel, Value step) {
    ElementIndex at(tap.drop_back());
    at.append({index.add(index.multiply(tap.back(), axis.tapStride), pixel * axis.stride),
               channel(step)});
    return loadElements(index, memory, at, {});
  };
  auto right = [&](int64_t feature, Value step) {
    ElementIndex at(tap);
    at.append({index.uniform(feature), channel(step)});
    return loadElements(index, panel, at, {});
  };
  return buildTile(context, tile, element, /*group=*/1, firstStep, endStep, sums, left, right);
}

/// Adds up the lanes of each of `vectors` (at most as many as there are lanes): returns one vector
/// with the totals, which has a power of two of lanes, the last ones arbitrary.
static Value addLanes(ImplicitLocOpBuilder &b, SmallVector<Value> vectors) {
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements(), groups = 1;
  vectors.resize(llvm::PowerOf2Ceil(vectors.size()), vectors.back());
  // Invariant: a vector holds partial sums of `groups` of the original vectors, side by side.
  // Halves of these parts are added, first in pairs of vectors and then within the last vector,
  // until there is one part of each.
  auto addHalves = [&](Value x, Value y, int64_t lanesOfBoth) {
    int64_t parts = lanes / groups;
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanesOfBoth; ++lane)
      (lane % parts < parts / 2 ? low : high).push_back(lane);
    Value sum = vector::ShuffleOp::create(b, x, y, low),
          other = vector::ShuffleOp::create(b, x, y, high);
    return Value(arith::AddFOp::create(b, sum, other));
  };
  while (vectors.size() > 1) {
    for (size_t i = 0; i < vectors.size() / 2; ++i)
      vectors[i] = addHalves(vectors[2 * i], vectors[2 * i + 1], 2 * lanes);
    vectors.truncate(vectors.size() / 2);
    groups *= 2;
  }
  for (; lanes > groups; lanes /= 2)
    vectors[0] = addHalves(vectors[0], vectors[0], lanes);
  return vectors[0];
}

/// Adds up the lanes of a tile's sums: a vector of features for each pixel.
SmallVector<VectorValue> ConvolutionKernel::addLanesOfRows(ArrayRef<VectorValue> sums) {
  SmallVector<VectorValue> rows;
  for (int64_t r = 0; r < tile.rows; ++r) {
    SmallVector<Value> vectors;
    for (int64_t feature = 0; feature < problem.features; ++feature)
      vectors.push_back(sums[r * problem.features + feature].re);
    Value totals = addLanes(b, vectors);
    if (problem.features == 1)
      totals = vector::ExtractOp::create(b, totals, ArrayRef<int64_t>{0});
    rows.push_back({totals, {}});
  }
  return rows;
}

} // namespace hloc
