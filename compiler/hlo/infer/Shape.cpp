// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/infer/Shape.h"
#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc::hlo {

SmallVector<int64_t, 6> getBounds(RankedTensorType type) {
  SmallVector<int64_t, 6> sizes(type.getShape());
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    for (auto [size, bound] : llvm::zip(sizes, layout.getBounds()))
      if (size == kUnbounded && bound >= 0)
        size = bound;
  return sizes;
}

Shape::Shape(RankedTensorType type) : element(type.getElementType()), sizes(getBounds(type)) {
  for (int64_t size : type.getShape())
    dynamic.push_back(size == kUnbounded);
}

RankedTensorType Shape::getType() const {
  if (isStatic())
    return RankedTensorType::get(sizes, element);
  SmallVector<int64_t> tensorSizes(sizes), bounds(sizes.size(), -1), minorToMajor;
  bool bounded = false;
  for (int64_t d = 0; d < getRank(); ++d) {
    minorToMajor.push_back(getRank() - 1 - d);
    if (!dynamic[d] || sizes[d] == kUnbounded)
      continue;
    bounds[d] = sizes[d];
    tensorSizes[d] = kUnbounded;
    bounded = true;
  }
  Attribute encoding;
  if (bounded)
    encoding = LayoutAttr::get(element.getContext(), minorToMajor, bounds, {}, 0, 0, nullptr);
  return RankedTensorType::get(tensorSizes, element, encoding);
}

bool sizesAgree(Sizes a, Sizes b) {
  return a.size() == b.size() &&
         llvm::all_of_zip(a, b, [](int64_t x, int64_t y) { return sizesAgree(x, y); });
}

bool shapesAgree(RankedTensorType a, RankedTensorType b) {
  if (a.getShape() == b.getShape() && a.hasStaticShape())
    return true;
  return sizesAgree(getBounds(a), getBounds(b));
}

bool typesAgree(Type a, Type b) {
  if (a == b)
    return true;
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  if (left && right)
    return left.getElementType() == right.getElementType() && shapesAgree(left, right);
  auto leftTuple = dyn_cast<TupleType>(a), rightTuple = dyn_cast<TupleType>(b);
  if (leftTuple && rightTuple)
    return typesAgree(leftTuple.getTypes(), rightTuple.getTypes());
  auto leftBuffer = dyn_cast<BufferType>(a), rightBuffer = dyn_cast<BufferType>(b);
  return leftBuffer && rightBuffer &&
         typesAgree(leftBuffer.getContents(), rightBuffer.getContents());
}

bool typesAgree(TypeRange a, TypeRange b) {
  return a.size() == b.size() &&
         llvm::all_of_zip(a, b, [](Type x, Type y) { return typesAgree(x, y); });
}

Type packTypes(MLIRContext *context, TypeRange types) {
  return types.size() == 1 ? types[0] : Type(TupleType::get(context, SmallVector<Type>(types)));
}

void flattenTypes(TypeRange types, SmallVectorImpl<Type> &leaves) {
  for (Type type : types) {
    if (auto tuple = dyn_cast<TupleType>(type))
      flattenTypes(tuple.getTypes(), leaves);
    else
      leaves.push_back(type);
  }
}

std::string elementToText(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF64() ? "c128" : "c64";
  if (isPred(element))
    return "pred";
  if (auto integer = dyn_cast<IntegerType>(element))
    return (integer.isUnsigned() ? "u" : "s") + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return StringRef(text).lower();
}

std::string toText(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return "(" + toText(TypeRange(tuple.getTypes())) + ")";
  if (isa<TokenType>(type))
    return "token[]";
  if (isa<OpaqueType>(type))
    return "opaque[]";
  if (auto buffer = dyn_cast<BufferType>(type))
    return "b(" + toText(buffer.getContents()) + ")";
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }
  std::string text = elementToText(array.getElementType()) + "[";
  SmallVector<int64_t, 6> bounds = getBounds(array);
  for (int64_t d = 0; d < array.getRank(); ++d) {
    text += d ? "," : "";
    if (bounds[d] == kUnbounded)
      text += "?";
    else
      text += (array.isDynamicDim(d) ? "<=" : "") + std::to_string(bounds[d]);
  }
  return text + "]";
}

std::string toText(TypeRange types) {
  std::string text;
  for (Type type : types)
    text += (text.empty() ? "" : ", ") + toText(type);
  return text;
}

std::string toText(Sizes numbers) {
  std::string text = "{";
  llvm::raw_string_ostream stream(text);
  llvm::interleave(numbers, stream, ",");
  return text + "}";
}

bool isInteger(Type element) { return isa<IntegerType>(element) && !isPred(element); }
bool isUnsigned(Type element) { return element.isUnsignedInteger(); }
bool isFloat(Type element) { return isa<FloatType>(element); }
bool isComplex(Type element) { return isa<ComplexType>(element); }

