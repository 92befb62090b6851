// SPDX-License-Identifier: Apache-2.0
#include "Arrays.h"

namespace hloc::python {

using Code = nb::dlpack::dtype_code;

static bool isPacked(const hlort_port &port) { return hlort_element_bits(port.element_type) < 8; }

nb::dlpack::dtype getType(const hlort_port &port, bool raw) {
  auto type = [&](Code code) {
    int bits = isPacked(port) ? 8 : hlort_element_bits(port.element_type);
    return nb::dlpack::dtype{uint8_t(code), uint8_t(bits), 1};
  };
  switch (port.element_type) {
  case HLORT_PRED:
    return type(Code::Bool);
  case HLORT_S8:
  case HLORT_S16:
  case HLORT_S32:
  case HLORT_S64:
    return type(Code::Int);
  case HLORT_F16:
  case HLORT_F32:
  case HLORT_F64:
    return type(Code::Float);
  case HLORT_C64:
  case HLORT_C128:
    return type(Code::Complex);
  case HLORT_BF16:
    return type(raw ? Code::UInt : Code::Bfloat);
  default:
    return type(Code::UInt);
  }
}

std::vector<int64_t> getShape(const hlort_port &port) {
  if (isPacked(port))
    return {port.bytes};
  return std::vector<int64_t>(port.dims, port.dims + port.rank);
}

std::vector<int64_t> getStrides(const hlort_port &port) {
  if (isPacked(port))
    return {1};
  std::vector<int64_t> strides(port.rank);
  int64_t stride = 1;
  for (int32_t i = 0; i < port.rank; ++i) {
    int64_t dimension = port.minor_to_major[i];
    strides[dimension] = stride;
    stride *= std::max<int64_t>(port.dims[dimension], 1);
  }
  return strides;
}

/// True if arrays of this type are accepted directly: others are converted in Python, which knows
/// their names.
static bool isExchanged(const hlort_port &port) {
  int32_t type = port.element_type;
  return type <= HLORT_BF16 || type == HLORT_C128;
}

bool fits(const nb::ndarray<nb::ro> &array, const hlort_port &port, bool raw) {
  if ((!raw && !isExchanged(port)) || array.dtype() != getType(port, raw))
    return false;
  std::vector<int64_t> shape = getShape(port), strides = getStrides(port);
  if (array.ndim() != shape.size())
    return false;
  bool isEmpty = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (int64_t(array.shape(d)) != shape[d])
      return false;
    isEmpty |= shape[d] == 0;
  }
  for (size_t d = 0; d < shape.size() && !isEmpty; ++d)
    if (shape[d] > 1 && array.stride(d) != strides[d])
      return false;
  size_t part = array.itemsize();
  return reinterpret_cast<uintptr_t>(array.data()) % part == 0;
}

nb::object makeArray(const hlort_port &port, void *memory, nb::handle owner) {
  std::vector<int64_t> shape = getShape(port), strides = getStrides(port);
  std::vector<size_t> sizes(shape.begin(), shape.end());
  nb::ndarray<nb::numpy> array(memory, sizes.size(), sizes.data(), owner, strides.data(),
                               getType(port, /*raw=*/true));
  return nb::cast(array, nb::rv_policy::reference);
}

} // namespace hloc::python
