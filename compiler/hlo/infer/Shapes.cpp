// SPDX-License-Identifier: Apache-2.0
// Operations that rearrange elements, and those on tuples.
#include "compiler/hlo/Literal.h"
#include "compiler/hlo/infer/Rules.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc::hlo {

FailureOr<Type> infer(ConstantOp::Adaptor op, const Rule &rule) {
  // C1: the literal has the shape of the result.
  auto fits = [](auto &self, Type type, Attribute value) -> bool {
    if (auto tuple = dyn_cast<TupleType>(type)) {
      auto parts = dyn_cast<ArrayAttr>(value);
      return parts && parts.size() == tuple.size() &&
             llvm::all_of_zip(tuple.getTypes(), parts,
                              [&](Type t, Attribute v) { return self(self, t, v); });
    }
    auto array = dyn_cast<RankedTensorType>(type);
    auto elements = dyn_cast<ElementsAttr>(value);
    if (!array || !elements)
      return !array && !elements;
    return elements.getElementType() == array.getElementType() &&
           elements.getShapedType().getShape() == Sizes(getBounds(array));
  };
  Type declared = rule.getDeclared();
  if (!declared)
    return rule.fail(Error::ResultMissing) << "expected the text to state the result's shape";
  if (!fits(fits, declared, op.getValue()))
    return rule.fail(Error::Literal) << "expected a literal of " << toText(declared);
  return declared;
}

FailureOr<Type> infer(IotaOp::Adaptor op, const Rule &rule) {
  auto declared = expectDeclaredArray(rule);
  if (failed(declared) || failed(expectDimension(rule, op.getIotaDimension(), declared->getRank(),
                                                 "iota_dimension"))) // C1
    return failure();
  if (isPred(declared->getElementType())) // C2
    return rule.fail(Error::ElementType)
           << "expected a result of numbers but got " << toText(Type(*declared));
  return Type(*declared);
}

/// The positions of bounded dimensions in memory, from the most major one on: the number of
/// elements before each, and its bits at its bound, which may not fit in 64 bits.
static SmallVector<std::pair<int64_t, __int128>> listBoundedDimensions(RankedTensorType type) {
  Shape shape(type);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(shape.getRank()));
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    order.assign(layout.getMinorToMajor().rbegin(), layout.getMinorToMajor().rend());
  SmallVector<std::pair<int64_t, __int128>> found;
  int64_t before = 1, rest = countElements(shape.sizes).value_or(0);
  for (int64_t d : order) {
    if (shape.dynamic[d])
      found.emplace_back(before, __int128(rest) * getStorageBits(shape.element));
    before *= shape.sizes[d];
    rest = shape.sizes[d] == 0 ? 0 : rest / shape.sizes[d];
  }
  return found;
}

FailureOr<Type> infer(BitcastOp::Adaptor op, const Rule &rule) {
  auto declared = expectDeclaredArray(rule); // of any size, since layouts may pad
  if (failed(declared))
    return failure();
  auto operand = dyn_cast<RankedTensorType>(op.getOperand().getType());
  bool isBounded =
      operand && countElements(getBounds(operand)) && countElements(getBounds(*declared));
  if (isBounded && listBoundedDimensions(operand) != listBoundedDimensions(*declared)) // C2
    return rule.fail(Error::SizesDiffer)
           << "expected each bounded dimension of the result to lie in memory where one of "
           << toText(Type(operand)) << " does but got " << toText(Type(*declared));
  return Type(*declared);
}

