// SPDX-License-Identifier: Apache-2.0
// The use of the arena over time, from attributes of assign-buffers. Tests: test/tools/report.hlo,
// test/tools/report-data.test.

#ifndef HLOC_COMPILER_DRIVER_REPORT_ARENAUSE_H
#define HLOC_COMPILER_DRIVER_REPORT_ARENAUSE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace hloc {

/// Bytes [offset, offset + bytes) at positions [begin, end) of the program.
struct ArenaBuffer {
  int64_t offset = 0, bytes = 0, begin = 0, end = 0;
  /// The instruction that first writes it.
  llvm::StringRef name;

  bool isLiveAt(int64_t position) const { return begin <= position && position < end; }
};

struct ArenaUse {
  std::vector<ArenaBuffer> buffers;
  /// The first position at which the most bytes are live, and how many.
  int64_t peak = 0, peakBytes = 0;
};

/// `function` is on memory.
ArenaUse readArenaUse(mlir::func::FuncOp function);

} // namespace hloc

#endif
