// SPDX-License-Identifier: Apache-2.0
// How far the index arithmetic of a kernel goes: what decides how wide lane indices must be. Test:
// test/codegen/wide-lane-indices.hlo.

#ifndef HLOC_CODEGEN_EMIT_INDEXREACH_H
#define HLOC_CODEGEN_EMIT_INDEXREACH_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// No index of a dimension or position of an array that `kernel` computes lies further from zero,
/// whether in an array or in padding and holes beside it, and in the last vector of a row beyond
/// its end. Nothing if that is more than an int64 holds.
std::optional<int64_t> findIndexReach(hlo::KernelFunctionOp kernel);

} // namespace hloc

#endif
