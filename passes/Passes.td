// SPDX-License-Identifier: Apache-2.0
// The manual of the passes, a file a folder. Pipeline.cpp orders them.

#ifndef HLOC_PASSES_PASSES
#define HLOC_PASSES_PASSES

include "passes/frontend/Passes.td"
include "passes/bounded/Passes.td"
include "passes/collectives/Passes.td"
include "passes/simplify/Passes.td"
include "passes/expand/Passes.td"
include "passes/kernels/Passes.td"
include "passes/schedule/Passes.td"
include "passes/memory/Passes.td"
include "passes/prepare/Passes.td"

#endif // HLOC_PASSES_PASSES
