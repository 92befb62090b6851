// SPDX-License-Identifier: Apache-2.0
// Operations that make and move elements.
#include "compiler/hlo/ElementType.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/frontend/Reinterpret.h"
#include <numeric>

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Operations that make static arrays from static operands.
template <typename Op>
static Expanded makeWhole(Op op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  BoundedArrays results;
  for (Value array : build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes())))
    results.emplace_back(array);
  return results;
}

static Expanded expandBroadcast(BroadcastOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  RankedTensorType type = getFullType(op.getType());
  BoundedArray result(build.broadcast(operand.array, type.getShape(), op.getDimensions()));
  for (auto [d, dimension] : llvm::enumerate(op.getDimensions()))
    result.sizes[dimension] = operand.sizes[d];
  return BoundedArrays{result};
}

static Expanded expandTranspose(TransposeOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  BoundedArray result(build.transpose(operands[0].array, op.getDimensions()));
  for (auto [d, dimension] : llvm::enumerate(op.getDimensions()))
    result.sizes[d] = operands[0].sizes[dimension];
  return BoundedArrays{result};
}

/// In the reversed array the elements past the sizes come first: moves the others to the front.
static Expanded expandReverse(ReverseOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  BoundedArray result = operands[0];
  result.array = build.reverse(result.array, op.getDimensions());
  if (!result.isBoundedIn(op.getDimensions()))
    return BoundedArrays{result};
  SmallVector<int64_t> none(result.getRank(), 0), high(none);
  SmallVector<Value> starts(result.getRank(), build.index(0));
  for (int64_t d : op.getDimensions())
    if (result.sizes[d]) {
      high[d] = result.getBound(d);
      starts[d] = build.sub(build.index(high[d]), result.sizes[d]);
    }
  SmallVector<int64_t> bounds(result.getBounds());
  Value zero = build.scalar(result.getElement(), 0.0);
  result.array =
      build.dynamicSlice(build.pad(result.array, zero, none, high, none), starts, bounds);
  return BoundedArrays{result};
}

static Expanded expandSlice(SliceOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  BoundedArray result(build.slice(operand.array, op.getStarts(), op.getLimits(), op.getStrides()));
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    if (!operand.sizes[d])
      continue;
    int64_t stride = op.getStrides()[d];
    Value limit = build.minimum(operand.sizes[d], build.index(op.getLimits()[d]));
    Value extent = build.excess(limit, build.index(op.getStarts()[d]));
    result.sizes[d] = stride == 1 ? extent : build.div(build.add(extent, stride - 1), stride);
  }
  return BoundedArrays{result};
}

/// Padding begins where the sizes end: elements past them become padding if that can be visible
/// before the end of the result.
static Expanded expandPad(PadOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  SmallVector<int64_t> seen;
  SmallVector<Value> sizes(operand.getRank());
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    Value size = operand.sizes[d];
    if (!size)
      continue;
    int64_t low = op.getLow()[d], high = op.getHigh()[d], interior = op.getInterior()[d];
    if (high > 0)
      seen.push_back(d);
    Value padded = size;
    if (interior > 0)
      padded = build.add(size, build.mul(build.excess(size, build.index(1)), interior));
    if (low + high != 0)
      padded = build.maximum(build.add(padded, low + high), build.index(0));
    sizes[d] = padded;
  }
  Value padding = operands[1].array;
  Value filled = build.fillPast(operand, seen, padding);
  Value array = build.pad(filled, padding, op.getLow(), op.getHigh(), op.getInterior());
  return BoundedArrays{BoundedArray(array, sizes)};
}

static Expanded expandConcatenate(ConcatenateOp op, ArrayRef<BoundedArray> operands,
                                  BoundedBuild &build) {
  return BoundedArrays{build.concatenateBounded(operands, op.getDimension())};
}

/// A narrower or wider element type adds or removes the last dimension.
static Expanded expandBitcastConvert(BitcastConvertOp op, ArrayRef<BoundedArray> operands,
                                     BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  RankedTensorType type = getFullType(op.getType());
  BoundedArray result(build.cloneOn(op, operand.array, type).front());
  for (int64_t d = 0; d < std::min(operand.getRank(), result.getRank()); ++d)
    result.sizes[d] = operand.sizes[d];
  return BoundedArrays{result};
}

/// Bits from one position of a dimension to the next, in row-major memory.
static int64_t countStepBits(RankedTensorType type, int64_t dimension) {
  return product(type.getShape().drop_front(dimension + 1)) * getStorageBits(type.getElementType());
}

/// Each bounded dimension must correspond to one of the operand, possibly with a larger or smaller
/// stride.
static Expanded expandBitcast(BitcastOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  const BoundedArray &operand = operands[0];
  RankedTensorType from = getFullType(op.getOperand().getType()), to = getFullType(op.getType());
  BoundedArray result(reinterpret(build, operand.array, to.getShape(), to.getElementType()));
  auto isDynamic = [](Value value) {
    return [type = cast<RankedTensorType>(value.getType())](int64_t d) {
      return type.isDynamicDim(d);
    };
  };
  auto sources = llvm::make_filter_range(llvm::seq(from.getRank()), isDynamic(op.getOperand()));
  auto targets = llvm::make_filter_range(llvm::seq(to.getRank()), isDynamic(op.getResult()));
  for (auto [source, target] : llvm::zip(sources, targets)) {
    int64_t given = countStepBits(from, source), taken = countStepBits(to, target);
    if (!operand.sizes[source] || taken == 0)
      continue;
    int64_t common = std::gcd(given, taken);
    Value size = operand.sizes[source];
    if (given != common)
      size = build.mul(size, build.index(given / common));
    result.sizes[target] = taken == common ? size : build.div(size, build.index(taken / common));
  }
  return BoundedArrays{result};
}

void hloc::populateShapes(BoundedPatterns &patterns) {
  patterns.add<ConstantOp>(makeWhole);
  patterns.add<IotaOp>(makeWhole);
  patterns.add<RngOp>(makeWhole);
  patterns.add<RngBitGeneratorOp>(makeWhole);
  patterns.add<BroadcastOp>(expandBroadcast);
  patterns.add<TransposeOp>(expandTranspose);
  patterns.add<ReverseOp>(expandReverse);
  patterns.add<SliceOp>(expandSlice);
  patterns.add<PadOp>(expandPad);
  patterns.add<ConcatenateOp>(expandConcatenate);
  patterns.add<BitcastOp>(expandBitcast);
  patterns.add<BitcastConvertOp>(expandBitcastConvert);
}
