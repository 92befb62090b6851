// SPDX-License-Identifier: Apache-2.0
// Rules for operations that move data. Test: test/passes/simplify/simplify-shapes.mlir.
#include "passes/simplify/Match.h"
#include "passes/simplify/RewriteRules.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

using Sizes = SmallVector<int64_t>;

//===- Anything of a repeated scalar ---------------------------------------===//

/// Moving equal elements can only change the shape.
template <typename Op> Value moveEqualElements(Op op, Build build) {
  Value scalar = getBroadcastScalar(op->getOperand(0));
  return scalar ? build.broadcast(scalar, arrayType(op->getResult(0)).getShape(), {}) : Value();
}

Value padWithEqual(PadOp op, Build build) {
  Value scalar = getBroadcastScalar(op.getOperand());
  bool isEqual =
      scalar && (scalar == op.getPaddingValue() ||
                 (getSplat(scalar) && getSplat(scalar) == getSplat(op.getPaddingValue())));
  return isEqual ? build.broadcast(scalar, arrayType(op).getShape(), {}) : Value();
}

//===- reshape, transpose, broadcast ---------------------------------------===//

Value reshapeSame(ReshapeOp op, Build) {
  return op.getOperand().getType() == op.getType() ? op.getOperand() : Value();
}

Value reshapeTwice(ReshapeOp op, Build build) {
  auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
  return inner ? build.reshape(inner.getOperand(), arrayType(op).getShape()) : Value();
}

/// The broadcast itself can make dimensions of size one.
Value reshapeOfBroadcast(ReshapeOp op, Build build) {
  auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return nullptr;
  auto pairs = getUnitReshape(arrayType(broadcast), arrayType(op));
  if (!pairs)
    return nullptr;
  Sizes dimensions;
  for (int64_t dimension : broadcast.getDimensions()) {
    auto *pair = llvm::find_if(*pairs, [&](auto pair) { return pair.first == dimension; });
    if (pair == pairs->end())
      return nullptr;
    dimensions.push_back(pair->second);
  }
  return build.broadcast(broadcast.getOperand(), arrayType(op).getShape(), dimensions);
}

Value broadcastSame(BroadcastOp op, Build) {
  return op.getOperand().getType() == op.getType() && isIdentityPermutation(op.getDimensions())
             ? op.getOperand()
             : Value();
}

/// A broadcast that only adds dimensions of size one is a reshape.
Value broadcastByOne(BroadcastOp op, Build build) {
  auto from = arrayType(op.getOperand()), to = arrayType(op);
  bool isSorted = llvm::is_sorted(op.getDimensions());
  if (from.getNumElements() != to.getNumElements() || !isSorted || from.getRank() == to.getRank())
    return nullptr;
  return build.reshape(op.getOperand(), to.getShape());
}

Value broadcastTwice(BroadcastOp op, Build build) {
  auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!inner)
    return nullptr;
  Sizes dimensions;
  for (int64_t dimension : inner.getDimensions())
    dimensions.push_back(op.getDimensions()[dimension]);
  return BroadcastOp::create(build.builder, op.getLoc(), op.getType(), inner.getOperand(),
                             dimensions);
}

/// Dimensions of size one that a reshape adds before a broadcast are unnecessary.
Value broadcastOfReshape(BroadcastOp op, Build build) {
  auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
  if (!reshape)
    return nullptr;
  auto from = arrayType(reshape.getOperand());
  auto pairs = getUnitReshape(from, arrayType(reshape));
  if (!pairs || int64_t(pairs->size()) != from.getRank())
    return nullptr;
  Sizes dimensions;
  for (auto [source, target] : *pairs)
    dimensions.push_back(op.getDimensions()[target]);
  return BroadcastOp::create(build.builder, op.getLoc(), op.getType(), reshape.getOperand(),
                             dimensions);
}

