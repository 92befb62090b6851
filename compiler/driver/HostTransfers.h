// SPDX-License-Identifier: Apache-2.0
// hlo-run's side of the transfers of compiled modules: data for infeed and recv come from files or
// random numbers, as for the evaluator; data from outfeed and send are collected. Test:
// test/tools/run-transfers.test.

#ifndef HLOC_COMPILER_DRIVER_HOSTTRANSFERS_H
#define HLOC_COMPILER_DRIVER_HOSTTRANSFERS_H

#include "compiler/driver/RunFiles.h"
#include "hlort/transfer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace hloc {

/// The host of one participant's transfers.
class HostTransfers {
public:
  /// For modules compiled from `source`.
  HostTransfers(mlir::ModuleOp source, const RunOptions &options, size_t participant);
  HostTransfers(const HostTransfers &) = delete;

  /// From now on handles the transfers of modules that run with `context`.
  void attach(hlort_context *context);

  /// Starts again with the first data, and drops what was collected.
  void restart();
  /// The data that the module has sent since the last restart.
  const std::vector<HostArray> &getGiven() const { return given; }

private:
  int32_t feed(const hlort_transfer &transfer, hlort_status &status);
  void keep(const hlort_transfer &transfer);

  const RunOptions &options;
  size_t participant, next = 0;
  std::vector<HostArray> given;
  /// Element types of what is transferred, by their number.
  llvm::DenseMap<int32_t, mlir::Type> elementTypes;
  /// Kinds and channels.
  llvm::SmallSetVector<std::pair<int32_t, int64_t>, 4> queues;
};

} // namespace hloc

#endif
