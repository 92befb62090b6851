// SPDX-License-Identifier: Apache-2.0
// The number of windows over a dimension whose size is known only at run time.

#ifndef HLOC_PASSES_BOUNDEDWINDOWS_H
#define HLOC_PASSES_BOUNDEDWINDOWS_H

#include "passes/bounded/BoundedArray.h"

namespace hloc {

/// The number of windows along dimension `i` of `window` over `size` elements; `length` is the
/// length of a window, that of the attribute if null.
mlir::Value countWindows(BoundedBuild &build, hlo::WindowAttr window, int64_t i, mlir::Value size,
                         mlir::Value length = nullptr);

} // namespace hloc

#endif
