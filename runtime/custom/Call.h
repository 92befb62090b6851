// SPDX-License-Identifier: Apache-2.0
// Helpers of the built-in custom calls: reading their frames, and failing.
#ifndef HLOC_RUNTIME_CUSTOM_CALL_H
#define HLOC_RUNTIME_CUSTOM_CALL_H

#include "hlort/hlort.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace hloc::runtime {

/// Thrown by built-in calls; becomes the call's status.
struct CallFailure {
  int32_t code;
  std::string message;
};

/// Throws a CallFailure that names the target.
[[noreturn]] void fail(const hlort_custom_call_frame &frame, int32_t code,
                       const std::string &message);

/// Throws unless the frame has these numbers of operands and results.
void expectCounts(const hlort_custom_call_frame &frame, int64_t operands, int64_t results);

/// The attribute of that name, null if there is none.
const hlort_attribute *findAttribute(const hlort_custom_call_frame &frame, std::string_view name);
/// An integer attribute; throws if it is missing or of another kind.
int64_t integerAttribute(const hlort_custom_call_frame &frame, std::string_view name);
bool boolAttribute(const hlort_custom_call_frame &frame, std::string_view name);
/// A character, written as its code or as a string of one; throws unless it is one of `allowed`.
char characterAttribute(const hlort_custom_call_frame &frame, std::string_view name,
                        std::string_view allowed);

int64_t elementCount(const hlort_buffer &buffer);
/// Writes the stride in elements of each of the buffer's dimensions.
void computeStrides(const hlort_buffer &buffer, int64_t *strides);
/// The maximum rank of buffers in built-in calls.
inline constexpr int32_t maxRank = 32;

using BuiltinCall = void (*)(const hlort_custom_call_frame &frame);
/// The built-in calls, by file; null if there is none of that name.
BuiltinCall findBuiltinCall(std::string_view target);
BuiltinCall findIdentityCall(std::string_view target);
BuiltinCall findTopKCall(std::string_view target);
BuiltinCall findLapackCall(std::string_view target);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_CUSTOM_CALL_H