int64_t getBits(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * getBits(complex.getElementType());
  if (isPred(element))
    return 8;
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

Type getHigherPrecision(Type a, Type b) {
  if (a == b)
    return a;
  auto key = [](Type type) {
    auto complex = dyn_cast<ComplexType>(type);
    auto component = dyn_cast<FloatType>(complex ? complex.getElementType() : type);
    constexpr int kNone = std::numeric_limits<int>::min();
    int range = kNone, precision = kNone;
    if (component) {
      range = llvm::APFloat::semanticsMaxExponent(component.getFloatSemantics());
      precision = llvm::APFloat::semanticsPrecision(component.getFloatSemantics());
    }
    return std::make_tuple(bool(complex), range, precision, getBits(type), !isUnsigned(type));
  };
  return key(a) < key(b) ? b : a;
}

std::optional<int64_t> countElements(Sizes sizes) {
  if (llvm::is_contained(sizes, kUnbounded))
    return std::nullopt;
  if (llvm::is_contained(sizes, 0))
    return 0;
  std::optional<int64_t> count = 1;
  for (int64_t size : sizes)
    if (count)
      count = llvm::checkedMul(*count, size);
  return count;
}

std::optional<int64_t> addPadding(int64_t size, int64_t low, int64_t high) {
  std::optional<int64_t> end = llvm::checkedAdd(size, high);
  return end && low != INT64_MIN ? llvm::checkedAdd(*end, low) : std::nullopt;
}

//===- Shared constraints --------------------------------------------------===//

FailureOr<RankedTensorType> expectArray(const Rule &rule, Type type, const Twine &what) {
  if (auto array = dyn_cast<RankedTensorType>(type))
    return array;
  return rule.fail(Error::OperandKind)
         << "expected " << what << " to be an array but got " << toText(type);
}

FailureOr<RankedTensorType> expectDeclaredArray(const Rule &rule) {
  if (auto declared = dyn_cast_or_null<RankedTensorType>(rule.getDeclared()))
    return declared;
  if (rule.getDeclared())
    return rule.fail(Error::ResultShape)
           << "expected an array as result but got " << toText(rule.getDeclared());
  return rule.fail(Error::ResultMissing) << "expected the text to state the result's shape";
}

LogicalResult expectScalar(const Rule &rule, Type type, const Twine &what) {
  auto array = dyn_cast<RankedTensorType>(type);
  if (array && array.getRank() == 0)
    return success();
  return rule.fail(Error::OperandKind)
         << "expected " << what << " to be a scalar but got " << toText(type);
}

LogicalResult expectRank(const Rule &rule, RankedTensorType type, int64_t rank, const Twine &what) {
  if (type.getRank() == rank)
    return success();
  return rule.fail(Error::Rank) << "expected " << what << " to have " << rank
                                << " dimensions but got " << toText(type);
}

LogicalResult expectSameElement(const Rule &rule, Type a, Type b, const Twine &what) {
  if (a == b)
    return success();
  return rule.fail(Error::ElementTypesDiffer)
         << "expected " << what << " to have element type " << elementToText(a) << " but got "
         << elementToText(b);
}

LogicalResult expectCount(const Rule &rule, size_t actual, size_t expected, const Twine &what) {
  if (actual == expected)
    return success();
  return rule.fail(Error::ListLength)
         << "expected " << expected << " " << what << " but got " << actual;
}

LogicalResult expectDimension(const Rule &rule, int64_t dimension, int64_t rank,
                              const Twine &what) {
  if (dimension >= 0 && dimension < rank)
    return success();
  return rule.fail(Error::DimensionRange) << "expected " << what << " to be a dimension from 0 to "
                                          << rank - 1 << " but got " << dimension;
}

LogicalResult expectDimensions(const Rule &rule, Sizes dimensions, int64_t rank,
                               const Twine &what) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dimension : dimensions) {
    if (failed(expectDimension(rule, dimension, rank, what)))
      return failure();
    if (seen.test(dimension))
      return rule.fail(Error::DimensionOrder)
             << "expected " << what << " to be distinct but got " << toText(dimensions);
    seen.set(dimension);
  }
  return success();
}

LogicalResult expectSorted(const Rule &rule, Sizes dimensions, int64_t rank, const Twine &what) {
  if (failed(expectDimensions(rule, dimensions, rank, what)))
    return failure();
  if (!llvm::is_sorted(dimensions))
    return rule.fail(Error::DimensionOrder)
           << "expected " << what << " to be ascending but got " << toText(dimensions);
  return success();
}

LogicalResult expectRange(const Rule &rule, int64_t value, int64_t low, int64_t high,
                          const Twine &what) {
  if (value >= low && value <= high)
    return success();
  Report report = rule.fail(Error::ValueRange);
  if (high == std::numeric_limits<int64_t>::max())
    return std::move(report) << "expected " << what << " to be at least " << low << " but got "
                             << value;
  return std::move(report) << "expected " << what << " to be from " << low << " to " << high
                           << " but got " << value;
}

} // namespace hloc::hlo
