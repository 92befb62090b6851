// SPDX-License-Identifier: Apache-2.0
// hlo-run's side of the transfers of compiled modules: data of infeed and recv come from files or
// at random, as the evaluator's do; what outfeed and send give is kept. Test:
// test/run/transfers.test.

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

  /// Carries out the transfers of what runs with `context` from now on.
  void attach(hlort_context *context);

  /// Begins again: with the first of the data, and nothing given.
  void restart();
  /// What the module has given since then.
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
