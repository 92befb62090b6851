// SPDX-License-Identifier: Apache-2.0
// The standard output of stand-alone programs. Test: test/tools/full-output.test.

#ifndef HLOC_RUNTIME_PROGRAM_STANDARDOUTPUT_H
#define HLOC_RUNTIME_PROGRAM_STANDARDOUTPUT_H

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hloc::runtime {

/// Writes what is still buffered. False if some of the output could not be written; the first time
/// this is found, a message says so.
inline bool flushStandardOutput() {
  static bool isLost = false;
  if (isLost)
    return false;
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  isLost = true;
  std::fprintf(stderr, "<stdout>: error: cannot write: %s\n", std::strerror(errno ? errno : EIO));
  return false;
}

} // namespace hloc::runtime

#endif
