// SPDX-License-Identifier: Apache-2.0
// What the strategies for dots share: vector widths, parts of the cost model, and checks of written
// schedules. Each strategy has a file of its name; DotStrategies.cpp is their table. Test:
// test/passes/schedule/choose-schedules.mlir.

#ifndef HLOC_PASSES_SCHEDULE_DOTSCHEDULE_H
#define HLOC_PASSES_SCHEDULE_DOTSCHEDULE_H

#include "passes/schedule/DotProblem.h"
#include "passes/schedule/RegisterTiles.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/Summation.h"

namespace hloc {

DotProblem getDot(const KernelProblem &problem);

/// The number of units of a schedule, blocks or tiles of the result, which run in parallel.
int64_t countUnits(const DotProblem &dot, hlo::ScheduleAttr schedule);

/// Lanes of a vector: the target's, but not more than are needed for `along` elements.
int64_t chooseLanes(const KernelProblem &problem, const DotProblem &dot, int64_t along);

/// How many k one instruction of the target multiplies and adds (2 or 4 with dot-product
/// instructions, else 1); `packs` says that both operands are packed.
int64_t chooseGroup(const KernelProblem &problem, const DotProblem &dot, int64_t lanes, bool packs);

/// How many k the blocks have whose sums dot.packed adds: as many groups of `group` k as blocks of
/// single products have terms, because a group is rounded once or, of integers, is exact.
int64_t getSumDepth(int64_t group);

/// Ways of L1 that must be left to the panel beside a tile's rows.
inline constexpr int64_t kPanelWays = 2;

/// Choice of dot.packed: tiles are made of matrix registers.
inline constexpr llvm::StringLiteral kMatrixRegisters = "matrix_registers";

/// Why the factors, in groups of `group`, cannot be multiplied in matrix registers; empty if they
/// can. DotMatrix.cpp has what concerns these.
std::string refuseMatrices(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                           int64_t group);

/// Tiles of matrix registers, at most two by two.
llvm::SmallVector<TileShape> listMatrixTiles(const DotProblem &dot, int64_t lanes);
bool fitsMatrices(TileShape tile, int64_t lanes);

/// True if matrix registers load the rows of the left operand where they lie; else these are
/// packed.
bool leftIsInMatrices(const Target &target, const DotProblem &dot, hlo::ScheduleAttr schedule);

/// True if matrix registers add up all blocks of the depth: of integers, which is exact, and of
/// floats if the products that they add are no more than the terms of a block elsewhere. A product
/// of two registers is rounded on its own before it is added, so it counts as one term.
bool addsUpInMatrices(const DotProblem &dot, int64_t group);

/// True if tiles of the dot are tiles of the result of the kernel: nothing is fused onto the dot,
/// tiles do not overlap, and the result is not in the memory of an input (`reuse`).
bool isResultOfTiles(mlir::Block &body, llvm::ArrayRef<int64_t> reuse, const DotProblem &dot,
                     int64_t tileRows, int64_t width);

/// Time of one product in matrix registers.
double getMatrixProductTime(const KernelProblem &problem, int64_t group);

/// Time of the products in matrix registers, and to store their sums and take them from there.
double getMatrixTime(const KernelProblem &problem, const DotProblem &dot,
                     hlo::ScheduleAttr schedule);

/// A lower bound of the time of a dot's products, by the fastest instructions for them.
double getLeastProductTime(const KernelProblem &problem, hlo::DotOp dot);

/// Cost of packing an element (loads, addresses, stores), as a multiple of reloading one.
inline constexpr double kPackReloads = 3;

/// Fraction of a tile's peak rate that is reached when the right operand is read where it lies.
inline constexpr double kStreamRate = 0.75;

/// Time of the multiply-adds, at `rate` of the machine's peak.
double getProductTime(const KernelProblem &problem, const DotProblem &dot, int64_t lanes,
                      double rate);

/// Fraction of a tile's rate that remains after its loads take issue slots. 1 for batched dots,
/// whose tiles are always the tallest: their blocks must have the same boundaries as those of other
/// kernels in their group.
double getLoadRate(const KernelProblem &problem, const DotProblem &dot, TileShape tile);

/// Time to read the right operand of every batch `passes` times. The first time it comes from
/// memory if the program or loop around reads more than the caches hold before it returns to it.
double getReadTime(const KernelProblem &problem, const DotProblem &dot, double passes);

/// Rows up to which the partial sums of a strip stay in L1 while the right operand is read row by
/// row.
inline constexpr int64_t kMostAxpyRows = 4;

/// By what factor reading the right operand from memory is slower if only a strip of `columns`
/// columns is read of each row. 1 if the operand fits in L2 or many rows use it.
double getStripFactor(const KernelProblem &problem, const DotProblem &dot, int64_t columns);

/// Up to how many steps along the depth are unrolled where blocks of it share a scale.
inline constexpr int64_t kMostStepsOfRun = 4;

/// True if the right operand can be prefetched: its rows are contiguous in memory in the order in
/// which they are read.
bool canAskAhead(const DotProblem &dot);

/// Time that tiles stall on the right operand, which each of `rowTiles` tiles of rows reads
/// completely, if the `elements` that successive tiles share do not stay in L1.
double getPanelWait(const KernelProblem &problem, const DotProblem &dot, double rowTiles,
                    int64_t elements);

/// True if successive rows of the left operand map to the same sets of L1 and evict each other.
bool rowsShareWays(const KernelProblem &problem, const DotProblem &dot);

/// Time to read in place a left operand whose row dimension is minor: a tile of `tileRows` rows
/// reads a cache line for each k, and does so again for each of `panels` panels of columns, since
/// L1 keeps few of these lines.
double getTransposedTime(const KernelProblem &problem, const DotProblem &dot, int64_t tileRows,
                         double panels);

/// Time that tiles of `tileRows` rows wait for a left operand that they read in place from beyond
/// L2, if several of its rows are in a page and a tile's rows in more than one: hardware
/// prefetchers do not find the order of such loads.
double getColdRowsTime(const KernelProblem &problem, const DotProblem &dot, int64_t tileRows);

/// Time to compute an element of the right operand; zero if its stored elements can be multiplied
/// directly.
double getPrologueTime(const KernelProblem &problem, const DotProblem &dot);

/// Additional time to read an element of the right operand if a batch dimension is its minor one:
/// the elements of a column are cache lines apart, and each line is read again for the next batch.
double getBatchMinorTime(const KernelProblem &problem, const DotProblem &dot);

hlo::ScheduleAttr makeSchedule(const DotProblem &dot, llvm::StringRef strategy, TileShape tile,
                               llvm::ArrayRef<int64_t> block, int64_t lanes, int64_t group,
                               llvm::ArrayRef<llvm::StringRef> with = {});

/// Checks a written schedule whose lanes lie along columns; `with` lists the choices that its
/// strategy has. Returns what is wrong, or an empty string.
std::string checkTile(const KernelProblem &problem, const DotProblem &dot,
                      hlo::ScheduleAttr schedule, llvm::ArrayRef<llvm::StringRef> with = {});

/// The order of summation of strategies that read the right operand in place: one term after the
/// other, long sums in blocks.
std::string sumInPlace(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// The order of summation of strategies that go through the depth block by block: the terms of each
/// block one after the other, then the sums of the blocks likewise.
std::string sumInBlocks(const KernelProblem &problem, hlo::ScheduleAttr schedule);
/// What that says of the blocks, whose terms are groups of `group` products; empty if there is only
/// one block.
std::string describeSumBlocks(const DotProblem &dot, int64_t group);

/// The strategies, each in a file of its name.
extern const Strategy kPackedDot, kRowBlocksDot, kStreamedDot, kAxpyDot, kAlongDepthDot;

} // namespace hloc

#endif
