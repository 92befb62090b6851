// SPDX-License-Identifier: Apache-2.0
// The command line of hlo-run. Names and meanings are a contract with scripts outside the project.

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

/// Whether to report where precision is lost, and in which order.
enum class NumericReport { None, Program, Loss };

struct RunOptions {
  std::string module;
  std::vector<std::string> inputs; // --input, one a parameter
  std::string inputsFrom, outputsTo, expectFrom;
  BindOptions bind; // inputs are of the parameters that are left
  Tolerance tolerance;
  bool hasTolerance = false; // it was given; else --compare derives one from the module
  /// With --mpi, 0 stands for what the module says.
  int64_t replicas = 1, partitions = 1;
  bool mpi = false;
  uint64_t seed = 0;
  bool evaluate = false, compare = false, json = false;
  double benchmarkSeconds = 0;
  std::string trace;
  bool profile = false;
  std::string profileFile; // empty: only printed
  std::string reportFile;  // of a page with what is measured, or of its data; empty: none
  NumericReport numericReport = NumericReport::None;

  // Of compiled code.
  int optimizationLevel = 2;
  int64_t threads = 0; // 0: all processors
  std::string mcpu;    // empty: this machine's
  Bf16Dot bf16Dot = Bf16Dot::Exact;
  bool fastMath = false, reproducible = false, checkBuffers = false;

  CacheSettings cache;
  double timeBudget = 0; // as hloc's

  std::vector<std::string> schedules;             // NAME=#hlo.schedule<...>
  std::string tunedSchedules, tunedSchedulesFile; // --schedules' text and name

  // Limits of the evaluator.
  int64_t maxSteps = int64_t(1) << 40;
  double maxSeconds = 1e9;
  int64_t maxMegabytes = int64_t(1) << 14;

  /// Of the module, once it is open.
  std::shared_ptr<llvm::SourceMgr> sources;
  /// With --mpi, once that has begun.
  std::shared_ptr<MpiProcess> process;
  /// The participants that this process is: all, or one.
  int64_t firstHere = 0, countHere = 1;

  int64_t getParticipants() const { return replicas * partitions; }
  bool isHere(int64_t participant) const {
    return participant >= firstHere && participant < firstHere + countHere;
  }
};

/// Reads the command line. False, with a message on the error stream, if it is wrong.
bool parseRunOptions(int argc, char **argv, RunOptions &options);

} // namespace hloc

#endif
