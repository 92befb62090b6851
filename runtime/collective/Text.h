// SPDX-License-Identifier: Apache-2.0
// A message in a fixed buffer, truncated to the size of a status: code that reports that there is
// no memory cannot allocate any. Test: test/runtime/MemoryTest.cpp.
#ifndef HLOC_RUNTIME_TEXT_H
#define HLOC_RUNTIME_TEXT_H

#include "hlort/hlort.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace hloc::runtime {

class Text {
public:
  Text() = default;
  /// Formats like std::printf.
  __attribute__((format(printf, 2, 3))) explicit Text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(chars, sizeof chars, format, arguments);
    va_end(arguments);
  }
  __attribute__((format(printf, 2, 3))) void append(const char *format, ...) {
    size_t length = std::strlen(chars);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(chars + length, sizeof chars - length, format, arguments);
    va_end(arguments);
  }

  bool empty() const { return !chars[0]; }
  const char *c_str() const { return chars; }

private:
  char chars[sizeof(hlort_status::message)] = "";
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_TEXT_H
