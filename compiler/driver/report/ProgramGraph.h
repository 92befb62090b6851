// SPDX-License-Identifier: Apache-2.0
// A program on memory as a graph: what runs, and the arrays that go from one node to another. Test:
// test/tools/report-data.test.

#ifndef HLOC_COMPILER_DRIVER_REPORT_PROGRAMGRAPH_H
#define HLOC_COMPILER_DRIVER_REPORT_PROGRAMGRAPH_H

#include "compiler/driver/report/SourceLines.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

struct ProgramGraph {
  llvm::json::Array nodes, edges;
};

/// `kernels` has the number of each kernel; tile groups are those for target number `target`. The
/// structure is described in docs/report.md.
ProgramGraph makeProgramGraph(mlir::ModuleOp program, const llvm::StringMap<int64_t> &kernels,
                              int64_t target, SourceLines &lines);

} // namespace hloc

#endif
