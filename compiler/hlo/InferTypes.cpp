// SPDX-License-Identifier: Apache-2.0
// Result types of the operations that can infer them.
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc::hlo;

/// Whether two types agree in all but layout.
static bool agree(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  if (left && right)
    return left.getElementType() == right.getElementType() && left.getShape() == right.getShape();
  auto leftTuple = dyn_cast<TupleType>(a), rightTuple = dyn_cast<TupleType>(b);
  if (leftTuple && rightTuple)
    return leftTuple.size() == rightTuple.size() &&
           llvm::all_of_zip(leftTuple.getTypes(), rightTuple.getTypes(), agree);
  return a == b;
}

static bool agree(TypeRange left, TypeRange right) {
  return left.size() == right.size() && llvm::all_of_zip(left, right, [](Type a, Type b) { return agree(a, b); });
}

static RankedTensorType arrayOf(ArrayRef<int64_t> shape, Type element) {
  return RankedTensorType::get(shape, element);
}

static Type withElement(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

static Type realOf(Value value) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return withElement(value, element);
}

#define INFER(Op, ...)                                                                             \
  bool Op::isCompatibleReturnTypes(TypeRange l, TypeRange r) { return agree(l, r); }               \
  LogicalResult Op::inferReturnTypes(MLIRContext *context, std::optional<Location> location,       \
                                     Adaptor op, SmallVectorImpl<Type> &types) {                   \
    types.push_back(__VA_ARGS__);                                                                  \
    return success();                                                                              \
  }

INFER(CeilOp, op.getOperands()[0].getType())
INFER(CountLeadingZerosOp, op.getOperands()[0].getType())
INFER(FloorOp, op.getOperands()[0].getType())
INFER(NegateOp, op.getOperands()[0].getType())
INFER(NotOp, op.getOperands()[0].getType())
INFER(PopcntOp, op.getOperands()[0].getType())
INFER(RoundNearestAfzOp, op.getOperands()[0].getType())
INFER(RoundNearestEvenOp, op.getOperands()[0].getType())
INFER(SignOp, op.getOperands()[0].getType())
INFER(AcosOp, op.getOperands()[0].getType())
INFER(AcoshOp, op.getOperands()[0].getType())
INFER(AsinOp, op.getOperands()[0].getType())
INFER(AsinhOp, op.getOperands()[0].getType())
INFER(AtanhOp, op.getOperands()[0].getType())
INFER(CbrtOp, op.getOperands()[0].getType())
INFER(CosineOp, op.getOperands()[0].getType())
INFER(CoshOp, op.getOperands()[0].getType())
INFER(ErfOp, op.getOperands()[0].getType())
INFER(ExponentialOp, op.getOperands()[0].getType())
INFER(ExponentialMinusOneOp, op.getOperands()[0].getType())
INFER(LogOp, op.getOperands()[0].getType())
INFER(LogPlusOneOp, op.getOperands()[0].getType())
INFER(LogisticOp, op.getOperands()[0].getType())
INFER(RsqrtOp, op.getOperands()[0].getType())
INFER(SineOp, op.getOperands()[0].getType())
INFER(SinhOp, op.getOperands()[0].getType())
INFER(SqrtOp, op.getOperands()[0].getType())
INFER(TanOp, op.getOperands()[0].getType())
INFER(TanhOp, op.getOperands()[0].getType())
INFER(AddOp, op.getOperands()[0].getType())
INFER(AndOp, op.getOperands()[0].getType())
INFER(Atan2Op, op.getOperands()[0].getType())
INFER(DivideOp, op.getOperands()[0].getType())
INFER(MaximumOp, op.getOperands()[0].getType())
INFER(MinimumOp, op.getOperands()[0].getType())
INFER(MulhiOp, op.getOperands()[0].getType())
INFER(MultiplyOp, op.getOperands()[0].getType())
INFER(OrOp, op.getOperands()[0].getType())
INFER(PowerOp, op.getOperands()[0].getType())
INFER(RemainderOp, op.getOperands()[0].getType())
INFER(ShiftLeftOp, op.getOperands()[0].getType())
INFER(ShiftRightArithmeticOp, op.getOperands()[0].getType())
INFER(ShiftRightLogicalOp, op.getOperands()[0].getType())
INFER(SubtractOp, op.getOperands()[0].getType())
INFER(XorOp, op.getOperands()[0].getType())
INFER(ReverseOp, op.getOperands()[0].getType())
INFER(CopyOp, op.getOperands()[0].getType())
INFER(CholeskyOp, op.getOperands()[0].getType())
INFER(AddDependencyOp, op.getOperands()[0].getType())
INFER(DomainOp, op.getOperands()[0].getType())
INFER(DynamicUpdateSliceOp, op.getOperands()[0].getType())
INFER(BatchNormInferenceOp, op.getOperands()[0].getType())

