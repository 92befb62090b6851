// SPDX-License-Identifier: Apache-2.0
#include "passes/Build.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Computations.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

RankedTensorType hloc::arrayType(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t hloc::product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

SmallVector<int64_t> hloc::iotaVector(int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

Value hloc::withLayout(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  OperationState state(value.getLoc(), CopyOp::getOperationName(), value, type);
  return builder.create(state)->getResult(0);
}

Value Build::create(StringRef name, ValueRange operands, Type type) {
  OperationState state(loc, name, operands, type);
  return builder.create(state)->getResult(0);
}

//===- Constants -----------------------------------------------------------===//

static APFloat toFloat(FloatType type, double value) {
  if (isa<Float8E8M0FNUType>(type) && !(value > 0)) // it has only positive numbers
    return APFloat::getNaN(type.getFloatSemantics());
  APFloat result(value);
  bool losesInfo;
  result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

static DenseElementsAttr splatAttr(RankedTensorType type, const APFloat &value) {
  if (auto complex = dyn_cast<ComplexType>(type.getElementType()))
    return DenseElementsAttr::get(
        type, std::complex<APFloat>(value, APFloat::getZero(value.getSemantics())));
  return DenseElementsAttr::get(type, value);
}

Value Build::scalar(Type element, double value) {
  if (element.isIntOrIndex())
    return scalar(element,
                  APInt(64, uint64_t(int64_t(value))).sextOrTrunc(element.getIntOrFloatBitWidth()));
  auto complex = dyn_cast<ComplexType>(element);
  auto type = cast<FloatType>(complex ? complex.getElementType() : element);
  return ConstantOp::create(builder, loc, RankedTensorType::get({}, element),
                            splatAttr(RankedTensorType::get({}, element), toFloat(type, value)));
}

Value Build::scalar(Type element, const APInt &value) {
  auto type = RankedTensorType::get({}, element);
  return ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, value));
}

Value Build::splat(RankedTensorType type, double value) {
  Value element = scalar(type.getElementType(), value);
  return type.getRank() == 0 ? element : broadcast(element, type.getShape(), {});
}

Value Build::lowest(Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    APFloat value = APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics, true)
                                                        : APFloat::getLargest(semantics, true);
    auto scalarType = RankedTensorType::get({}, element);
    return ConstantOp::create(builder, loc, scalarType, DenseElementsAttr::get(scalarType, value));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = isZeroExtended(element);
  return scalar(element, isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
}

Value Build::highest(Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    APFloat value = APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics)
                                                        : APFloat::getLargest(semantics);
    auto scalarType = RankedTensorType::get({}, element);
    return ConstantOp::create(builder, loc, scalarType, DenseElementsAttr::get(scalarType, value));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = isZeroExtended(element);
  return scalar(element, isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
}

Value Build::index(int64_t value) { return scalar(builder.getI32Type(), double(value)); }

//===- Elementwise ---------------------------------------------------------===//

Value Build::compare(Value lhs, Value rhs, Direction direction, bool totalOrder) {
  auto op = CompareOp::create(
      builder, loc, arrayType(lhs).clone(builder.getI1Type()), lhs, rhs, direction,
      totalOrder ? ComparisonTypeAttr::get(builder.getContext(), ComparisonType::TOTALORDER)
                 : ComparisonTypeAttr());
  return op;
}

Value Build::convert(Value value, Type element) {
  if (getElementTypeOrSelf(value) == element)
    return value;
  return create("hlo.convert", value, arrayType(value).clone(element));
}

Value Build::bitcastConvert(Value value, Type element) {
  if (getElementTypeOrSelf(value) == element)
    return value;
  return create("hlo.bitcast_convert", value, arrayType(value).clone(element));
}

//===- Shapes --------------------------------------------------------------===//

Value Build::broadcast(Value value, Sizes shape, Sizes dimensions) {
  bool keepsOrder = llvm::is_sorted(dimensions);
  if (arrayType(value).getShape() == shape && keepsOrder)
    return value;
  return BroadcastOp::create(builder, loc, arrayType(value).clone(shape), value, dimensions);
}

Value Build::reshape(Value value, Sizes shape) {
  if (arrayType(value).getShape() == shape)
    return value;
  return create("hlo.reshape", value, arrayType(value).clone(shape));
}

Value Build::transpose(Value value, Sizes permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t dimension : permutation)
    shape.push_back(arrayType(value).getDimSize(dimension));
  return TransposeOp::create(builder, loc, arrayType(value).clone(shape), value, permutation);
}

Value Build::reverse(Value value, Sizes dimensions) {
  if (dimensions.empty())
    return value;
  return ReverseOp::create(builder, loc, value.getType(), value, dimensions);
}

Value Build::slice(Value value, Sizes starts, Sizes limits, Sizes strides) {
  SmallVector<int64_t> steps(strides), shape;
  steps.resize(starts.size(), 1);
  for (auto [start, limit, step] : llvm::zip(starts, limits, steps))
    shape.push_back((limit - start + step - 1) / step);
  if (Sizes(shape) == arrayType(value).getShape())
    return value;
  return SliceOp::create(builder, loc, arrayType(value).clone(shape), value, starts, limits, steps);
}

Value Build::sliceOf(Value value, int64_t dimension, int64_t start, int64_t limit, int64_t stride) {
  SmallVector<int64_t> starts(arrayType(value).getRank(), 0), steps(starts.size(), 1);
  SmallVector<int64_t> limits(arrayType(value).getShape());
  starts[dimension] = start;
  limits[dimension] = limit;
  steps[dimension] = stride;
  return slice(value, starts, limits, steps);
}

