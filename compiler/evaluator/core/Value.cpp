// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/Value.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Literal.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemAlloc.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace hloc::evaluator {

int64_t countElements(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0)) // checked first, since the product of the others may overflow
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count))
      return INT64_MAX;
  return count;
}

Shape rowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

bool nextIndex(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d])
      return true;
    index[d] = 0;
  }
  return false;
}

//===- Memory --------------------------------------------------------------===//

static thread_local std::shared_ptr<MemoryCount> currentCount;

MemoryScope::MemoryScope(std::shared_ptr<MemoryCount> count) : previous(std::move(currentCount)) {
  currentCount = std::move(count);
}
MemoryScope::~MemoryScope() { currentCount = std::move(previous); }

Array::Bytes::Bytes(int64_t count)
    : count(count),
      memory(static_cast<char *>(std::calloc(std::max<int64_t>(count, 1), 1)), std::free),
      counter(currentCount) {
  if (!memory)
    llvm::report_bad_alloc_error("no memory for an array");
  if (counter)
    *counter += count;
}

Array::Bytes::~Bytes() {
  if (counter)
    *counter -= count;
}

Array::Array(ElementType type, ArrayRef<int64_t> shape)
    : type(type), shape(shape),
      bytes(std::make_shared<Bytes>(countElements(shape) * getBytes(type))) {}

char *Array::mutableData() {
  if (bytes.use_count() > 1) {
    auto own = std::make_shared<Bytes>(bytes->count);
    std::memcpy(own->data(), bytes->data(), bytes->count);
    bytes = std::move(own);
  }
  return bytes->data();
}

Array Array::reshaped(ArrayRef<int64_t> newShape) const {
  assert(countElements(newShape) == getCount());
  Array result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

//===- Values --------------------------------------------------------------===//

Value Value::makeTuple(std::vector<Value> elements) {
  Value result;
  result.kind = TupleKind;
  result.tuple = std::make_shared<Tuple>();
  result.tuple->elements = std::move(elements);
  return result;
}

Value Value::takeElement(size_t index) {
  return tuple.use_count() == 1 ? std::move(tuple->elements[index]) : tuple->elements[index];
}

void Value::setPending(Pending pending) {
  assert(isTuple());
  tuple->pending = std::make_shared<Pending>(std::move(pending));
}

void Value::flatten(SmallVectorImpl<Value> &leaves, bool withTokens) const {
  if (isTuple()) {
    for (const Value &element : tuple->elements)
      element.flatten(leaves, withTokens);
  } else if (isArray() || withTokens) {
    leaves.push_back(*this);
  }
}

//===- From and to MLIR ----------------------------------------------------===//

std::optional<std::pair<ElementType, Shape>> getArrayType(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  auto element = array ? getElementType(array.getElementType()) : std::nullopt;
  if (!element)
    return std::nullopt;
  auto layout = dyn_cast_or_null<hlo::LayoutAttr>(array.getEncoding());
  Shape shape(array.getShape());
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    if (!layout || layout.getBounds().empty() || layout.getBounds()[d] < 0)
      return std::nullopt;
    size = layout.getBounds()[d];
  }
  return std::make_pair(*element, shape);
}

int64_t getByteCount(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    uint64_t total = 0;
    for (Type element : tuple.getTypes())
      total = llvm::SaturatingAdd<uint64_t>(total, getByteCount(element));
    return std::min<uint64_t>(total, INT64_MAX);
  }
  auto array = getArrayType(type);
  if (!array)
    return 0;
  if (llvm::is_contained(array->second, 0))
    return 0;
  uint64_t total = getBytes(array->first);
  for (int64_t size : array->second)
    total = llvm::SaturatingMultiply<uint64_t>(total, size);
  return std::min<uint64_t>(total, INT64_MAX);
}

Value makeZero(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    std::vector<Value> elements;
    for (Type element : tuple.getTypes())
      elements.push_back(makeZero(element));
    return Value::makeTuple(std::move(elements));
  }
  if (auto buffer = dyn_cast<hlo::BufferType>(type))
    return makeZero(buffer.getContents());
  auto array = getArrayType(type);
  return array ? Value(Array(array->first, array->second)) : Value();
}

Value fromAttribute(Attribute literal) {
  if (auto tuple = dyn_cast<ArrayAttr>(literal)) {
    std::vector<Value> elements;
    for (Attribute element : tuple)
      elements.push_back(fromAttribute(element));
    return Value::makeTuple(std::move(elements));
  }
  auto elements = dyn_cast<ElementsAttr>(literal);
  auto type = elements ? getElementType(elements.getElementType()) : std::nullopt;
  if (!type)
    return Value();
  SmallVector<char> storage;
  ArrayRef<char> bytes = hlo::getLiteralBytes(elements, storage);
  Array array(*type, elements.getShapedType().getShape());
  llvm::copy(bytes.take_front(array.getByteCount()), array.mutableData());
  if (*type == ElementType::S1) // a bit of the attribute, where 1 means -1
    for (char &value : llvm::MutableArrayRef(array.mutableData(), array.getByteCount()))
      value = -(value & 1);
  return array;
}

ElementsAttr toAttribute(MLIRContext *context, const Array &array) {
  auto type = RankedTensorType::get(array.shape, getMlirType(context, array.type));
  auto owner = std::make_shared<const Array>(array);
  return hlo::makeLiteral(type, ArrayRef<char>(owner->data(), owner->getByteCount()), owner);
}

} // namespace hloc::evaluator
