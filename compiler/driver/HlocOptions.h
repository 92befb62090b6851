// SPDX-License-Identifier: Apache-2.0
// The command line of hloc. Names and meanings are a contract with scripts outside of the project.

#ifndef HLOC_COMPILER_DRIVER_HLOCOPTIONS_H
#define HLOC_COMPILER_DRIVER_HLOCOPTIONS_H

#include "compiler/driver/CacheOptions.h"
#include "compiler/driver/weights/Bindings.h"
#include "compiler/target/Target.h"
#include <string>
#include <vector>

namespace hloc {

/// What to write.
enum class Emit {
  Hlo,
  Mlir,
  Kernels,
  Code,
  LlvmDialect,
  Llvm,
  Assembly,
  Object,
  Shared,
  Program,
  SelfTest
};

struct HlocOptions {
  std::string module;
  std::string output; // empty: the module's name with the ending of what is emitted
  Emit emit = Emit::Object;
  std::string name; // prefix of symbols; empty: the output's name
  int level = 3;
  int threads = 0;                  // 0: as many as the host's context has
  std::string cpu, triple;          // empty: this machine's
  std::string machine, machineFile; // --target-file's text and name
  bool printTarget = false, listTargets = false;
  Bf16Dot bf16Dot = Bf16Dot::Checked;
  bool lineTables = false, fastMath = false, flushSubnormals = false, excessPrecision = false,
       reproducible = false, checkBuffers = false;
  bool freestanding = false;
  bool report = false, timing = false, progress = false;
  std::string reportFile;           // of a page or its data; empty: text on the output stream
  std::string profile, profileFile; // --profile's text and name: measured times, for a report
  std::string dumpDir;
  BindOptions bind;
  std::string weights; // the file that constants go to; empty: none, unless parameters are bound
  std::vector<std::string> schedules;             // NAME=#hlo.schedule<...>
  std::string tunedSchedules, tunedSchedulesFile; // --schedules' text and name
  bool tune = false;
  double tuneSeconds = 60;
  double timeBudget = 0; // seconds that compiling may take; 0: as long as it takes
  CacheSettings cache;
  uint64_t seed = 0;         // of a self-test's inputs
  bool isTuneWorker = false; // a process that --tune has started

  /// True if the output has a main function.
  bool hasMain() const { return emit == Emit::Program || emit == Emit::SelfTest; }
  /// True if code is linked with the runtime; an output with a main function may also be an object.
  bool isLinked() const {
    return emit == Emit::Shared || (hasMain() && !llvm::StringRef(output).ends_with(".o"));
  }

  /// The target that the options describe.
  TargetOptions getTarget() const;
};

/// Parses the command line. Returns false after printing a message if it is wrong.
bool parseHlocOptions(int argc, char **argv, HlocOptions &options);

} // namespace hloc

#endif
