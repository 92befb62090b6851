// SPDX-License-Identifier: Apache-2.0
// Reading the frames of custom calls.

#include "custom/Call.h"

#include <algorithm>

namespace hloc::runtime {

void fail(const hlort_custom_call_frame &frame, int32_t code, const std::string &message) {
  throw CallFailure{code, std::string(frame.target) + ": " + message};
}

void expectCounts(const hlort_custom_call_frame &frame, int64_t operands, int64_t results) {
  if (frame.operand_count != operands || frame.result_count != results)
    fail(frame, HLORT_INVALID_ARGUMENT,
         "expected " + std::to_string(operands) + " operands and " + std::to_string(results) +
             " results, got " + std::to_string(frame.operand_count) + " and " +
             std::to_string(frame.result_count));
}

const hlort_attribute *findAttribute(const hlort_custom_call_frame &frame, std::string_view name) {
  const hlort_attribute *end = frame.attributes + frame.attribute_count;
  const hlort_attribute *found =
      std::find_if(frame.attributes, end,
                   [&](const hlort_attribute &attribute) { return attribute.name == name; });
  return found == end ? nullptr : found;
}

static const hlort_attribute &attributeOfKind(const hlort_custom_call_frame &frame,
                                              std::string_view name, int32_t kind,
                                              const char *kindName) {
  const hlort_attribute *attribute = findAttribute(frame, name);
  if (!attribute || attribute->kind != kind)
    fail(frame, HLORT_INVALID_ARGUMENT,
         "expected " + std::string(kindName) + " attribute '" + std::string(name) + "'" +
             (attribute ? ", got another kind" : ", got none"));
  return *attribute;
}

int64_t integerAttribute(const hlort_custom_call_frame &frame, std::string_view name) {
  return attributeOfKind(frame, name, HLORT_ATTRIBUTE_INTEGER, "an integer").integer;
}

bool boolAttribute(const hlort_custom_call_frame &frame, std::string_view name) {
  return attributeOfKind(frame, name, HLORT_ATTRIBUTE_BOOL, "a bool").integer != 0;
}

char characterAttribute(const hlort_custom_call_frame &frame, std::string_view name,
                        std::string_view allowed) {
  const hlort_attribute *attribute = findAttribute(frame, name);
  int64_t code = 0;
  if (attribute && attribute->kind == HLORT_ATTRIBUTE_STRING && attribute->count == 1)
    code = *static_cast<const char *>(attribute->data);
  else
    code = integerAttribute(frame, name);
  if (code <= 0 || code > 127 || allowed.find(char(code)) == std::string_view::npos)
    fail(frame, HLORT_INVALID_ARGUMENT,
         "expected attribute '" + std::string(name) + "' to be the code of one of \"" +
             std::string(allowed) + "\", got " + std::to_string(code));
  return char(code);
}

int64_t elementCount(const hlort_buffer &buffer) {
  int64_t count = 1;
  for (int32_t d = 0; d < buffer.rank; ++d)
    count *= buffer.dims[d];
  return count;
}

void computeStrides(const hlort_buffer &buffer, int64_t *strides) {
  int64_t stride = 1;
  for (int32_t i = 0; i < buffer.rank; ++i) {
    int64_t d = buffer.minor_to_major ? buffer.minor_to_major[i] : buffer.rank - 1 - i;
    strides[d] = stride;
    stride *= buffer.dims[d];
  }
}

BuiltinCall findBuiltinCall(std::string_view target) {
  for (auto find : {findIdentityCall, findTopKCall, findLapackCall})
    if (BuiltinCall call = find(target))
      return call;
  return nullptr;
}

} // namespace hloc::runtime
