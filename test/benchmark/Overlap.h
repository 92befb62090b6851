// SPDX-License-Identifier: Apache-2.0
// How much of a transfer is hidden by a matrix product that runs in the meantime.
#ifndef HLOC_TEST_BENCHMARK_OVERLAP_H
#define HLOC_TEST_BENCHMARK_OVERLAP_H

#include "Operation.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace hloc::test {

/// Operations on floats for n participants; `bytes` are of the larger one of operand and result.
using MakeKinds = std::function<std::vector<Operation>(int32_t n, int64_t bytes)>;

/// Sums floats, as an hlort_combine.
void addFloats(void *into, const void *from, int64_t elements);

/// Of each operation of so many bytes the time by itself, that of a product, and that of the
/// product between the operation's start and its done. With `isMpi` this process is one participant
/// of those that mpirun has started, else all are threads of it. Returns the exit code.
int measureOverlap(int32_t participants, int64_t bytes, bool isMpi, const MakeKinds &makeKinds);

} // namespace hloc::test

#endif // HLOC_TEST_BENCHMARK_OVERLAP_H
