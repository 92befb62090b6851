// SPDX-License-Identifier: Apache-2.0
// What happens if a program's output cannot be written. Test: test/tools/full-output.test.

#ifndef HLOC_COMPILER_DRIVER_STANDARDOUTPUT_H
#define HLOC_COMPILER_DRIVER_STANDARDOUTPUT_H

namespace hloc {

/// From now on, if part of the standard output could not be written, because the disk is full say,
/// the process ends with a message and status 1; LLVM's streams would end it with an internal
/// error.
void checkOutputAtExit();

} // namespace hloc

#endif
