// SPDX-License-Identifier: Apache-2.0
// The command line of hlo-run. Names and meanings are a contract with scripts outside of the
// project.

#ifndef HLOC_COMPILER_DRIVER_RUNOPTIONS_H
#define HLOC_COMPILER_DRIVER_RUNOPTIONS_H

#include "compiler/driver/ArrayReport.h"
#include "compiler/driver/CacheOptions.h"
#include "compiler/driver/weights/Bindings.h"
#include "compiler/target/Target.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace hloc {

class MpiProcess;

/// Whether to report losses of precision, and in which order.
enum class NumericReport { None, Program, Loss };

struct RunOptions {
  std::string module;
  std::vector<std::string> inputs; // --input, one per parameter
  std::string inputsFrom, outputsTo, expectFrom;
  BindOptions bind; // inputs are for the remaining parameters
  Tolerance tolerance;
  bool hasTolerance = false; // given by the user; otherwise --compare derives one from the module
  /// With --mpi, 0 stands for the module's own number.
  int64_t replicas = 1, partitions = 1;
  bool mpi = false;
  uint64_t seed = 0;
  bool evaluate = false, compare = false, json = false;
  double benchmarkSeconds = 0;
  std::string trace;
  bool profile = false;
  std::string profileFile; // empty: only printed
  std::string reportFile;  // of a page with measured times, or of its data; empty: none
  NumericReport numericReport = NumericReport::None;

  // For compiled code.
  int optimizationLevel = 2;
  int64_t threads = 0; // 0: all processors
  std::string mcpu;    // empty: this machine's
  Bf16Dot bf16Dot = Bf16Dot::Checked;
  bool fastMath = false, flushSubnormals = false, excessPrecision = false, reproducible = false,
       checkBuffers = false;

  CacheSettings cache;
  double timeBudget = 0; // as for hloc

  std::vector<std::string> schedules;             // NAME=#hlo.schedule<...>
  std::string tunedSchedules, tunedSchedulesFile; // --schedules' text and name

  // Limits of the evaluator.
  int64_t maxSteps = int64_t(1) << 40;
  double maxSeconds = 1e9;
  int64_t maxMegabytes = int64_t(1) << 14;

  /// The module's source text, once it is open.
  std::shared_ptr<llvm::SourceMgr> sources;
  /// With --mpi, once that is initialized.
  std::shared_ptr<MpiProcess> process;
  /// The participants in this process: all, or one.
  int64_t firstHere = 0, countHere = 1;

  int64_t getParticipants() const { return replicas * partitions; }
  bool isHere(int64_t participant) const {
    return participant >= firstHere && participant < firstHere + countHere;
  }
};

/// Parses the command line. Returns false after printing a message if it is wrong.
bool parseRunOptions(int argc, char **argv, RunOptions &options);

} // namespace hloc

#endif