FailureOr<Type> infer(BitcastConvertOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  auto declared = expectDeclaredArray(rule);
  if (failed(operand) || failed(declared))
    return failure();
  Type from = operand->getElementType(), to = declared->getElementType();
  if (isComplex(from) != isComplex(to)) // C1
    return rule.fail(Error::ElementType)
           << "expected operand and result to be both complex or both real but got "
           << elementToText(from) << " and " << elementToText(to);
  int64_t narrow = std::min(getBits(from), getBits(to)),
          wide = std::max(getBits(from), getBits(to));
  if (wide % narrow) // C2
    return rule.fail(Error::ElementType) << "expected one width to divide the other but got "
                                         << elementToText(from) << " and " << elementToText(to);
  Shape shape(*operand);
  shape.element = to;
  if (getBits(from) > getBits(to)) {
    shape.append(wide / narrow, false);
  } else if (getBits(from) < getBits(to)) {
    if (shape.sizes.empty() || !sizesAgree(shape.sizes.back(), wide / narrow)) // C3
      return rule.fail(Error::SizesDiffer)
             << "expected the last dimension to hold the " << wide / narrow << " parts of "
             << elementToText(to) << " but got " << toText(Type(*operand));
    shape.sizes.pop_back();
    shape.dynamic.pop_back();
  }
  return Type(shape.getType());
}

/// Reshapes keep the element type (C1) and the number of elements (C2).
static LogicalResult expectSameElements(const Rule &rule, RankedTensorType operand,
                                        RankedTensorType result) {
  if (failed(
          expectSameElement(rule, operand.getElementType(), result.getElementType(), "the result")))
    return failure();
  auto from = countElements(getBounds(operand)), to = countElements(getBounds(result));
  if (from && to && *from != *to)
    return rule.fail(Error::ElementCount)
           << "expected a result of as many elements as the operand, " << toText(Type(operand))
           << ", but got " << toText(Type(result));
  return success();
}

FailureOr<Type> infer(ReshapeOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  auto declared = expectDeclaredArray(rule);
  if (failed(operand) || failed(declared) || failed(expectSameElements(rule, *operand, *declared)))
    return failure();
  if (auto inferred = op.getInferredDimension()) // -1 means none
    if (failed(expectRange(rule, *inferred, -1, declared->getRank() - 1, "inferred_dimension")))
      return failure();
  return Type(*declared);
}

FailureOr<Type> infer(DynamicReshapeOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  auto declared = expectDeclaredArray(rule);
  if (failed(operand) || failed(declared) || failed(expectSameElements(rule, *operand, *declared)))
    return failure();
  if (failed(expectCount(rule, op.getSizes().size(), declared->getRank(), "sizes"))) // C3
    return failure();
  for (auto [i, size] : llvm::enumerate(op.getSizes())) { // C4
    Type type = size.getType();
    if (failed(expectScalar(rule, type, "size " + Twine(i))))
      return failure();
    if (!cast<RankedTensorType>(type).getElementType().isSignlessInteger(32))
      return rule.fail(Error::ElementType)
             << "expected size " << i << " to be s32[] but got " << toText(type);
  }
  return Type(*declared);
}

FailureOr<Type> infer(BroadcastOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  if (failed(operand))
    return failure();
  Sizes dimensions = op.getDimensions();
  if (failed(expectCount(rule, dimensions.size(), operand->getRank(), "dimensions"))) // C1
    return failure();
  if (!rule.getDeclared() && dimensions.empty())
    return Type(*operand);
  auto result = expectDeclaredArray(rule);
  if (failed(result) ||
      failed(expectDimensions(rule, dimensions, result->getRank(), "dimensions")) || // C2
      failed(expectSameElement(rule, operand->getElementType(), result->getElementType(),
                               "the result"))) // C3
    return failure();
  SmallVector<int64_t, 6> from = getBounds(*operand), to = getBounds(*result);
  for (auto [d, dimension] : llvm::enumerate(dimensions))
    if (!sizesAgree(from[d], to[dimension])) // C4
      return rule.fail(Error::SizesDiffer)
             << "expected dimension " << dimension
             << " of the result to have the size of dimension " << d << " of "
             << toText(Type(*operand)) << " but got " << toText(Type(*result));
  return Type(*result);
}

