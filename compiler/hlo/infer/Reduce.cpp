// SPDX-License-Identifier: Apache-2.0
// Operations that apply a scalar computation over dimensions, and normalizations.
#include "compiler/hlo/infer/Rules.h"
#include "compiler/hlo/infer/Signatures.h"

using namespace mlir;

namespace hloc::hlo {

FailureOr<Type> infer(ReduceOp::Adaptor op, const Rule &rule) {
  auto parts = expectReducible(rule, op.getArrays().getTypes());
  if (failed(parts))
    return failure();
  Shape input(parts->inputs.front());
  if (failed(expectDimensions(rule, op.getDimensions(), input.getRank(), "dimensions"))) // C4
    return failure();
  auto elements = expectReducer(rule, op.getToApplyAttr(), parts->getInputElements(),
                                parts->getInitialElements()); // C5
  if (failed(elements))
    return failure();
  Shape result(input.element);
  for (int64_t d = 0; d < input.getRank(); ++d)
    if (!llvm::is_contained(op.getDimensions(), d))
      result.append(input.sizes[d], input.dynamic[d]);
  SmallVector<Type> results;
  for (Type element : elements->types) {
    result.element = element;
    results.push_back(result.getType());
  }
  return elements->pack(results);
}

/// At least one operand, all of them arrays of the same dimensions.
static FailureOr<SmallVector<RankedTensorType>> expectArraysOfOneShape(const Rule &rule,
                                                                       TypeRange inputs) {
  if (inputs.empty())
    return rule.fail(Error::OperandCount) << "expected at least one operand but got none";
  SmallVector<RankedTensorType> arrays;
  for (auto [i, type] : llvm::enumerate(inputs)) {
    auto array = expectArray(rule, type, "operand " + Twine(i));
    if (failed(array))
      return failure();
    arrays.push_back(*array);
    if (!shapesAgree(arrays[0], *array))
      return rule.fail(Error::ShapesDiffer)
             << "expected operand " << i << " to have the dimensions of " << toText(Type(arrays[0]))
             << " but got " << toText(type);
  }
  return arrays;
}

FailureOr<Type> infer(SortOp::Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  auto arrays = expectArraysOfOneShape(rule, inputs); // C1, C2
  if (failed(arrays))
    return failure();
  SmallVector<Type> elements;
  for (RankedTensorType array : *arrays)
    elements.append(2, array.getElementType());
  if (failed(expectDimension(rule, op.getDimension(), arrays->front().getRank(),
                             "dimensions")) ||                       // C3
      failed(expectComparator(rule, op.getToApplyAttr(), elements))) // C4
    return failure();
  return packTypes(rule.getContext(), inputs);
}

FailureOr<Type> infer(TopkOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  if (failed(operand))
    return failure();
  if (operand->getRank() == 0) // C1
    return rule.fail(Error::Rank) << "expected the operand to have at least one dimension but got "
                                  << toText(Type(*operand));
  if (isComplex(operand->getElementType())) // C3
    return rule.fail(Error::ElementType)
           << "expected the operand to have elements with an order but got "
           << toText(Type(*operand));
  Shape shape(*operand);
  int64_t last = shape.sizes.back();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (failed(expectRange(rule, op.getK(), 0, last == kUnbounded ? kMax : last, "k"))) // C2
    return failure();
  shape.sizes.back() = op.getK();
  shape.dynamic.back() = false;
  Type values = shape.getType();
  shape.element = IntegerType::get(operand->getContext(), 32);
  return Type(TupleType::get(operand->getContext(), {values, shape.getType()}));
}

FailureOr<Type> infer(MapOp::Adaptor op, const Rule &rule) {
  TypeRange inputs = op.getInputs().getTypes();
  auto arrays = expectArraysOfOneShape(rule, inputs); // C1, C2
  if (failed(arrays))
    return failure();
  RankedTensorType first = arrays->front();
  SmallVector<Type> scalars;
  for (RankedTensorType array : *arrays)
    scalars.push_back(RankedTensorType::get({}, array.getElementType()));
  if (auto dimensions = op.getDimensions()) { // C3
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, first.getRank()));
    if (*dimensions != Sizes(all))
      return rule.fail(Error::DimensionOrder)
             << "expected dimensions " << toText(Sizes(all)) << " but got " << toText(*dimensions);
  }
  Shape shape(first);
  if (!rule.knowsSignatures()) {
    if (auto declared = dyn_cast_or_null<RankedTensorType>(rule.getDeclared()))
      shape.element = declared.getElementType();
    return Type(shape.getType());
  }
  auto results = expectCallable(rule, op.getToApplyAttr(), scalars, "computation"); // C4
  if (failed(results))
    return failure();
  auto scalar =
      results->size() == 1 ? dyn_cast<RankedTensorType>((*results)[0]) : RankedTensorType();
  if (!scalar || scalar.getRank() != 0) // C5
    return rule.fail(Error::Signature) << "expected computation " << op.getToApply()
                                       << " to return a scalar but it returns " << toText(*results);
  shape.element = scalar.getElementType();
  return Type(shape.getType());
}

