// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/infer/Signatures.h"

using namespace mlir;

namespace hloc::hlo {

static SmallVector<Type, 2> getElements(ArrayRef<RankedTensorType> arrays) {
  return llvm::map_to_vector<2>(arrays,
                                [](RankedTensorType type) { return type.getElementType(); });
}
SmallVector<Type, 2> Reducible::getInputElements() const { return getElements(inputs); }
SmallVector<Type, 2> Reducible::getInitialElements() const { return getElements(initials); }

FailureOr<Reducible> expectReducible(const Rule &rule, TypeRange arrays) {
  if (arrays.empty() || arrays.size() % 2) // C1
    return rule.fail(Error::OperandCount)
           << "expected inputs followed by as many initial values but got " << arrays.size()
           << " operands";
  Reducible parts;
  size_t count = arrays.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    auto input = expectArray(rule, arrays[i], "input " + Twine(i));
    if (failed(input) ||
        failed(expectScalar(rule, arrays[count + i], "initial value " + Twine(i)))) // C2
      return failure();
    parts.inputs.push_back(*input);
    parts.initials.push_back(cast<RankedTensorType>(arrays[count + i]));
    if (!shapesAgree(parts.inputs.front(), *input)) // C3
      return rule.fail(Error::ShapesDiffer)
             << "expected input " << i << " to have the dimensions of "
             << toText(Type(parts.inputs.front())) << " but got " << toText(Type(*input));
  }
  return parts;
}

Type Accumulators::pack(ArrayRef<Type> results) const {
  if (!tuple)
    return results.front();
  return TupleType::get(results.front().getContext(), results);
}

/// True if a type is a scalar of the element type.
static bool isScalarOf(Type type, Type element) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && array.getRank() == 0 && array.getElementType() == element;
}

static std::string scalarsToText(TypeRange elements) {
  std::string text;
  for (Type element : elements)
    text += (text.empty() ? "" : ", ") + elementToText(element) + "[]";
  return text;
}

static std::string toText(FunctionType type) {
  return "(" + toText(TypeRange(type.getInputs())) + ") -> " + toText(TypeRange(type.getResults()));
}

FailureOr<Accumulators> expectReducer(const Rule &rule, FlatSymbolRefAttr computation,
                                      TypeRange inputElements, TypeRange initialElements) {
  Accumulators accumulators{SmallVector<Type, 2>(initialElements), initialElements.size() > 1};
  if (!rule.knowsSignatures())
    return accumulators;
  auto signature = rule.getSignature(computation);
  if (failed(signature))
    return failure();
  auto mismatch = [&]() -> Report {
    std::string expected =
        "(" + scalarsToText(initialElements) + ", " + scalarsToText(inputElements) + ") -> ";
    std::string results = scalarsToText(initialElements);
    expected += initialElements.size() > 1 ? "(" + results + ")" : results;
    return rule.fail(Error::Reducer)
           << "expected computation " << computation.getValue() << " to have the signature "
           << expected << " but it has " << toText(*signature);
  };
  TypeRange results = signature->getResults();
  auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results[0]) : TupleType();
  if (tuple)
    results = tuple.getTypes();
  size_t count = inputElements.size();
  if (results.size() != count || signature->getNumInputs() != 2 * count)
    return mismatch();
  accumulators.tuple = tuple || count > 1;
  accumulators.types.clear();
  for (size_t i = 0; i < count; ++i) {
    Type initial = initialElements[i], input = inputElements[i];
    if (!isScalarOf(results[i], initial) || !isScalarOf(signature->getInput(i), initial) ||
        !isScalarOf(signature->getInput(count + i), input))
      return mismatch();
    accumulators.types.push_back(initial);
  }
  return accumulators;
}

LogicalResult expectComparator(const Rule &rule, FlatSymbolRefAttr computation,
                               TypeRange elements) {
  if (!rule.knowsSignatures())
    return success();
  auto signature = rule.getSignature(computation);
  if (failed(signature))
    return failure();
  Type pred = IntegerType::get(computation.getContext(), 1);
  if (signature->getNumInputs() == elements.size() && signature->getNumResults() == 1 &&
      isScalarOf(signature->getResult(0), pred) &&
      llvm::all_of_zip(signature->getInputs(), elements, isScalarOf))
    return success();
  return rule.fail(Error::Comparator)
         << "expected computation " << computation.getValue() << " to have the signature ("
         << scalarsToText(elements) << ") -> pred[] but it has " << toText(*signature);
}

FailureOr<TypeRange> expectCallable(const Rule &rule, FlatSymbolRefAttr computation,
                                    TypeRange operands, const Twine &what) {
  auto signature = rule.getSignature(computation);
  if (failed(signature))
    return failure();
  if (!typesAgree(operands, signature->getInputs()))
    return rule.fail(Error::Signature) << "expected " << what << " " << computation.getValue()
                                       << " to take (" << toText(operands) << ") but it takes ("
                                       << toText(TypeRange(signature->getInputs())) << ")";
  return TypeRange(signature->getResults());
}

} // namespace hloc::hlo
