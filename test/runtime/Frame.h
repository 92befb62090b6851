// SPDX-License-Identifier: Apache-2.0
// Builds custom call frames for tests.
#ifndef HLOC_TEST_RUNTIME_FRAME_H
#define HLOC_TEST_RUNTIME_FRAME_H

#include "hlort/hlort.h"

#include <complex>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace hloc::test {

template <typename T> constexpr int32_t elementType = 0;
template <> inline constexpr int32_t elementType<float> = HLORT_F32;
template <> inline constexpr int32_t elementType<double> = HLORT_F64;
template <> inline constexpr int32_t elementType<std::complex<float>> = HLORT_C64;
template <> inline constexpr int32_t elementType<std::complex<double>> = HLORT_C128;
template <> inline constexpr int32_t elementType<int32_t> = HLORT_S32;
template <> inline constexpr int32_t elementType<int64_t> = HLORT_S64;
template <> inline constexpr int32_t elementType<uint8_t> = HLORT_U8;
template <> inline constexpr int32_t elementType<uint16_t> = HLORT_BF16;

/// The minor-to-major order that JAX gives matrices for LAPACK: columns dense, batches outside.
inline std::vector<int64_t> columnMajor(size_t rank) {
  std::vector<int64_t> order = {int64_t(rank) - 2, int64_t(rank) - 1};
  for (int64_t d = int64_t(rank) - 3; d >= 0; --d)
    order.push_back(d);
  return order;
}

/// A call under construction. Arrays given to it must outlive it.
class Frame {
public:
  explicit Frame(const char *target) { frame.target = target; }

  template <typename T>
  Frame &operand(std::vector<T> &data, std::vector<int64_t> dims, std::vector<int64_t> order = {}) {
    operands.push_back(buffer(data, dims, order));
    return *this;
  }
  template <typename T>
  Frame &result(std::vector<T> &data, std::vector<int64_t> dims, std::vector<int64_t> order = {}) {
    int64_t count = 1;
    for (int64_t d : dims)
      count *= d;
    if (data.empty())
      data.resize(size_t(count));
    results.push_back(buffer(data, dims, order));
    return *this;
  }
  Frame &integer(const char *name, int64_t value) {
    attributes.push_back({name, HLORT_ATTRIBUTE_INTEGER, 0, value, 0, nullptr, 0});
    return *this;
  }
  Frame &boolean(const char *name, bool value) {
    attributes.push_back({name, HLORT_ATTRIBUTE_BOOL, 0, value, 0, nullptr, 0});
    return *this;
  }

  /// The text of backend_config; empty without.
  Frame &config(const char *text) {
    backendConfig = text;
    return *this;
  }

  int32_t call(hlort_context *context, hlort_status *status) {
    frame.operands = operands.data();
    frame.operand_count = int64_t(operands.size());
    frame.results = results.data();
    frame.result_count = int64_t(results.size());
    frame.attributes = attributes.data();
    frame.attribute_count = int64_t(attributes.size());
    frame.backend_config = backendConfig.c_str();
    frame.backend_config_size = int64_t(backendConfig.size());
    return hlort_custom_call(context, &frame, status);
  }
  /// Calls and returns the message, empty on success.
  std::string call(hlort_context *context = nullptr) {
    hlort_status status = {};
    int32_t code = call(context, &status);
    return code == HLORT_OK ? "" : std::string(hlort_code_name(code)) + ": " + status.message;
  }

private:
  template <typename T>
  hlort_buffer buffer(std::vector<T> &data, const std::vector<int64_t> &dims,
                      const std::vector<int64_t> &order) {
    numbers.push_back(dims);
    const int64_t *dimsData = numbers.back().data();
    numbers.push_back(order);
    return {elementType<T>, int32_t(dims.size()), dimsData,
            order.empty() ? nullptr : numbers.back().data(), data.data()};
  }

  hlort_custom_call_frame frame = {};
  std::vector<hlort_buffer> operands, results;
  std::vector<hlort_attribute> attributes;
  std::deque<std::vector<int64_t>> numbers;
  std::string backendConfig;
};

} // namespace hloc::test

#endif // HLOC_TEST_RUNTIME_FRAME_H