/// `type`, the transpose of `operand`, in the layout in which the elements keep their places in
/// memory: the default if the text does not state the result's shape.
static RankedTensorType withPermutedLayout(RankedTensorType type, RankedTensorType operand,
                                           Sizes dimensions) {
  SmallVector<int64_t> order, place(dimensions.size());
  for (auto [i, d] : llvm::enumerate(dimensions))
    place[d] = i;
  auto layout = dyn_cast_or_null<LayoutAttr>(operand.getEncoding());
  for (int64_t i = 0, rank = type.getRank(); i < rank; ++i)
    order.push_back(place[layout ? layout.getMinorToMajor()[i] : rank - 1 - i]);
  auto own = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  bool isDefault = llvm::equal(llvm::reverse(order), llvm::seq<int64_t>(0, type.getRank()));
  if (isDefault && !own)
    return type;
  auto bounds = own ? own.getBounds() : ArrayRef<int64_t>();
  return RankedTensorType::get(
      type.getShape(), type.getElementType(),
      LayoutAttr::get(type.getContext(), order, bounds, {}, 0, 0, nullptr));
}

FailureOr<Type> infer(TransposeOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  Sizes dimensions = op.getDimensions();
  if (failed(operand) ||
      failed(expectCount(rule, dimensions.size(), operand->getRank(), "dimensions")) || // C1
      failed(expectDimensions(rule, dimensions, operand->getRank(), "dimensions")))     // C2
    return failure();
  Shape shape(*operand), result(shape.element);
  for (int64_t d : dimensions)
    result.append(shape.sizes[d], shape.dynamic[d]);
  return Type(withPermutedLayout(result.getType(), *operand, dimensions));
}

FailureOr<Type> infer(ReverseOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  if (failed(operand) ||
      failed(expectDimensions(rule, op.getDimensions(), operand->getRank(), "dimensions"))) // C1
    return failure();
  return Type(*operand);
}

FailureOr<Type> infer(PadOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  if (failed(operand) ||
      failed(expectScalar(rule, op.getPaddingValue().getType(), "the padding value")) || // C1
      failed(expectSameElement(rule, operand->getElementType(),
                               getElementTypeOrSelf(op.getPaddingValue()),
                               "the padding value"))) // C2
    return failure();
  Shape shape(*operand);
  for (Sizes list : {op.getLow(), op.getHigh(), op.getInterior()})
    if (failed(expectCount(rule, list.size(), shape.getRank(), "padding entries"))) // C3
      return failure();
  for (int64_t d = 0; d < shape.getRank(); ++d) {
    int64_t size = shape.sizes[d], interior = op.getInterior()[d];
    if (failed(expectRange(rule, interior, 0, std::numeric_limits<int64_t>::max(),
                           "interior padding"))) // C4
      return failure();
    if (size == kUnbounded)
      continue;
    std::optional<int64_t> padded = llvm::checkedMul(std::max<int64_t>(size - 1, 0), interior);
    padded = padded ? llvm::checkedAdd(*padded, size) : padded;
    padded = padded ? addPadding(*padded, op.getLow()[d], op.getHigh()[d]) : padded;
    if (!padded) // C5
      return rule.fail(Error::TooLarge) << "dimension " << d << " is too large after padding";
    if (*padded < 0) // C6
      return rule.fail(Error::SliceRange)
             << "expected the padding of dimension " << d
             << " to leave at least 0 elements but it leaves " << *padded;
    shape.sizes[d] = *padded;
  }
  return Type(shape.getType());
}

