// SPDX-License-Identifier: Apache-2.0
// What the strategies for convolutions share: counts, parts of the cost model, and checks of
// written schedules. Each strategy is in a file of its name; ConvolutionStrategies.cpp is their
// table. Test: test/passes/schedule/convolution-schedules.mlir.
//
// In all of them a unit computes some features of a row of pixels, and a register tile loops over
// the taps and channels under its pixels' windows.

#ifndef HLOC_PASSES_SCHEDULE_CONVOLUTIONSCHEDULE_H
#define HLOC_PASSES_SCHEDULE_CONVOLUTIONSCHEDULE_H

#include "passes/schedule/ConvolutionProblem.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/Summation.h"

namespace hloc {

ConvolutionProblem getConvolution(const KernelProblem &problem);

/// The most output features of a unit.
inline constexpr int64_t kBlockFeatures = 128;

hlo::ScheduleAttr makeSchedule(const ConvolutionProblem &convolution, llvm::StringRef strategy,
                               TileShape tile, llvm::ArrayRef<int64_t> block, int64_t lanes,
                               bool hasPatch = false, int64_t group = 1);

bool isEmpty(const ConvolutionProblem &convolution);

/// Lanes of a vector: the target's, but not more than are needed for `along` elements.
int64_t chooseLanes(const KernelProblem &problem, const ConvolutionProblem &convolution,
                    int64_t along);

/// How often tiles and loops run: what the cost model multiplies.
struct ConvolutionCounts {
  ConvolutionCounts(const ConvolutionProblem &convolution, const ConvolutionShape &shape);

  /// Rows of pixels, counted for all images and phases; tiles per row.
  double rows = 1, tilesOfRow = 1;
  /// Taps of a phase; the fraction of tiles' work that is not repeated or padded; multiply-adds.
  double taps = 1, useful = 1, products = 1;
};

/// Time of the multiply-adds, at `rate` of the machine's peak.
double getProductTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                      const ConvolutionShape &shape, const ConvolutionCounts &counts, double rate);

/// Time to read the part of the filter that a phase needs `passes` times, in contiguous segments of
/// `pieceElements` elements, each of which is a miss if the filter exceeds L2. Zero stands for one
/// contiguous stream.
double getFilterTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                     const ConvolutionCounts &counts, double passes, int64_t pieceElements);

/// Time to copy one element of the input into a patch.
double getFillTime(const KernelProblem &problem, const ConvolutionProblem &convolution,
                   const ConvolutionShape &shape);

/// Checks the fields that all strategies share, where `block` must have `blockRank` numbers.
/// Returns what is wrong, or an empty string.
std::string checkFields(const KernelProblem &problem, const ConvolutionProblem &convolution,
                        hlo::ScheduleAttr schedule, size_t blockRank, bool mayPatch,
                        int64_t group = 1);

/// True if the patch, panel and sums of a shape fit on the stack beside a tile of results and
/// spilled registers.
bool fitsStack(const KernelProblem &problem, const ConvolutionProblem &convolution,
               const ConvolutionShape &shape);

/// Like fitsStack, but returns what is wrong, or an empty string.
std::string checkFrame(const KernelProblem &problem, const ConvolutionProblem &convolution,
                       const ConvolutionShape &shape);

/// The order of summation: taps and channels one after the other, long sums in blocks; with lanes
/// along channels, each lane has a sum of its own.
std::string sumTapsInTurn(const KernelProblem &problem, hlo::ScheduleAttr schedule);

/// The strategies, each in a file of its name.
extern const Strategy kFeatureConvolution, kGroupConvolution, kPixelConvolution,
    kChannelConvolution, kBlockedConvolution, kWindowConvolution;

} // namespace hloc

#endif
