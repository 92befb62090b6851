// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluator/core/Strided.h"
#include <cstring>

namespace hloc::evaluator {

void copyBox(Side<const char> from, Side<char> to, llvm::ArrayRef<int64_t> sizes, int bytes) {
  if (sizes.empty()) {
    std::memcpy(to.first, from.first, bytes);
    return;
  }
  int64_t fromStep = from.strides[0] * bytes, toStep = to.strides[0] * bytes;
  if (sizes.size() == 1 && fromStep == bytes && toStep == bytes) {
    if (sizes[0] > 0)
      std::memcpy(to.first, from.first, sizes[0] * bytes);
    return;
  }
  auto each = [&](auto copy) {
    for (int64_t i = 0; i < sizes[0]; ++i)
      copy(from.first + i * fromStep, to.first + i * toStep);
  };
  if (sizes.size() > 1)
    return each([&](const char *source, char *target) {
      copyBox({source, from.strides.drop_front()}, {target, to.strides.drop_front()},
              sizes.drop_front(), bytes);
    });
  switch (bytes) { // so that the compiler knows the size
  case 1:
    return each([](const char *source, char *target) { *target = *source; });
  case 2:
    return each([](const char *source, char *target) { std::memcpy(target, source, 2); });
  case 4:
    return each([](const char *source, char *target) { std::memcpy(target, source, 4); });
  case 8:
    return each([](const char *source, char *target) { std::memcpy(target, source, 8); });
  default:
    return each([](const char *source, char *target) { std::memcpy(target, source, 16); });
  }
}

void copyBox(const Array &from, llvm::ArrayRef<int64_t> start, Array &to,
             llvm::ArrayRef<int64_t> target, llvm::ArrayRef<int64_t> sizes) {
  if (countElements(sizes) == 0)
    return;
  int bytes = getBytes(from.type);
  Shape fromStrides = rowMajorStrides(from.shape), toStrides = rowMajorStrides(to.shape);
  char *out = to.mutableData();
  copyBox({from.data() + linearize(start, fromStrides) * bytes, fromStrides},
          {out + linearize(target, toStrides) * bytes, toStrides}, sizes, bytes);
}

Array cut(const Array &array, llvm::ArrayRef<int64_t> shape) {
  if (llvm::ArrayRef<int64_t>(array.shape) == shape)
    return array;
  Array result(array.type, shape);
  Shape zeros(shape.size(), 0);
  copyBox(array, zeros, result, zeros, shape);
  return result;
}

void fill(Array &array, Scalar value) {
  int bytes = getBytes(array.type);
  char element[16];
  store(array.type, &value, 1, element);
  char *data = array.mutableData();
  for (int64_t i = 0, count = array.getCount(); i < count; ++i)
    std::memcpy(data + i * bytes, element, bytes);
}

Array convertArray(const Array &array, ElementType type) {
  Array result(type, array.shape);
  char *data = result.mutableData();
  Scalar column[kColumn];
  for (int64_t first = 0, count = array.getCount(); first < count; first += kColumn) {
    int64_t size = std::min(kColumn, count - first);
    load(array.type, array.data() + first * getBytes(array.type), size, column);
    for (int64_t i = 0; i < size; ++i)
      column[i] = convert(array.type, type, column[i]);
    store(type, column, size, data + first * getBytes(type));
  }
  return result;
}

Array transpose(const Array &operand, llvm::ArrayRef<int64_t> permutation) {
  Shape strides = rowMajorStrides(operand.shape), shape, permuted;
  for (int64_t d : permutation) {
    shape.push_back(operand.shape[d]);
    permuted.push_back(strides[d]);
  }
  Array result(operand.type, shape);
  if (result.getCount())
    copyBox({operand.data(), permuted}, {result.mutableData(), rowMajorStrides(shape)}, shape,
            getBytes(operand.type));
  return result;
}

int64_t linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip(index, strides))
    offset += i * stride;
  return offset;
}

} // namespace hloc::evaluator
