// SPDX-License-Identifier: Apache-2.0
// Traces of runs in the form that Perfetto and Chrome read. Test: test/tools/trace.test.

#ifndef HLOC_COMPILER_DRIVER_TRACEFILE_H
#define HLOC_COMPILER_DRIVER_TRACEFILE_H

#include "compiler/driver/RunOptions.h"
#include "hlort/hlort.h"
#include "llvm/ADT/ArrayRef.h"

namespace hloc {

/// Begins the traces of all participants.
void startTraces(llvm::ArrayRef<hlort_context *> participants);

/// Ends the traces of this process's participants and writes all to --trace, a row a participant;
/// false, with a message, if that fails. Of several processes the first one writes.
bool writeTraces(llvm::ArrayRef<hlort_context *> participants, const RunOptions &options);

} // namespace hloc

#endif
