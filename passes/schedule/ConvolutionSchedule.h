// SPDX-License-Identifier: Apache-2.0
// What the strategies for convolutions share: counts and times, and checks of written schedules.
// Each strategy is in a file of its name; ConvolutionStrategies.cpp is their table. Test:
// test/passes/schedule/convolution-schedules.mlir.
//
// In all of them a unit is some features at a row of pixels, and a register tile goes over the taps
// and channels under its pixels' windows.

#ifndef HLOC_PASSES_SCHEDULE_CONVOLUTIONSCHEDULE_H
#define HLOC_PASSES_SCHEDULE_CONVOLUTIONSCHEDULE_H

#include "passes/schedule/ConvolutionProblem.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/Summation.h"

namespace hloc {

ConvolutionProblem getConvolution(const KernelProblem &problem);

/// Output features of a unit.
inline constexpr int64_t kBlockFeatures = 128;

hlo::ScheduleAttr makeSchedule(const ConvolutionProblem &convolution, llvm::StringRef strategy,
                               TileShape tile, llvm::ArrayRef<int64_t> block, int64_t lanes,
                               bool hasPatch = false);

bool isEmpty(const ConvolutionProblem &convolution);

/// Elements of a vector, which has no more than there are `along` it.
int64_t chooseLanes(const KernelProblem &problem, const ConvolutionProblem &convolution,
                    int64_t along);

/// How a kernel's tiles and units go, for costs.
struct ConvolutionCounts {
  ConvolutionCounts(const ConvolutionProblem &convolution, const ConvolutionShape &shape);

  /// Rows of pixels of all images and phases, tiles of each.
  double rows = 1, tilesOfRow = 1;
  /// Taps of a phase; the part of tiles that is no repetition; products.
  double taps = 1, useful = 1, products = 1;
};

/// Time of the products, each of which a tile does at `rate` of the machine's.
double getProductTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                      const ConvolutionShape &shape, const ConvolutionCounts &counts, double rate);

/// Time to read what a phase needs of the filter `passes` times, in pieces of so many elements that
/// lie apart: beyond the second cache each is waited for. Zero elements: one after the other.
double getFilterTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                     const ConvolutionCounts &counts, double passes, int64_t pieceElements);

/// Time to bring one element of the input to its place in a patch.
double getFillTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                   const ConvolutionShape &shape);

/// What is wrong with what schedules of all strategies have, the block being of so many numbers.
std::string checkFields(const KernelProblem &problem, const ConvolutionProblem &convolution,
                        hlo::ScheduleAttr schedule, size_t blockRank, bool mayPatch);

/// Whether a shape with this frame leaves room on the stack for a tile of results and spilled
/// registers.
bool fitsStack(const KernelProblem &problem, const ConvolutionProblem &convolution,
               const ConvolutionShape &shape);

/// What is wrong with a shape whose patches and blocks are to be on the stack; empty if nothing.
std::string checkFrame(const KernelProblem &problem, const ConvolutionProblem &convolution,
                       const ConvolutionShape &shape);

/// The order of sums: taps and channels one after the other, long sums in blocks, `lanes` channels
/// in lanes of their own.
std::string sumTapsInTurn(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// The strategies, each in a file of its name.
extern const Strategy kFeatureConvolution, kGroupConvolution, kPixelConvolution,
    kChannelConvolution, kBlockedConvolution;

} // namespace hloc

#endif