/// `array` without dimension `d`, or null if `d` does not have that size.
static Shape withoutDimension(Shape shape, int64_t d) {
  shape.sizes.erase(shape.sizes.begin() + d);
  shape.dynamic.erase(shape.dynamic.begin() + d);
  return shape;
}

FailureOr<Type> infer(ScanOp::Adaptor op, const Rule &rule) {
  TypeRange arrays = op.getArrays().getTypes();
  int64_t carries = op.getNumCarries();
  if (failed(expectRange(rule, carries, 0, arrays.size(), "num_carries")) || // C1
      failed(expectCount(rule, op.getDimensions().size(), 1, "dimensions"))) // C2
    return failure();
  int64_t dimension = op.getDimensions()[0], inputs = arrays.size() - carries;
  int64_t steps = kUnbounded;
  bool isDynamic = false;
  SmallVector<Type> operands;
  for (int64_t i = 0; i < int64_t(arrays.size()); ++i) {
    auto array = expectArray(rule, arrays[i], "operand " + Twine(i));
    if (failed(array))
      return failure();
    if (i >= inputs) {
      operands.push_back(*array);
      continue;
    }
    if (failed(expectDimension(rule, dimension, array->getRank(), "dimensions"))) // C3
      return failure();
    Shape shape(*array);
    if (!sizesAgree(steps, shape.sizes[dimension])) // C4
      return rule.fail(Error::SizesDiffer)
             << "expected " << steps << " elements in dimension " << dimension << " of input " << i
             << " but got " << toText(arrays[i]);
    steps = shape.sizes[dimension];
    isDynamic = isDynamic || shape.dynamic[dimension];
    operands.push_back(withoutDimension(shape, dimension).getType());
  }
  if (!rule.knowsSignatures())
    return rule.getDeclared() ? rule.getDeclared()
                              : Type(TupleType::get(rule.getContext(), SmallVector<Type>(arrays)));
  auto results = expectCallable(rule, op.getToApplyAttr(), operands, "computation"); // C5
  if (failed(results))
    return failure();
  TypeRange elements = *results;
  auto tuple = elements.size() == 1 ? dyn_cast<TupleType>(elements[0]) : TupleType();
  if (tuple)
    elements = tuple.getTypes();
  int64_t outputs = int64_t(elements.size()) - carries;
  if (outputs < 0 || !typesAgree(elements.drop_front(outputs), arrays.drop_front(inputs))) // C6
    return rule.fail(Error::Signature)
           << "expected computation " << op.getToApply()
           << " to return outputs followed by carries of (" << toText(arrays.drop_front(inputs))
           << ") but it returns " << toText(*results);
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(elements)) {
    auto array = dyn_cast<RankedTensorType>(type);
    if (int64_t(i) >= outputs) {
      types.push_back(type);
      continue;
    }
    if (!array || dimension > array.getRank()) // C7
      return rule.fail(Error::Signature) << "expected output " << i << " of computation "
                                         << op.getToApply() << " to be an array of at least "
                                         << dimension << " dimensions but got " << toText(type);
    Shape shape(array);
    shape.sizes.insert(shape.sizes.begin() + dimension, steps);
    shape.dynamic.insert(shape.dynamic.begin() + dimension, isDynamic || steps == kUnbounded);
    types.push_back(shape.getType());
  }
  return Type(TupleType::get(rule.getContext(), types));
}