FailureOr<Type> infer(ConcatenateOp::Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  if (inputs.empty()) // C1
    return rule.fail(Error::OperandCount) << "expected at least one operand but got none";
  auto first = expectArray(rule, inputs[0], "operand 0");
  int64_t dimension = op.getDimension();
  if (failed(first) ||
      failed(expectDimension(rule, dimension, first->getRank(), "dimensions"))) // C2
    return failure();
  Shape result(*first);
  for (auto [i, type] : llvm::enumerate(inputs.drop_front())) {
    std::string what = "operand " + std::to_string(i + 1);
    auto array = expectArray(rule, type, what);
    if (failed(array) || failed(expectRank(rule, *array, first->getRank(), what)) || // C3
        failed(
            expectSameElement(rule, first->getElementType(), array->getElementType(), what))) // C4
      return failure();
    Shape shape(*array);
    for (int64_t d = 0; d < result.getRank(); ++d) {
      if (d == dimension) {
        bool unbounded = result.sizes[d] == kUnbounded || shape.sizes[d] == kUnbounded;
        std::optional<int64_t> sum = unbounded ? std::optional(kUnbounded)
                                               : llvm::checkedAdd(result.sizes[d], shape.sizes[d]);
        if (!sum) // C5
          return rule.fail(Error::TooLarge) << "dimension " << d << " of the result is too large";
        result.sizes[d] = *sum;
        result.dynamic[d] = result.dynamic[d] || shape.dynamic[d] || unbounded;
      } else if (!sizesAgree(result.sizes[d], shape.sizes[d])) { // C6
        return rule.fail(Error::SizesDiffer)
               << "expected " << what << " to have the sizes of " << toText(Type(*first))
               << " but for dimension " << dimension << ", and got " << toText(type);
      } else if (result.sizes[d] == kUnbounded) {
        result.sizes[d] = shape.sizes[d];
        result.dynamic[d] = shape.dynamic[d];
      } else if (shape.sizes[d] != kUnbounded) {
        result.dynamic[d] = result.dynamic[d] || shape.dynamic[d];
      }
    }
  }
  return Type(result.getType());
}

FailureOr<Type> infer(CopyOp::Adaptor op, const Rule &rule) { return op.getOperand().getType(); }

FailureOr<Type> infer(TupleOp::Adaptor op, const Rule &rule) {
  return Type(TupleType::get(rule.getContext(), SmallVector<Type>(op.getElements().getTypes())));
}

FailureOr<Type> infer(GetTupleElementOp::Adaptor op, const Rule &rule) {
  auto tuple = dyn_cast<TupleType>(op.getOperand().getType());
  if (!tuple) // C1
    return rule.fail(Error::OperandKind)
           << "expected the operand to be a tuple but got " << toText(op.getOperand().getType());
  int64_t index = op.getIndex();
  if (index < 0 || index >= int64_t(tuple.size())) // C2
    return rule.fail(Error::ValueRange) << "expected index to be from 0 to "
                                        << int64_t(tuple.size()) - 1 << " but got " << index;
  return tuple.getType(index);
}

/// C1: a dimension of the operand; C2: its size fits in s32.
static FailureOr<RankedTensorType> expectSized(const Rule &rule, Type operand, int64_t dimension) {
  auto array = expectArray(rule, operand, "the operand");
  if (failed(array) || failed(expectDimension(rule, dimension, array->getRank(), "dimensions")))
    return failure();
  if (getBounds(*array)[dimension] > std::numeric_limits<int32_t>::max())
    return rule.fail(Error::TooLarge) << "expected the size of dimension " << dimension
                                      << " to fit in s32 but got " << toText(operand);
  return array;
}

FailureOr<Type> infer(GetDimensionSizeOp::Adaptor op, const Rule &rule) {
  auto array = expectSized(rule, op.getOperand().getType(), op.getDimension());
  if (failed(array))
    return failure();
  return Type(RankedTensorType::get({}, IntegerType::get(array->getContext(), 32)));
}

FailureOr<Type> infer(SetDimensionSizeOp::Adaptor op, const Rule &rule) {
  auto array = expectSized(rule, op.getOperand().getType(), op.getDimension());
  Type size = op.getSize().getType();
  if (failed(array) || failed(expectScalar(rule, size, "the size")))
    return failure();
  if (!cast<RankedTensorType>(size).getElementType().isSignlessInteger(32)) // C3
    return rule.fail(Error::ElementType)
           << "expected the size to be s32[] but got " << toText(size);
  Shape shape(*array);
  shape.dynamic[op.getDimension()] = true;
  return Type(shape.getType());
}

} // namespace hloc::hlo