/// A broadcast always reads its operand's dimensions of size one at zero, so they can be dropped.
Value broadcastWithoutUnits(BroadcastOp op, Build build) {
  auto type = arrayType(op.getOperand());
  Sizes kept = getNonUnitDimensions(type), shape, dimensions;
  if (int64_t(kept.size()) == type.getRank() ||
      type.getNumElements() == arrayType(op).getNumElements())
    return nullptr;
  for (int64_t dimension : kept) {
    shape.push_back(type.getDimSize(dimension));
    dimensions.push_back(op.getDimensions()[dimension]);
  }
  Value squeezed = build.reshape(op.getOperand(), shape);
  return BroadcastOp::create(build.builder, op.getLoc(), op.getType(), squeezed, dimensions);
}

Value transposeSame(TransposeOp op, Build) {
  return isIdentityPermutation(op.getDimensions()) ? op.getOperand() : Value();
}

Value transposeTwice(TransposeOp op, Build build) {
  auto inner = op.getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return nullptr;
  Sizes permutation;
  for (int64_t dimension : op.getDimensions())
    permutation.push_back(inner.getDimensions()[dimension]);
  return build.transpose(inner.getOperand(), permutation);
}

/// A transpose that keeps the order of the dimensions of more than one element does not change
/// memory.
Value transposeOfUnits(TransposeOp op, Build build) {
  auto type = arrayType(op.getOperand());
  Sizes moved;
  for (int64_t dimension : op.getDimensions())
    if (type.getDimSize(dimension) != 1)
      moved.push_back(dimension);
  if (!llvm::is_sorted(moved))
    return nullptr;
  return build.reshape(op.getOperand(), arrayType(op).getShape());
}

Value transposeOfBroadcast(TransposeOp op, Build build) {
  auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return nullptr;
  Sizes inverse = invertPermutation(op.getDimensions()), dimensions;
  for (int64_t dimension : broadcast.getDimensions())
    dimensions.push_back(inverse[dimension]);
  if (!llvm::is_sorted(dimensions))
    return nullptr;
  return BroadcastOp::create(build.builder, op.getLoc(), op.getType(), broadcast.getOperand(),
                             dimensions);
}

Value transposeOfIota(TransposeOp op, Build build) {
  auto iota = op.getOperand().getDefiningOp<IotaOp>();
  if (!iota)
    return nullptr;
  int64_t dimension = invertPermutation(op.getDimensions())[iota.getIotaDimension()];
  return build.iota(arrayType(op).getShape(), arrayType(op).getElementType(), dimension);
}

/// A reshape of an elementwise operation with one use moves below it if it can then be merged with
/// another: reshape(f(reshape(x))) = reshape(f(x)).
Value reshapeOfElementwise(ReshapeOp op, Build build) {
  Operation *inner = op.getOperand().getDefiningOp();
  if (!inner || inner->getNumOperands() != 1 || !inner->hasTrait<Elementwise>() ||
      !inner->hasOneUse())
    return nullptr;
  auto reshape = inner->getOperand(0).getDefiningOp<ReshapeOp>();
  if (!reshape)
    return nullptr;
  Value operand = build.reshape(reshape.getOperand(), arrayType(op).getShape());
  Operation *clone = build.builder.clone(*inner);
  clone->setOperand(0, operand);
  clone->getResult(0).setType(op.getType());
  return clone->getResult(0);
}

/// f(broadcast(scalars)...) = broadcast(f(scalars...)).
struct ScalarElementwise : RewritePattern {
  explicit ScalarElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<Elementwise>() || arrayType(op->getResult(0)).getRank() == 0)
      return rewriter.notifyMatchFailure(op, "not an elementwise operation on arrays");
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands()) {
      Value scalar = arrayType(operand).getRank() == 0 ? operand : getBroadcastScalar(operand);
      if (!scalar)
        return rewriter.notifyMatchFailure(op, "an operand is no repeated scalar");
      scalars.push_back(scalar);
    }
    auto type = arrayType(op->getResult(0));
    Operation *clone = rewriter.clone(*op);
    clone->setOperands(scalars);
    clone->getResult(0).setType(type.clone(ArrayRef<int64_t>()));
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, clone->getResult(0), ArrayRef<int64_t>());
    return success();
  }
};

//===- slice, pad, concatenate, reverse ------------------------------------===//

Value sliceAll(SliceOp op, Build) {
  return op.getOperand().getType() == op.getType() ? op.getOperand() : Value();
}

