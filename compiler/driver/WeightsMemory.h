// SPDX-License-Identifier: Apache-2.0
// The contents of a file of weights in memory, for modules that run in the process that compiled
// them.

#ifndef HLOC_COMPILER_DRIVER_WEIGHTSMEMORY_H
#define HLOC_COMPILER_DRIVER_WEIGHTSMEMORY_H

#include "codegen/program/WeightsImage.h"
#include "compiler/driver/Execute.h"

namespace hloc {

struct WeightsMemory {
  std::unique_ptr<char, void (*)(void *)> data{nullptr, hlort_arena_free};
  int64_t bytes = 0;
};

/// Creates it in memory.
llvm::Expected<WeightsMemory> makeWeights(const WeightsImage &image);

/// Makes a loaded module read its weights there.
llvm::Error useWeights(const LoadedModule &module, const WeightsMemory &weights);

} // namespace hloc

#endif
