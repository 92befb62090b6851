// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/Literal.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace hloc::hlo {

/// Literals of at least this many bytes are resources, which are neither hashed nor copied.
static constexpr size_t kResourceBytes = size_t(1) << 16;

int64_t getLiteralElementBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getLiteralElementBytes(complex.getElementType());
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

ArrayRef<char> getLiteralBytes(ElementsAttr value, SmallVectorImpl<char> &storage) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = cast<DenseElementsAttr>(value);
  int64_t count = dense.getNumElements();
  if (dense.getElementType().isInteger(1)) {
    storage.reserve(count);
    for (bool bit : dense.getValues<bool>())
      storage.push_back(bit);
    return storage;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat() || count == 1)
    return raw;
  storage.reserve(raw.size() * count);
  for (int64_t i = 0; i < count; ++i)
    storage.append(raw.begin(), raw.end());
  return storage;
}

ElementsAttr makeLiteral(RankedTensorType type, ArrayRef<char> bytes) {
  type = RankedTensorType::get(type.getShape(), type.getElementType());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, ArrayRef<bool>(bits));
  }
  if (bytes.size() < kResourceBytes)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return DenseResourceElementsAttr::get(type, "literal",
                                        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64));
}

ElementsAttr makeLiteral(RankedTensorType type, ArrayRef<char> bytes,
                         std::shared_ptr<const void> owner) {
  type = RankedTensorType::get(type.getShape(), type.getElementType());
  size_t size = getLiteralElementBytes(type.getElementType());
  if (type.getElementType().isInteger(1) || bytes.size() <= size)
    return makeLiteral(type, bytes);
  if (bytes.drop_back(size) == bytes.drop_front(size)) // all elements are the same
    return DenseElementsAttr::getFromRawBuffer(type, bytes.take_front(size));
  if (bytes.size() < kResourceBytes)
    return makeLiteral(type, bytes);
  auto release = [owner = std::move(owner)](void *, size_t, size_t) {};
  return DenseResourceElementsAttr::get(
      type, "literal", UnmanagedAsmResourceBlob::allocateWithAlign(bytes, 1, std::move(release)));
}

bool isSplat(ElementsAttr value, SmallVectorImpl<char> &element) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value); !dense || !dense.isSplat())
    return false;
  SmallVector<char> storage;
  ArrayRef<char> bytes = getLiteralBytes(value, storage);
  int64_t size = getLiteralElementBytes(value.getElementType());
  if (int64_t(bytes.size()) < size)
    return false;
  element.assign(bytes.begin(), bytes.begin() + size);
  return true;
}

} // namespace hloc::hlo
