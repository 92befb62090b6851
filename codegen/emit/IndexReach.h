// SPDX-License-Identifier: Apache-2.0
// The largest index that a kernel computes, which decides how wide lane indices must be. Test:
// test/codegen/wide-lane-indices.hlo.

#ifndef HLOC_CODEGEN_EMIT_INDEXREACH_H
#define HLOC_CODEGEN_EMIT_INDEXREACH_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// A bound on the magnitude of all indices and positions that `kernel` computes, including those in
/// padding and holes and in the last vector of a row, which may reach beyond the row. None if the
/// bound exceeds int64.
std::optional<int64_t> findIndexReach(hlo::KernelFunctionOp kernel);

} // namespace hloc

#endif
