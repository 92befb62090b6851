// SPDX-License-Identifier: Apache-2.0
// What the strategies for dots share: their vectors, times, and checks of written schedules. Each
// strategy is a file of its name; DotStrategies.cpp is their table. Test:
// test/passes/schedule/choose-schedules.mlir.

#ifndef HLOC_PASSES_SCHEDULE_DOTSCHEDULE_H
#define HLOC_PASSES_SCHEDULE_DOTSCHEDULE_H

#include "passes/schedule/DotProblem.h"
#include "passes/schedule/RegisterTiles.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/Summation.h"

namespace hloc {

DotProblem getDot(const KernelProblem &problem);

/// Elements of a vector, which has no more than there are `along` it.
int64_t chooseLanes(const KernelProblem &problem, const DotProblem &dot, int64_t along);

/// How many k the target multiplies and adds at once; `packs` says that both operands are packed.
int64_t chooseGroup(const KernelProblem &problem, const DotProblem &dot, int64_t lanes, bool packs);

/// Of a tile's rate, what is reached by reading the right operand where it lies.
inline constexpr double kStreamRate = 0.75;

/// Time of the products, each of which a tile does at `rate` of the machine's.
double getProductTime(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                      double rate);

/// The part of a tile's rate that is left beside its loads. Tiles of batches are as tall as can be:
/// their blocks have borders in common with others of a group.
double getLoadRate(const KernelProblem &problem, const DotProblem &dot, TileShape tile);

/// Time to read the right operand of every batch `passes` times.
double getReadTime(const KernelProblem &problem, const DotProblem &dot, double passes);

/// Rows whose sums can wait in the first cache while the right operand is read row by row.
inline constexpr int64_t kMostAxpyRows = 4;

/// How much longer it takes to read the right operand from memory where a strip of `columns`
/// columns is read of each row; 1 for what is near or used by many rows.
double getStripFactor(const KernelProblem &problem, const DotProblem &dot, int64_t columns);

/// Rows of the right operand between the one that is asked for and the one that is multiplied,
/// where a strip of it is read in place: measured from 4 to 32, about the time that the last cache
/// takes.
inline constexpr int64_t kRowsAhead = 8;

/// Steps along the depth that are made without a loop, at most, where blocks of it share a scale.
inline constexpr int64_t kMostStepsOfRun = 4;

/// Whether the right operand can be asked for before it is read: its rows lie in memory as they are
/// read.
bool canAskAhead(const DotProblem &dot);

/// Time for which tiles wait for the right operand, of which each of `rowTiles` tiles of rows reads
/// all, where the `elements` that neighbouring tiles have in common do not stay in the first cache.
double getPanelWait(const KernelProblem &problem, const DotProblem &dot, double rowTiles,
                    int64_t elements);

/// Whether neighbouring rows of the left operand, as it lies in memory, push each other out of the
/// first cache.
bool rowsShareWays(const KernelProblem &problem, const DotProblem &dot);

/// Time to read a left operand in place whose rows lie side by side: tiles of `tileRows` rows read
/// a line for each k, and that for each of `panels` panels of columns, since few lines stay in the
/// first cache.
double getTransposedTime(const KernelProblem &problem, const DotProblem &dot, int64_t tileRows,
                         double panels);

/// What computing the right operand's elements takes, if they do not lie in memory as they are.
double getPrologueTime(const KernelProblem &problem, const DotProblem &dot);

/// What reading an element of the right operand takes more where a batch is its minor dimension:
/// the neighbours of a column are lines apart, and each line is read again for the next batch.
double getBatchMinorTime(const KernelProblem &problem, const DotProblem &dot);

hlo::ScheduleAttr makeSchedule(const DotProblem &dot, llvm::StringRef strategy, TileShape tile,
                               llvm::ArrayRef<int64_t> block, int64_t lanes, int64_t group,
                               llvm::ArrayRef<llvm::StringRef> with = {});

/// What is wrong with the fields of a schedule whose lanes lie along columns; `with` are the
/// choices of its strategy.
std::string checkTile(const KernelProblem &problem, const DotProblem &dot,
                      hlo::ScheduleAttr schedule, llvm::ArrayRef<llvm::StringRef> with = {});

/// The order of sums of strategies that read the right operand in place: one after the other, long
/// ones in blocks.
std::string sumInPlace(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// The strategies, each in a file of its name.
extern const Strategy kPackedDot, kStreamedDot, kAxpyDot, kAlongDepthDot;

} // namespace hloc

#endif
