// SPDX-License-Identifier: Apache-2.0
// Expands collectives of modules with a single participant. Test:
// test/passes/expand/expand-collectives.hlo.
#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_EXPANDCOLLECTIVES
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

enum class Membership {
  Alone,  // the participant is the only one of its group
  None,   // it is in no group
  Several // its group has other members, which do not exist
};

Membership getMembership(ReplicaGroupsAttr groups) {
  if (!groups || groups.getSizes().empty())
    return Membership::Alone;
  ArrayRef<int64_t> ids = groups.getIds();
  for (int64_t size : groups.getSizes()) {
    if (llvm::is_contained(ids.take_front(size), 0))
      return size == 1 ? Membership::Alone : Membership::Several;
    ids = ids.drop_front(size);
  }
  return Membership::None;
}

/// The results of a collective for the only participant.
class Alone {
public:
  explicit Alone(Operation *op) : op(op), builder(op), build(builder, op->getLoc()) {}

  /// Empty if undefined, as for a result of another shape.
  SmallVector<Value> getResults() {
    SmallVector<Value> values =
        llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
            .Case<ReplicaIdOp, PartitionIdOp>([&](Operation *) {
              return SmallVector<Value>{build.zero(arrayType(op->getResult(0)))};
            })
            .Case<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp>([&](auto collective) {
              bool alone = getMembership(collective.getReplicaGroupsAttr()) == Membership::Alone;
              return alone ? operands(op->getNumOperands()) : SmallVector<Value>();
            })
            .Case([&](CollectiveBroadcastOp broadcast) { return getBroadcast(broadcast); })
            .Case([&](CollectivePermuteOp permute) { return getPermuted(permute); })
            .Default(SmallVector<Value>());
    bool fits = values.size() == op->getNumResults() &&
                llvm::all_of(llvm::zip(values, op->getResultTypes()), [](auto pair) {
                  return std::get<0>(pair).getType() == std::get<1>(pair);
                });
    return fits ? values : SmallVector<Value>();
  }

private:
  SmallVector<Value> operands(unsigned count) {
    return SmallVector<Value>(op->getOperands().take_front(count));
  }

  SmallVector<Value> zeros() {
    SmallVector<Value> values;
    for (Value result : op->getResults())
      values.push_back(build.zero(arrayType(result)));
    return values;
  }

  /// Zeros outside the groups.
  SmallVector<Value> getBroadcast(CollectiveBroadcastOp broadcast) {
    switch (getMembership(broadcast.getReplicaGroupsAttr())) {
    case Membership::Alone:
      return operands(op->getNumOperands() - broadcast.getHasDynamicRoot());
    case Membership::None:
      return zeros();
    case Membership::Several:
      return {};
    }
    llvm_unreachable("covered switch");
  }

  /// Zeros unless the participant sends to itself.
  SmallVector<Value> getPermuted(CollectivePermuteOp permute) {
    if (permute.getSliceSizes())
      return {};
    ArrayRef<int64_t> pairs = permute.getSourceTargetPairs();
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      if (pairs[i + 1] == 0)
        return pairs[i] == 0 ? operands(op->getNumOperands()) : SmallVector<Value>();
    return zeros();
  }

  Operation *op;
  OpBuilder builder;
  Build build;
};

struct ExpandCollectives : hloc::impl::ExpandCollectivesBase<ExpandCollectives> {
  void runOnOperation() override {
    for (StringRef name : {"hlo.replica_count", "hlo.num_partitions"})
      if (auto count = getOperation()->getAttrOfType<IntegerAttr>(name);
          count && count.getInt() != 1)
        return;
    getOperation().walk([](Operation *op) {
      SmallVector<Value> results = Alone(op).getResults();
      if (results.empty())
        return;
      op->replaceAllUsesWith(results);
      op->erase();
    });
  }
};

} // namespace