Value sliceTwice(SliceOp op, Build build) {
  auto inner = op.getOperand().getDefiningOp<SliceOp>();
  if (!inner)
    return nullptr;
  Sizes starts, limits, strides;
  for (auto [i, size] : llvm::enumerate(arrayType(op).getShape())) {
    if (size == 0) { // the operand may be empty too
      starts.push_back(0), limits.push_back(0), strides.push_back(1);
      continue;
    }
    starts.push_back(inner.getStarts()[i] + op.getStarts()[i] * inner.getStrides()[i]);
    // The stride of a single element does not matter, and the product may be out of range.
    strides.push_back(size == 1 ? 1 : inner.getStrides()[i] * op.getStrides()[i]);
    limits.push_back(starts.back() + (size - 1) * strides.back() + 1);
  }
  return SliceOp::create(build.builder, op.getLoc(), op.getType(), inner.getOperand(), starts,
                         limits, strides);
}

/// A slice within one of the concatenated parts.
Value sliceOfConcatenate(SliceOp op, Build build) {
  auto concatenate = op.getOperand().getDefiningOp<ConcatenateOp>();
  if (!concatenate || arrayType(op).getNumElements() == 0 || concatenate.getInputs().size() > 64)
    return nullptr;
  int64_t dimension = concatenate.getDimension(), offset = 0;
  for (Value part : concatenate.getInputs()) {
    int64_t size = arrayType(part).getDimSize(dimension);
    int64_t start = op.getStarts()[dimension] - offset, limit = op.getLimits()[dimension] - offset;
    offset += size;
    if (start < 0 || limit > size)
      continue;
    Sizes starts(op.getStarts()), limits(op.getLimits());
    starts[dimension] = start;
    limits[dimension] = limit;
    return build.slice(part, starts, limits, op.getStrides());
  }
  return nullptr;
}

/// A slice that takes none, or not all, of the padding: stencils on a padded array read its border
/// from one side each.
Value sliceOfPad(SliceOp op, Build build) {
  auto pad = op.getOperand().getDefiningOp<PadOp>();
  if (!pad || arrayType(op).getNumElements() == 0)
    return nullptr;
  auto type = arrayType(pad.getOperand());
  Sizes starts, limits, low, high;
  bool takesLess = false, takesAny = false;
  for (int64_t i : iotaVector(type.getRank())) {
    int64_t start = op.getStarts()[i] - pad.getLow()[i], size = type.getDimSize(i);
    int64_t limit = op.getLimits()[i] - pad.getLow()[i];
    low.push_back(std::max<int64_t>(0, -start));
    high.push_back(std::max<int64_t>(0, limit - size));
    starts.push_back(std::max<int64_t>(0, start));
    limits.push_back(std::min(limit, size));
    bool isPadded = low[i] > 0 || high[i] > 0;
    if (pad.getInterior()[i] != 0 || starts[i] >= limits[i] ||
        (isPadded && op.getStrides()[i] != 1))
      return nullptr;
    takesAny |= isPadded;
    takesLess |= low[i] < pad.getLow()[i] || high[i] < pad.getHigh()[i];
  }
  if (takesAny && !takesLess)
    return nullptr;
  Value part = build.slice(pad.getOperand(), starts, limits, op.getStrides());
  return takesAny ? build.pad(part, pad.getPaddingValue(), low, high, Sizes(type.getRank(), 0))
                  : part;
}

Value sliceOfBroadcast(SliceOp op, Build build) {
  auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return nullptr;
  Sizes starts, limits, strides;
  for (int64_t dimension : broadcast.getDimensions()) {
    starts.push_back(op.getStarts()[dimension]);
    limits.push_back(op.getLimits()[dimension]);
    strides.push_back(op.getStrides()[dimension]);
  }
  Value part = build.slice(broadcast.getOperand(), starts, limits, strides);
  return BroadcastOp::create(build.builder, op.getLoc(), op.getType(), part,
                             broadcast.getDimensions());
}

Value padNothing(PadOp op, Build) {
  auto isZero = [](int64_t n) { return n == 0; };
  bool isSame = op.getOperand().getType() == op.getType() && llvm::all_of(op.getLow(), isZero) &&
                llvm::all_of(op.getHigh(), isZero);
  return isSame ? op.getOperand() : Value();
}