Value Build::pad(Value value, Value padding, Sizes low, Sizes high, Sizes interior) {
  SmallVector<int64_t> shape;
  for (auto [size, below, above, between] :
       llvm::zip(arrayType(value).getShape(), low, high, interior))
    shape.push_back(below + above + size + std::max<int64_t>(size - 1, 0) * between);
  if (llvm::all_of(low, [](int64_t n) { return n == 0; }) &&
      Sizes(shape) == arrayType(value).getShape())
    return value;
  return PadOp::create(builder, loc, arrayType(value).clone(shape), value, padding, low, high,
                       interior);
}

Value Build::concatenate(ValueRange values, int64_t dimension) {
  if (values.size() == 1)
    return values[0];
  SmallVector<int64_t> shape(arrayType(values[0]).getShape());
  for (Value value : values.drop_front())
    shape[dimension] += arrayType(value).getDimSize(dimension);
  return ConcatenateOp::create(builder, loc, arrayType(values[0]).clone(shape), values, dimension);
}

Value Build::iota(Sizes shape, Type element, int64_t dimension) {
  return IotaOp::create(builder, loc, RankedTensorType::get(shape, element), dimension);
}

Value Build::dynamicSlice(Value value, ValueRange starts, Sizes sizes) {
  return DynamicSliceOp::create(builder, loc, arrayType(value).clone(sizes), value, starts, sizes);
}

Value Build::dynamicUpdateSlice(Value value, Value update, ValueRange starts) {
  return DynamicUpdateSliceOp::create(builder, loc, value.getType(), value, update, starts);
}

Value Build::signedIndices(Value indices) {
  auto type = cast<IntegerType>(getElementTypeOrSelf(indices));
  unsigned needed = type.getWidth() + type.isUnsigned();
  if (needed > 64)
    indices = binary<MinimumOp>(indices, broadcast(scalar(type, APInt::getSignedMaxValue(64)),
                                                   arrayType(indices).getShape(), {}));
  return convert(indices, needed <= 32 ? builder.getI32Type() : builder.getI64Type());
}

Value Build::elementsAt(Value vector, Value places) {
  RankedTensorType type = arrayType(places).clone(getElementTypeOrSelf(vector));
  return GatherOp::create(
      builder, loc, type, vector, places, /*offset_dims=*/ArrayRef<int64_t>{},
      /*collapsed_slice_dims=*/ArrayRef<int64_t>{0}, /*operand_batching_dims=*/ArrayRef<int64_t>{},
      /*start_indices_batching_dims=*/ArrayRef<int64_t>{}, /*start_index_map=*/ArrayRef<int64_t>{0},
      /*index_vector_dim=*/type.getRank(), /*slice_sizes=*/ArrayRef<int64_t>{1},
      /*indices_are_sorted=*/false);
}

//===- Others --------------------------------------------------------------===//

SmallVector<Value>
Build::countedLoop(int64_t count, bool reversed, ValueRange inits,
                   function_ref<SmallVector<Value>(Build, Value, ValueRange)> step) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = constant(0), end = constant(count), one = constant(1), last = constant(count - 1);
  auto loop = scf::ForOp::create(builder, loc, zero, end, one, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value iv = loop.getInductionVar();
  if (reversed)
    iv = arith::SubIOp::create(builder, loc, last, iv);
  Type i32 = builder.getI32Type();
  Value narrow = arith::IndexCastOp::create(builder, loc, i32, iv);
  Value scalar =
      tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({}, i32), narrow);
  SmallVector<Value> results = step(*this, scalar, loop.getRegionIterArgs());
  if (!inits.empty()) // otherwise the loop has a terminator
    scf::YieldOp::create(builder, loc, results);
  return SmallVector<Value>(loop.getResults());
}

Value Build::reduce(Value value, Value init, Sizes dimensions, StringRef opName) {
  if (dimensions.empty())
    return value;
  SmallVector<int64_t> shape;
  for (auto [dimension, size] : llvm::enumerate(arrayType(value).getShape()))
    if (!llvm::is_contained(dimensions, int64_t(dimension)))
      shape.push_back(size);
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  ComputationOp reducer = getOrCreateReducer(module, opName, arrayType(value).getElementType());
  return ReduceOp::create(builder, loc, TypeRange(arrayType(value).clone(shape)),
                          ValueRange{value, init}, dimensions, reducer.getSymName())
      .getResult(0);
}

Value Build::reduceSum(Value value, Sizes dimensions) {
  return reduce(value, scalar(arrayType(value).getElementType(), 0.0), dimensions, "hlo.add");
}

Value Build::dot(Value lhs, Value rhs, Sizes lhsBatch, Sizes rhsBatch, Sizes lhsContracting,
                 Sizes rhsContracting) {
  SmallVector<int64_t> shape;
  for (int64_t dimension : lhsBatch)
    shape.push_back(arrayType(lhs).getDimSize(dimension));
  auto appendFree = [&](RankedTensorType type, Sizes batch, Sizes contracting) {
    for (auto [dimension, size] : llvm::enumerate(type.getShape()))
      if (!llvm::is_contained(batch, int64_t(dimension)) &&
          !llvm::is_contained(contracting, int64_t(dimension)))
        shape.push_back(size);
  };
  appendFree(arrayType(lhs), lhsBatch, lhsContracting);
  appendFree(arrayType(rhs), rhsBatch, rhsContracting);
  return DotOp::create(builder, loc, arrayType(lhs).clone(shape), lhs, rhs, lhsBatch, rhsBatch,
                       lhsContracting, rhsContracting, ArrayAttr(), DotAlgorithmAttr());
}
