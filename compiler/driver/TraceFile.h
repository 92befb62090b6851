// SPDX-License-Identifier: Apache-2.0
// Writes traces of runs in the format of Perfetto and Chrome. Test: test/tools/trace.test.

#ifndef HLOC_COMPILER_DRIVER_TRACEFILE_H
#define HLOC_COMPILER_DRIVER_TRACEFILE_H

#include "compiler/driver/RunOptions.h"
#include "hlort/hlort.h"
#include "llvm/ADT/ArrayRef.h"

namespace hloc {

/// Starts the traces of all participants.
void startTraces(llvm::ArrayRef<hlort_context *> participants);

/// Ends the traces of this process's participants and writes all of them to --trace, with a row per
/// participant. Returns false after printing a message if that fails. With several processes, the
/// first one writes.
bool writeTraces(llvm::ArrayRef<hlort_context *> participants, const RunOptions &options);

} // namespace hloc

#endif