/// Padding that only crops.
Value padAsSlice(PadOp op, Build build) {
  auto isPositive = [](int64_t n) { return n > 0; };
  if (llvm::any_of(op.getLow(), isPositive) || llvm::any_of(op.getHigh(), isPositive) ||
      llvm::any_of(op.getInterior(), isPositive))
    return nullptr;
  Sizes starts, limits;
  for (auto [i, size] : llvm::enumerate(arrayType(op.getOperand()).getShape())) {
    starts.push_back(-op.getLow()[i]);
    limits.push_back(size + op.getHigh()[i]);
  }
  return build.slice(op.getOperand(), starts, limits);
}

Value padNothingAtAll(PadOp op, Build build) {
  if (arrayType(op.getOperand()).getNumElements() != 0)
    return nullptr;
  return build.broadcast(op.getPaddingValue(), arrayType(op).getShape(), {});
}

/// Empty operands are dropped.
Value concatenateNonEmpty(ConcatenateOp op, Build build) {
  SmallVector<Value> parts;
  for (Value part : op.getInputs())
    if (arrayType(part).getNumElements() != 0)
      parts.push_back(part);
  if (parts.empty())
    return op.getInputs()[0].getType() == op.getType() ? op.getInputs()[0] : Value();
  if (parts.size() == op.getInputs().size() && parts.size() > 1)
    return nullptr;
  return build.concatenate(parts, op.getDimension());
}

/// Adjacent slices of one array are one slice of it.
Value concatenateSlices(ConcatenateOp op, Build build) {
  auto first = op.getInputs()[0].getDefiningOp<SliceOp>();
  if (!first || op.getInputs().size() < 2)
    return nullptr;
  int64_t dimension = op.getDimension(), end = first.getStarts()[dimension];
  for (Value part : op.getInputs()) {
    auto slice = part.getDefiningOp<SliceOp>();
    if (!slice || slice.getOperand() != first.getOperand() || slice.getStarts()[dimension] != end ||
        slice.getStrides() != first.getStrides() || slice.getStrides()[dimension] != 1)
      return nullptr;
    for (int64_t i : iotaVector(arrayType(part).getRank()))
      if (i != dimension && (slice.getStarts()[i] != first.getStarts()[i] ||
                             slice.getLimits()[i] != first.getLimits()[i]))
        return nullptr;
    end = slice.getLimits()[dimension];
  }
  Sizes limits(first.getLimits());
  limits[dimension] = end;
  return build.slice(first.getOperand(), first.getStarts(), limits, first.getStrides());
}

/// Copies of one scalar.
Value concatenateEqual(ConcatenateOp op, Build build) {
  Value scalar;
  for (Value part : op.getInputs()) {
    Value next = getBroadcastScalar(part);
    bool isEqual = next && (!scalar || scalar == next ||
                            (getSplat(scalar) && getSplat(scalar) == getSplat(next)));
    if (!isEqual)
      return nullptr;
    scalar = next;
  }
  return build.broadcast(scalar, arrayType(op).getShape(), {});
}

Value reverseUnits(ReverseOp op, Build build) {
  Sizes dimensions;
  for (int64_t dimension : op.getDimensions())
    if (arrayType(op).getDimSize(dimension) > 1)
      dimensions.push_back(dimension);
  if (dimensions.size() == op.getDimensions().size())
    return nullptr;
  return build.reverse(op.getOperand(), dimensions);
}

Value reverseTwice(ReverseOp op, Build) {
  auto inner = op.getOperand().getDefiningOp<ReverseOp>();
  return inner && inner.getDimensions() == op.getDimensions() ? inner.getOperand() : Value();
}

Value iotaOfOne(IotaOp op, Build build) {
  return arrayType(op).getDimSize(op.getIotaDimension()) <= 1 &&
                 arrayType(op).getElementType().isIntOrFloat()
             ? build.zero(arrayType(op))
             : Value();
}

