// SPDX-License-Identifier: Apache-2.0
// The table of strategies, that is, of the ways to execute a kernel, and the choice of the fastest
// by predicted time. Code generation carries a schedule out as written and makes none of these
// choices. Test: test/passes/schedule/choose-schedules.mlir.
//
// To add a strategy, write an entry of a table (DotStrategies.cpp) and the code that carries it out
// (codegen/kernels).

#ifndef HLOC_PASSES_SCHEDULE_STRATEGIES_H
#define HLOC_PASSES_SCHEDULE_STRATEGIES_H

#include "compiler/target/Cost.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include <string>

namespace hloc {

/// A kernel and the machine that it will run on.
struct KernelProblem {
  hlo::KernelKind kind;
  mlir::Block &body;
  /// For each result, the input whose memory it overwrites; -1 for none.
  llvm::ArrayRef<int64_t> reuse;
  const Target &target;
  CostModel costs;
  /// How many times a separate kernel would pack the right operand of a dot, per run of this
  /// kernel; negative if it cannot be packed beforehand (OperandPanels.h).
  double packings = -1;
  /// Bytes of the arrays that the program or loop around the kernel reads each time it runs, 0 if
  /// not known, and which of the kernel's inputs are among them.
  double bytesAround = 0;
  llvm::SmallBitVector isFromAround = {};

  /// Bytes that are read before the array of `argument` is read again, if it is from around the
  /// kernel; else 0.
  double getBytesAround(mlir::BlockArgument argument) const {
    unsigned number = argument.getArgNumber();
    return number < isFromAround.size() && isFromAround[number] ? bytesAround : 0;
  }
};

/// The arrays that a program or a loop reads each time it runs: those that its kernels take and
/// that none of them makes, such as the weights of a network.
class ArraysAround {
public:
  /// The bytes of such arrays in the region of a program or loop. The IR must not change between
  /// calls.
  double getBytes(mlir::Region &region);

private:
  llvm::DenseMap<mlir::Region *, double> known;
};

/// The problem of a kernel of a program that is compiled for `target`. Without `around`, the caches
/// are taken to hold what they can of the kernel's own arrays.
KernelProblem makeProblem(hlo::KernelOp kernel, const Target &target,
                          ArraysAround *around = nullptr);

/// The fewest units of a kernel with which all cores that share the last-level cache have work and
/// end at about the same time; 1 if there is one thread.
int64_t getLeastUnits(const Target &target);

/// Choice (`with`) of a dot's schedule: the right operand is read from panels that a kernel before
/// it packed.
inline constexpr llvm::StringLiteral kPackedRight = "packed_right";

/// A schedule for a kernel, and the nanoseconds that it is predicted to take on one core.
struct Candidate {
  hlo::ScheduleAttr schedule;
  double time = 0;
};

struct Strategy {
  llvm::StringRef name;
  hlo::KernelKind kind;
  /// Why the strategy does not apply to the kernel; empty if it does.
  std::string (*refuse)(const KernelProblem &problem);
  /// Adds the schedules that may be the fastest on this machine.
  void (*propose)(const KernelProblem &problem,
                  llvm::SmallVectorImpl<hlo::ScheduleAttr> &schedules);
  /// Predicted nanoseconds of the kernel with a schedule of this strategy, on one core.
  double (*cost)(const KernelProblem &problem, hlo::ScheduleAttr schedule);
  /// What is wrong with a schedule of this strategy that a user wrote; empty if it is valid.
  std::string (*check)(const KernelProblem &problem, hlo::ScheduleAttr schedule);
  /// The order of summation of a schedule, in words that all strategies of one kind share:
  /// schedules with equal descriptions give the same bits (Summation.h). Null if nothing is known,
  /// so that each schedule counts as an order of its own.
  std::string (*summation)(const KernelProblem &problem, hlo::ScheduleAttr schedule) = nullptr;
};

/// The strategies for kernels of each kind.
llvm::ArrayRef<Strategy> getDotStrategies();
llvm::ArrayRef<Strategy> getConvolutionStrategies();
llvm::ArrayRef<Strategy> getReduceStrategies();
llvm::ArrayRef<Strategy> getSortStrategies();
llvm::ArrayRef<Strategy> getScanStrategies();
llvm::ArrayRef<Strategy> getWindowStrategies();
llvm::ArrayRef<Strategy> getScatterStrategies();
llvm::ArrayRef<Strategy> getLoopStrategies();
llvm::ArrayRef<Strategy> getUpdateStrategies();

/// The fields of a new schedule; those that the strategy does not use keep their defaults.
struct ScheduleFields {
  llvm::SmallVector<int64_t, 3> tile, block;
  int64_t lanes = 0, units = 0, scratch = 0;
  llvm::SmallVector<llvm::StringRef, 2> with;
};
hlo::ScheduleAttr makeSchedule(const KernelProblem &problem, llvm::StringRef strategy,
                               const ScheduleFields &fields);

/// What is wrong with a written schedule: it sets a field that is not among `fields`, or a choice
/// that is not in `with`. Empty if it is valid.
std::string checkFieldNames(hlo::ScheduleAttr schedule, llvm::ArrayRef<llvm::StringRef> fields,
                            llvm::ArrayRef<llvm::StringRef> with = {});

/// Checks the fields of a written schedule that mean the same for every strategy; `with` lists the
/// choices that are allowed. Returns what is wrong, or an empty string.
std::string checkScheduleFields(const KernelProblem &problem, hlo::ScheduleAttr schedule,
                                llvm::ArrayRef<llvm::StringRef> with = {});
/// Likewise, checks that the tile is one row of at most `most` vectors, a power of two.
std::string checkVectors(hlo::ScheduleAttr schedule, int64_t most);
/// Likewise, checks that the lanes fit a vector of elements of `bits` bits.
std::string checkLanes(const KernelProblem &problem, hlo::ScheduleAttr schedule, int64_t bits);

/// The strategies for the kernel's kind. None if the kernel lacks the operation that its kind
/// names, which code generation reports.
llvm::ArrayRef<Strategy> getStrategies(const KernelProblem &problem);

/// How often the code of a dot reads each element of its operand 0 or 1: an estimate that holds for
/// every strategy.
double countOperandReads(hlo::DotOp dot, unsigned operand);

/// Attribute of a module: schedules that a user wrote, by the instruction names of their kernels.
inline constexpr llvm::StringLiteral kWrittenSchedules = "hlo.schedules";

struct Choice {
  /// Null if the kernel lacks the operation that its kind names.
  Candidate best;
  /// The fastest candidate of any other strategy; null if there is none.
  Candidate second;
};

/// Chooses the candidate with the least predicted time.
Choice chooseSchedule(const KernelProblem &problem);

/// Predicted nanoseconds of the kernel with a schedule of one of its kind's strategies.
double getCost(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// True if kernels of this kind have a strategy of that name.
bool hasStrategy(const KernelProblem &problem, llvm::StringRef name);
/// What is wrong with a schedule that a user wrote for the kernel; empty if it is valid.
std::string checkSchedule(const KernelProblem &problem, hlo::ScheduleAttr schedule);

} // namespace hloc

#endif
