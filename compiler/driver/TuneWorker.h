// SPDX-License-Identifier: Apache-2.0
// The process in which `hloc --tune` compiles and runs a program with trial schedules, so that
// nothing that becomes of one reaches the compiler. Test: test/tools/tune.test.

#ifndef HLOC_COMPILER_DRIVER_TUNEWORKER_H
#define HLOC_COMPILER_DRIVER_TUNEWORKER_H

#include "compiler/driver/HlocOptions.h"
#include "compiler/driver/Tuner.h"

namespace hloc {

/// The command that starts a worker; `program` is the path of hloc.
std::vector<std::string> getTuneWorkerCommand(const HlocOptions &options,
                                              const std::string &program);

/// Its first request is the name of the module, a line break, and its text, which it answers with
/// an empty message; the others are two sets of schedules (`writeTrial`), which it answers with
/// what the program took with each (`readComparison`). Ends when there are no more requests.
int tuneWorkerMain(const HlocOptions &options);

/// Two files of schedules as one request.
std::string writeTrial(llvm::StringRef reference, llvm::StringRef trial);
/// What an answer says; nothing if it is none.
std::optional<Comparison> readComparison(llvm::StringRef answer);

} // namespace hloc

#endif