//===- Normalization -------------------------------------------------------===//

/// C1: a float operand; C2: feature_index is a dimension; C3: each of `features` has one number of
/// the operand's element type per feature.
static FailureOr<RankedTensorType>
expectFeatures(const Rule &rule, Type type, int64_t index,
               std::initializer_list<std::pair<Type, StringRef>> features) {
  auto operand = expectArray(rule, type, "the operand");
  if (failed(operand))
    return failure();
  if (!isFloat(operand->getElementType()))
    return rule.fail(Error::ElementType)
           << "expected the operand to have floats but got " << toText(type);
  if (failed(expectDimension(rule, index, operand->getRank(), "feature_index")))
    return failure();
  int64_t count = getBounds(*operand)[index];
  for (auto [feature, name] : features) {
    auto array = expectArray(rule, feature, name);
    if (failed(array) || failed(expectRank(rule, *array, 1, name)) ||
        failed(expectSameElement(rule, operand->getElementType(), array->getElementType(), name)))
      return failure();
    if (!sizesAgree(getBounds(*array)[0], count))
      return rule.fail(Error::SizesDiffer)
             << "expected " << name << " to have one element a feature, " << count << ", but got "
             << toText(feature);
  }
  return operand;
}

/// The operand's type, and two arrays of one number per feature.
static Type withFeatures(RankedTensorType operand, int64_t index) {
  Shape shape(operand), feature(operand.getElementType());
  feature.append(shape.sizes[index], shape.dynamic[index]);
  return TupleType::get(operand.getContext(), {operand, feature.getType(), feature.getType()});
}

FailureOr<Type> infer(BatchNormTrainingOp::Adaptor op, const Rule &rule) {
  auto operand =
      expectFeatures(rule, op.getOperand().getType(), op.getFeatureIndex(),
                     {{op.getScale().getType(), "scale"}, {op.getOffset().getType(), "offset"}});
  if (failed(operand))
    return failure();
  return withFeatures(*operand, op.getFeatureIndex());
}

FailureOr<Type> infer(BatchNormInferenceOp::Adaptor op, const Rule &rule) {
  auto operand = expectFeatures(rule, op.getOperand().getType(), op.getFeatureIndex(),
                                {{op.getScale().getType(), "scale"},
                                 {op.getOffset().getType(), "offset"},
                                 {op.getMean().getType(), "mean"},
                                 {op.getVariance().getType(), "variance"}});
  if (failed(operand))
    return failure();
  return Type(*operand);
}

FailureOr<Type> infer(BatchNormGradOp::Adaptor op, const Rule &rule) {
  auto operand = expectFeatures(rule, op.getOperand().getType(), op.getFeatureIndex(),
                                {{op.getScale().getType(), "scale"},
                                 {op.getMean().getType(), "mean"},
                                 {op.getVariance().getType(), "variance"}});
  if (failed(operand))
    return failure();
  if (!typesAgree(*operand, op.getGradOutput().getType())) // C4
    return rule.fail(Error::ShapesDiffer) << "expected grad_output to be " << toText(Type(*operand))
                                          << " but got " << toText(op.getGradOutput().getType());
  return withFeatures(*operand, op.getFeatureIndex());
}

} // namespace hloc::hlo