static Type transposed(TransposeOp::Adaptor op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> shape;
  for (int64_t dimension : op.getDimensions())
    shape.push_back(type.getDimSize(dimension));
  return arrayOf(shape, type.getElementType());
}

static Type sliced(SliceOp::Adaptor op) {
  SmallVector<int64_t> shape;
  for (auto [start, limit, stride] : llvm::zip(op.getStarts(), op.getLimits(), op.getStrides()))
    shape.push_back((limit - start + stride - 1) / stride);
  return arrayOf(shape, getElementTypeOrSelf(op.getOperand()));
}

static Type padded(PadOp::Adaptor op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> shape;
  for (auto [size, low, high, interior] :
       llvm::zip(type.getShape(), op.getLow(), op.getHigh(), op.getInterior()))
    shape.push_back(low + high + size + std::max<int64_t>(size - 1, 0) * interior);
  return arrayOf(shape, type.getElementType());
}

static Type concatenated(ConcatenateOp::Adaptor op) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  SmallVector<int64_t> shape(type.getShape());
  for (Value input : op.getInputs().drop_front())
    shape[op.getDimension()] += cast<RankedTensorType>(input.getType()).getDimSize(op.getDimension());
  return arrayOf(shape, type.getElementType());
}

static Type gathered(GatherOp::Adaptor op) {
  auto indices = cast<RankedTensorType>(op.getStartIndices().getType());
  SmallVector<int64_t> batch(indices.getShape()), window, shape;
  if (op.getIndexVectorDim() < batch.size())
    batch.erase(batch.begin() + op.getIndexVectorDim());
  for (auto [dimension, size] : llvm::enumerate(op.getSliceSizes()))
    if (!llvm::is_contained(op.getCollapsedSliceDims(), dimension) &&
        !llvm::is_contained(op.getOperandBatchingDims(), dimension))
      window.push_back(size);
  auto nextBatch = batch.begin(), nextWindow = window.begin();
  for (size_t i = 0; i < batch.size() + window.size(); ++i)
    shape.push_back(llvm::is_contained(op.getOffsetDims(), i) ? *nextWindow++ : *nextBatch++);
  return arrayOf(shape, getElementTypeOrSelf(op.getOperand()));
}

static Type transformed(FftOp::Adaptor op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> shape(type.getShape());
  Type element = type.getElementType();
  if (op.getFftType() == FftType::RFFT) {
    shape.back() = op.getFftLength().back() / 2 + 1;
    element = ComplexType::get(element);
  } else if (op.getFftType() == FftType::IRFFT) {
    shape.back() = op.getFftLength().back();
    element = cast<ComplexType>(element).getElementType();
  }
  return arrayOf(shape, element);
}

INFER(AbsOp, realOf(op.getOperand()))
INFER(RealOp, realOf(op.getOperand()))
INFER(ImagOp, realOf(op.getOperand()))
INFER(ClampOp, op.getOperand().getType())
INFER(SelectOp, op.getOnTrue().getType())
INFER(TriangularSolveOp, op.getB().getType())
INFER(IsFiniteOp, withElement(op.getOperand(), IntegerType::get(context, 1)))
INFER(CompareOp, withElement(op.getLhs(), IntegerType::get(context, 1)))
INFER(ComplexOp, withElement(op.getLhs(), ComplexType::get(getElementTypeOrSelf(op.getLhs()))))
INFER(PartitionIdOp, arrayOf({}, IntegerType::get(context, 32, IntegerType::Unsigned)))
INFER(ReplicaIdOp, arrayOf({}, IntegerType::get(context, 32, IntegerType::Unsigned)))
INFER(GetDimensionSizeOp, arrayOf({}, IntegerType::get(context, 32)))
INFER(SetDimensionSizeOp, op.getOperand().getType())
INFER(AfterAllOp, TokenType::get(context))
INFER(TupleOp, TupleType::get(context, SmallVector<Type>(op.getElements().getTypes())))
INFER(GetTupleElementOp, cast<TupleType>(op.getOperand().getType()).getType(op.getIndex()))
INFER(DynamicSliceOp, arrayOf(op.getDynamicSliceSizes(), getElementTypeOrSelf(op.getOperand())))
INFER(TransposeOp, transposed(op))
INFER(SliceOp, sliced(op))
INFER(PadOp, padded(op))
INFER(ConcatenateOp, concatenated(op))
INFER(GatherOp, gathered(op))
INFER(FftOp, transformed(op))
