// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ConvolutionSchedule.h"

using namespace mlir;

namespace hloc {

ArrayRef<Strategy> getConvolutionStrategies() {
  static const Strategy strategies[] = {kFeatureConvolution, kGroupConvolution,
                                        kPixelConvolution,   kChannelConvolution,
                                        kBlockedConvolution, kWindowConvolution};
  return strategies;
}

} // namespace hloc
