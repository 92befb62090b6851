// SPDX-License-Identifier: Apache-2.0
// The blocks of dot.packed and dot.row_blocks.

#ifndef HLOC_PASSES_SCHEDULE_DOTBLOCKS_H
#define HLOC_PASSES_SCHEDULE_DOTBLOCKS_H

#include "passes/schedule/DotSchedule.h"

namespace hloc {

/// Columns of a block, and of one for products that are so fast that the left operand should be
/// read less often.
inline constexpr int64_t kBlockColumns = 256, kWideBlockColumns = 512;

/// Rows and columns of the result, and terms of its sums.
struct Blocks {
  int64_t rows, columns, depth;
};

/// Nearly equal blocks of whole tiles that fit in L2.
Blocks chooseBlocks(const KernelProblem &problem, const DotProblem &dot, TileShape tile,
                    int64_t lanes, int64_t group, int64_t mostColumns = kBlockColumns);

/// Divides blocks of a product without batches until all cores that share the last-level cache have
/// work, as far as there are tasks: first the columns, so that each part of the right operand is
/// read, and packed, only once.
Blocks divideBlocks(const KernelProblem &problem, const DotProblem &dot, TileShape tile,
                    int64_t lanes, Blocks blocks);

/// The blocks of `chooseBlocks`, divided for several threads, and others with more rows, since the
/// right operand is packed once for each block of rows.
llvm::SmallVector<Blocks> listBlocks(const KernelProblem &problem, const DotProblem &dot,
                                     TileShape tile, int64_t lanes, int64_t group,
                                     int64_t mostColumns = kBlockColumns);

} // namespace hloc

#endif
