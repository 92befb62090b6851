// SPDX-License-Identifier: Apache-2.0
// The process in which `hloc --tune` compiles and runs a program with trial schedules, so that
// crashes do not affect the compiler. Test: test/tools/tune.test.

#ifndef HLOC_COMPILER_DRIVER_TUNEWORKER_H
#define HLOC_COMPILER_DRIVER_TUNEWORKER_H

#include "compiler/driver/HlocOptions.h"
#include "compiler/driver/Tuner.h"

namespace hloc {

/// The command that starts a worker; `program` is the path of hloc.
std::vector<std::string> getTuneWorkerCommand(const HlocOptions &options,
                                              const std::string &program);

/// Serves requests until there are none. The first is the module's name, a line break, and its
/// text, and is answered by an empty message. The others are two sets of schedules (`writeTrial`),
/// and are answered by the times of the program with each (`readComparison`).
int tuneWorkerMain(const HlocOptions &options);

/// Encodes two schedules files as one request.
std::string writeTrial(llvm::StringRef reference, llvm::StringRef trial);
/// Decodes an answer; none if it is invalid.
std::optional<Comparison> readComparison(llvm::StringRef answer);

} // namespace hloc

#endif
