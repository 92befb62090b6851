// SPDX-License-Identifier: Apache-2.0
// How many windows there are over a dimension whose size is known at run time.

#ifndef HLOC_PASSES_BOUNDEDWINDOWS_H
#define HLOC_PASSES_BOUNDEDWINDOWS_H

#include "passes/bounded/BoundedArray.h"

namespace hloc {

/// Windows along entry `i` of `window` over `size` elements; `length` is that of one, as many as
/// the entry says if null.
mlir::Value countWindows(BoundedBuild &build, hlo::WindowAttr window, int64_t i, mlir::Value size,
                         mlir::Value length = nullptr);

} // namespace hloc

#endif
