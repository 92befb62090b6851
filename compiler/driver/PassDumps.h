// SPDX-License-Identifier: Apache-2.0
// The output of --dump-dir: the module after each pass that changed it, numbered through all
// stages, such as 07_fuse.mlir. Test: test/tools/emit.test.

#ifndef HLOC_COMPILER_DRIVER_PASSDUMPS_H
#define HLOC_COMPILER_DRIVER_PASSDUMPS_H

#include <string>

namespace mlir {
class PassManager;
}

namespace hloc {

class PassDumps {
public:
  explicit PassDumps(std::string folder) : folder(std::move(folder)) {}

  /// From now on writes what `passes` change. Only one pass manager may run at a time, on one
  /// thread.
  void attach(mlir::PassManager &passes);

private:
  class Printer;

  std::string folder;
  unsigned count = 0;
};

} // namespace hloc

#endif
