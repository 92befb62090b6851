// SPDX-License-Identifier: Apache-2.0
// How kernels can be done: the table of strategies, and the choice of the one that takes least.
// Code generation carries a schedule out and chooses nothing of what is said here. Test:
// test/passes/schedule/choose-schedules.mlir.
//
// To add a strategy: an entry of a table (DotStrategies.cpp) and the code that carries it out
// (codegen/kernels).

#ifndef HLOC_PASSES_SCHEDULE_STRATEGIES_H
#define HLOC_PASSES_SCHEDULE_STRATEGIES_H

#include "compiler/target/Cost.h"
#include <string>

namespace hloc {

/// A kernel and the machine that it is to run on.
struct KernelProblem {
  hlo::KernelKind kind;
  mlir::Block &body;
  /// For each result the input in whose memory it lies, -1 for none.
  llvm::ArrayRef<int64_t> reuse;
  const Target &target;
  CostModel costs;
  /// How often the right operand of a dot would be packed for each run of the kernel, if a kernel
  /// of its own did that; negative if none can (OperandPanels.h).
  double packings = -1;
};

/// The problem of a kernel of a program that is compiled for `target`.
KernelProblem makeProblem(hlo::KernelOp kernel, const Target &target);

/// The choice of a dot to read its right operand in panels that were packed beforehand.
inline constexpr llvm::StringLiteral kPackedRight = "packed_right";

/// A way to do a kernel, and the nanoseconds that it takes on one core.
struct Candidate {
  hlo::ScheduleAttr schedule;
  double time = 0;
};

struct Strategy {
  llvm::StringRef name;
  hlo::KernelKind kind;
  /// Why the kernel cannot be done so; empty if it can.
  std::string (*refuse)(const KernelProblem &problem);
  /// Adds the schedules that are worth a look on this machine.
  void (*propose)(const KernelProblem &problem,
                  llvm::SmallVectorImpl<hlo::ScheduleAttr> &schedules);
  /// Nanoseconds that the kernel takes with a schedule of the strategy, on one core.
  double (*cost)(const KernelProblem &problem, hlo::ScheduleAttr schedule);
  /// What is wrong with a schedule of the strategy that somebody wrote; empty if nothing.
  std::string (*check)(const KernelProblem &problem, hlo::ScheduleAttr schedule);
  /// In which order a schedule of the strategy adds, in words that strategies of one kind share:
  /// schedules of which it says the same give the same bits (Summation.h). Null: it may be
  /// another one with each schedule.
  std::string (*summation)(const KernelProblem &problem, hlo::ScheduleAttr schedule) = nullptr;
};

/// All strategies for kernels of each kind.
llvm::ArrayRef<Strategy> getDotStrategies();
llvm::ArrayRef<Strategy> getConvolutionStrategies();
llvm::ArrayRef<Strategy> getReduceStrategies();
llvm::ArrayRef<Strategy> getSortStrategies();
llvm::ArrayRef<Strategy> getScanStrategies();
llvm::ArrayRef<Strategy> getWindowStrategies();
llvm::ArrayRef<Strategy> getScatterStrategies();
llvm::ArrayRef<Strategy> getLoopStrategies();
llvm::ArrayRef<Strategy> getUpdateStrategies();

/// The fields of a schedule that its strategy has, to be filled in.
struct ScheduleFields {
  llvm::SmallVector<int64_t, 3> tile, block;
  int64_t lanes = 0, units = 0, scratch = 0;
  llvm::SmallVector<llvm::StringRef, 2> with;
};
hlo::ScheduleAttr makeSchedule(const KernelProblem &problem, llvm::StringRef strategy,
                               const ScheduleFields &fields);

/// What is wrong with a written schedule that has other fields than `fields`, or choices other than
/// `with`; empty if nothing.
std::string checkFieldNames(hlo::ScheduleAttr schedule, llvm::ArrayRef<llvm::StringRef> fields,
                            llvm::ArrayRef<llvm::StringRef> with = {});

/// What is wrong with the fields of a written schedule that mean the same to every strategy, of
/// which `with` are the choices; empty if nothing.
std::string checkScheduleFields(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                                llvm::ArrayRef<llvm::StringRef> with = {});
/// The same of a tile that is to be one row of at most `most` vectors.
std::string checkVectors(hlo::ScheduleAttr schedule, int64_t most);
/// The same of its lanes, which are numbers of `bits` bits.
std::string checkLanes(const KernelProblem &problem, hlo::ScheduleAttr schedule, int64_t bits);

/// The strategies for the kernel's kind; none if it does not hold what its kind says, which code
/// generation reports.
llvm::ArrayRef<Strategy> getStrategies(const KernelProblem &problem);

/// How often the code of a dot asks for each element of its operand 0 or 1, whatever its strategy.
double countOperandReads(hlo::DotOp dot, unsigned operand);

/// Attribute of a module: schedules that somebody wrote, by the names of kernels' instructions.
inline constexpr llvm::StringLiteral kWrittenSchedules = "hlo.schedules";

struct Choice {
  /// Null if no strategy takes the kernel: it does not hold what its kind says.
  Candidate best;
  /// The best of another strategy; null if there is none.
  Candidate second;
};

/// The candidate that takes least.
Choice chooseSchedule(const KernelProblem &problem);

/// Nanoseconds that the kernel takes with a schedule of one of its kind's strategies.
double getCost(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// What is wrong with a schedule that somebody wrote for the kernel; empty if nothing.
std::string checkSchedule(const KernelProblem &problem, hlo::ScheduleAttr schedule);

} // namespace hloc

#endif