/// A constant with equal elements is a broadcast scalar.
Value splatConstant(ConstantOp op, Build build) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!type || !value || type.getNumElements() < 2 || !value.isSplat())
    return nullptr;
  auto scalarType = type.clone(ArrayRef<int64_t>());
  Value scalar =
      ConstantOp::create(build.builder, op.getLoc(), scalarType, value.resizeSplat(scalarType));
  return build.broadcast(scalar, type.getShape(), {});
}

} // namespace

void hloc::populateShapeRules(RewritePatternSet &patterns) {
  addRule<ConstantOp>(patterns, "constant of equal elements = broadcast(scalar)", splatConstant);
  addRule<ReshapeOp>(patterns, "reshape(broadcast(s))", moveEqualElements<ReshapeOp>);
  addRule<TransposeOp>(patterns, "transpose(broadcast(s))", moveEqualElements<TransposeOp>);
  addRule<SliceOp>(patterns, "slice(broadcast(s))", moveEqualElements<SliceOp>);
  addRule<ReverseOp>(patterns, "reverse(broadcast(s))", moveEqualElements<ReverseOp>);
  addRule<DynamicSliceOp>(patterns, "dynamic_slice(broadcast(s))",
                          moveEqualElements<DynamicSliceOp>);
  addRule<GatherOp>(patterns, "gather(broadcast(s))", moveEqualElements<GatherOp>);
  addRule<PadOp>(patterns, "pad(broadcast(s), s)", padWithEqual);
  patterns.add<ScalarElementwise>(patterns.getContext());

  addRule<ReshapeOp>(patterns, "reshape to the same shape", reshapeSame);
  addRule<ReshapeOp>(patterns, "reshape(reshape(x))", reshapeTwice);
  addRule<ReshapeOp>(patterns, "reshape(broadcast(x)) by unit dimensions", reshapeOfBroadcast);
  addRule<ReshapeOp>(patterns, "reshape(f(reshape(x)))", reshapeOfElementwise);
  addRule<BroadcastOp>(patterns, "broadcast to the same shape", broadcastSame);
  addRule<BroadcastOp>(patterns, "broadcast by unit dimensions = reshape", broadcastByOne);
  addRule<BroadcastOp>(patterns, "broadcast(broadcast(x))", broadcastTwice);
  addRule<BroadcastOp>(patterns, "broadcast(reshape(x)) by unit dimensions", broadcastOfReshape);
  addRule<BroadcastOp>(patterns, "broadcast of unit dimensions", broadcastWithoutUnits);
  addRule<TransposeOp>(patterns, "transpose by the identity", transposeSame);
  addRule<TransposeOp>(patterns, "transpose(transpose(x))", transposeTwice);
  addRule<TransposeOp>(patterns, "transpose of unit dimensions = reshape", transposeOfUnits);
  addRule<TransposeOp>(patterns, "transpose(broadcast(x))", transposeOfBroadcast);
  addRule<TransposeOp>(patterns, "transpose(iota)", transposeOfIota);

  addRule<SliceOp>(patterns, "slice of everything", sliceAll);
  addRule<SliceOp>(patterns, "slice(slice(x))", sliceTwice);
  addRule<SliceOp>(patterns, "slice(concatenate(x, y)) within x", sliceOfConcatenate);
  addRule<SliceOp>(patterns, "slice(pad(x)) = pad(slice(x))", sliceOfPad);
  addRule<SliceOp>(patterns, "slice(broadcast(x))", sliceOfBroadcast);
  addRule<PadOp>(patterns, "pad by nothing", padNothing);
  addRule<PadOp>(patterns, "pad that crops = slice", padAsSlice);
  addRule<PadOp>(patterns, "pad of nothing = broadcast", padNothingAtAll);
  addRule<ConcatenateOp>(patterns, "concatenate(x), concatenate(x, empty)", concatenateNonEmpty);
  addRule<ConcatenateOp>(patterns, "concatenate(slice(x), slice(x))", concatenateSlices);
  addRule<ConcatenateOp>(patterns, "concatenate(broadcast(s), broadcast(s))", concatenateEqual);
  addRule<ReverseOp>(patterns, "reverse of unit dimensions", reverseUnits);
  addRule<ReverseOp>(patterns, "reverse(reverse(x))", reverseTwice);
  addRule<IotaOp>(patterns, "iota of one element", iotaOfOne);
}
