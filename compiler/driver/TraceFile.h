// SPDX-License-Identifier: Apache-2.0
// Traces of runs in the form that Perfetto and Chrome read. Test: test/tools/trace.test.

#ifndef HLOC_COMPILER_DRIVER_TRACEFILE_H
#define HLOC_COMPILER_DRIVER_TRACEFILE_H

#include "hlort/hlort.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hloc {

/// Begins the traces of all participants.
void startTraces(llvm::ArrayRef<hlort_context *> participants);

/// Ends them and writes them, a row a participant; false, with a message, if that fails.
bool writeTraces(llvm::ArrayRef<hlort_context *> participants, llvm::StringRef path);

} // namespace hloc

#endif
