// SPDX-License-Identifier: Apache-2.0
// Assembly divided into functions, each line with the line of the .hlo file that it came from.
// Test: test/driver/AssemblyLinesTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_REPORT_ASSEMBLYLINES_H
#define HLOC_COMPILER_DRIVER_REPORT_ASSEMBLYLINES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace hloc {

struct AssemblyLine {
  llvm::StringRef text;
  /// 0 if it is not known.
  int64_t hloLine = 0;
};

struct AssemblyFunction {
  llvm::StringRef symbol;
  /// Instructions, and labels that are jumped to.
  std::vector<AssemblyLine> lines;
};

/// The functions of `assembly`, which printAssembly made for ELF, in order; `assembly` must outlive
/// them. Directives are left out.
std::vector<AssemblyFunction> readAssembly(llvm::StringRef assembly);

} // namespace hloc

#endif
