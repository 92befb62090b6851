// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/linalg/Lapack.h"
#include "compiler/hlo/infer/Shape.h"

using namespace mlir;

namespace hloc::evaluator {

int64_t getConfig(Call &call, StringRef name, int64_t fallback) {
  auto config = call.op->getAttrOfType<StringAttr>("hlo.backend_config");
  if (!config)
    return fallback;
  StringRef text = config.getValue();
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    StringRef rest = text.drop_front(at + name.size()).ltrim();
    if ((at != 0 && (llvm::isAlnum(text[at - 1]) || text[at - 1] == '_')) ||
        !rest.consume_front("="))
      continue;
    rest = rest.ltrim();
    int64_t value;
    if (!rest.consumeInteger(10, value))
      return value;
    if (rest.starts_with("true") || rest.starts_with("false"))
      return rest.starts_with("true");
  }
  return fallback;
}

/// The types of the results, with the elements of a tuple one by one.
static SmallVector<Type> getResultTypes(Call &call) {
  SmallVector<Type> types;
  for (Type type : call.op->getResultTypes())
    if (auto tuple = dyn_cast<TupleType>(type))
      llvm::append_range(types, tuple);
    else
      types.push_back(type);
  return types;
}

Values zeroResults(Call &call) {
  Values results;
  for (Type type : getResultTypes(call))
    results.push_back(makeZero(type));
  return results;
}

Values zeroParts(Call &call, LapackParts operandParts, LapackParts resultParts) {
  SmallVector<Type> types = getResultTypes(call);
  if (types.size() != resultParts.size() || call.operands.empty() || !call.operands[0].isArray())
    return zeroResults(call);
  ArrayRef<int64_t> batch(call.array(0).shape);
  batch = batch.drop_back(std::min(batch.size(), operandParts.begin()->sizes.size()));
  Values results;
  for (auto [type, part] : llvm::zip(types, resultParts)) {
    auto array = dyn_cast<RankedTensorType>(type);
    SmallVector<int64_t> known(batch);
    known.append(part.sizes.begin(), part.sizes.end());
    if (array && !array.hasStaticShape() && array.getRank() == int64_t(known.size())) {
      SmallVector<int64_t, 6> shape = hlo::getBounds(array);
      for (int64_t d = 0; d < array.getRank(); ++d)
        if (array.isDynamicDim(d))
          shape[d] = std::min(known[d], shape[d]);
      type = RankedTensorType::get(shape, array.getElementType());
    }
    results.push_back(makeZero(type));
  }
  return results;
}

FailureOr<std::pair<int64_t, int64_t>> getMatrixSizes(Call &call) {
  if (call.operands.empty() || !call.operands[0].isArray() || call.array(0).shape.size() < 2)
    return call.fail("expected matrices");
  ArrayRef<int64_t> shape = call.array(0).shape;
  return std::pair(shape[shape.size() - 2], shape.back());
}

/// The element type of a part of such a kind with matrices of `type`; nothing for matrices that
/// LAPACK does not support.
static std::optional<ElementType> getPartType(char kind, ElementType type) {
  using enum ElementType;
  if (type != F32 && type != F64 && type != C64 && type != C128)
    return std::nullopt;
  bool isDouble = type == F64 || type == C128;
  switch (kind) {
  case 'R':
    return isDouble ? F64 : F32;
  case 'C':
    return isDouble ? C128 : C64;
  case 'I':
    return S32;
  default:
    return type;
  }
}

int64_t countItems(const Array &array, const LapackPart &part) {
  return countElements(ArrayRef<int64_t>(array.shape).drop_back(part.sizes.size()));
}

LogicalResult checkParts(Call &call, const Values &results, LapackParts operandParts,
                         LapackParts resultParts) {
  if (call.operands.size() != operandParts.size() || results.size() != resultParts.size())
    return call.fail("expected " + Twine(operandParts.size()) + " operands and " +
                     Twine(resultParts.size()) + " results");
  if (!call.operands[0].isArray())
    return call.fail("expected operand 0 to be an array");
  const Array &first = call.array(0);
  size_t depth = operandParts.begin()->sizes.size();
  if (first.shape.size() < depth)
    return call.fail("expected operand 0 to have at least " + Twine(depth) + " dimensions");
  ArrayRef<int64_t> batch = ArrayRef<int64_t>(first.shape).drop_back(depth);
  auto check = [&](const Value &value, const LapackPart &part, StringRef what,
                   size_t number) -> LogicalResult {
    SmallVector<int64_t> shape(batch);
    shape.append(part.sizes.begin(), part.sizes.end());
    if (value.isArray() && ArrayRef<int64_t>(value.getArray().shape) == ArrayRef<int64_t>(shape) &&
        getPartType(part.kind, first.type) == value.getArray().type)
      return success();
    std::string sizes =
        llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), ",");
    return call.fail("expected " + what + " " + Twine(number) + " to have sizes [" + sizes +
                     "] and the element type that fits operand 0");
  };
  for (auto [i, part] : llvm::enumerate(operandParts))
    if (failed(check(call.operands[i], part, "operand", i)))
      return failure();
  for (auto [i, part] : llvm::enumerate(resultParts))
    if (failed(check(results[i], part, "result", i)))
      return failure();
  return success();
}

} // namespace hloc::evaluator
