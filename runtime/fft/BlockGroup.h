// SPDX-License-Identifier: Apache-2.0
// Blocks that are adjacent in memory, which a thread transforms together: a row of all of them is
// read and written at once. If rows are far apart, this touches few pages and long runs of cache
// lines, instead of a page for every two lines.
#ifndef HLOC_RUNTIME_FFT_BLOCKGROUP_H
#define HLOC_RUNTIME_FFT_BLOCKGROUP_H

#include "fft/Plan.h"
#include "fft/Workspace.h"

#include <algorithm>
#include <unistd.h>

namespace hloc::runtime {

/// The most blocks of a group.
inline constexpr int maxGroup = 8;

/// Bytes of L2 that a group may fill: not all, since rows on their way pass through it. If the
/// system does not tell its size, that of the smallest in use.
inline int64_t groupBytes() {
  static const int64_t bytes = [] {
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (cache > 0 ? cache : 256 << 10) * 5 / 8;
  }();
  return bytes;
}

/// The number of blocks of `rows` rows in a group, if rows are `stride` complex numbers apart in
/// memory: one if pages hold several rows, otherwise enough for long runs of lines, as far as the
/// blocks stay in L2 together.
template <typename T> int groupSize(int64_t rows, int64_t stride) {
  constexpr int64_t pageBytes = 4096, runBytes = 512;
  int64_t rowBytes = 2 * fftKernels<T>().lanes * int64_t(sizeof(T));
  if (2 * stride * int64_t(sizeof(T)) < pageBytes)
    return 1;
  int64_t most = std::min<int64_t>(maxGroup, runBytes / rowBytes);
  return int(std::clamp<int64_t>(groupBytes() / (rows * rowBytes) - 1, 1, most));
}

template <typename T> class BlockGroup {
public:
  /// Room for `most` blocks, with one row more than the plan needs, so that equal rows of all
  /// blocks do not map to the same cache set.
  BlockGroup(const LanePlan<T> &plan, int most)
      : plan(plan), most(most), size(2 * (plan.rows() + 1) * kernels.lanes),
        memory((most + 1) * size) {
    for (int i = 0; i <= most; ++i)
      blocks[i] = memory.data() + i * size;
  }

  /// The number of blocks for `columns` columns.
  int count(int64_t columns) const { return int((columns + kernels.lanes - 1) / kernels.lanes); }
  T *block(int which) const { return blocks[which]; }

  /// Reads n rows of `columns` adjacent numbers, `stride` apart; the columns fit into the group.
  void load(const T *in, int64_t stride, int64_t n, int64_t columns, bool inverse) {
    int64_t whole = columns / kernels.lanes, rest = columns % kernels.lanes;
    if (whole)
      kernels.loadColumns(in, stride, n, blocks, int(whole), inverse);
    if (rest)
      kernels.loadAny(in + 2 * whole * kernels.lanes, offsets, int(rest), stride, n, blocks[whole],
                      inverse);
  }

  /// Transforms one block.
  void run(int which) {
    if (plan.run(kernels, blocks[which], blocks[most]) != blocks[which])
      std::swap(blocks[which], blocks[most]);
  }

  /// The reverse of load.
  void store(T *out, int64_t stride, int64_t n, int64_t columns, bool inverse, T scale) const {
    int64_t whole = columns / kernels.lanes, rest = columns % kernels.lanes;
    if (whole)
      kernels.storeColumns(out, stride, n, blocks, int(whole), inverse, scale);
    if (rest)
      kernels.storeAny(out + 2 * whole * kernels.lanes, offsets, int(rest), stride, n,
                       blocks[whole], inverse, scale);
  }

private:
  const FftKernels<T> &kernels = fftKernels<T>();
  const LanePlan<T> &plan;
  const int most;
  const int64_t size; // of a block
  Workspace<T> memory;
  T *blocks[maxGroup + 1]; // the last one is scratch memory of a transform
  static constexpr int64_t offsets[maxLanes] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                8, 9, 10, 11, 12, 13, 14, 15};
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_FFT_BLOCKGROUP_H
