// SPDX-License-Identifier: Apache-2.0
// Turns reductions of short rows that are computed from small arrays, as distances between points
// are, so that their lanes need not be folded. Test: test/passes/simplify/turn-reductions.hlo.
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/Cost.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_TURNREDUCTIONS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// A reduction of the dimensions after `kept`, and maybe others, and the operations that compute
/// its inputs, operands before their users.
struct Reduction {
  ReduceOp op;
  int64_t kept;
  llvm::SetVector<Operation *> producers;

  ArrayRef<int64_t> shape() { return arrayType(op.getInputs().front()).getShape(); }
  /// The place of a dimension of the inputs when `kept` has become the last.
  int64_t turned(int64_t dimension) {
    int64_t last = int64_t(shape().size()) - 1;
    return dimension < kept ? dimension : dimension == kept ? last : dimension - 1;
  }
};

class ReductionTurner {
public:
  explicit ReductionTurner(const Target &target) : target(target) {}

  /// `op` with its producers, if it is worth turning.
  std::optional<Reduction> match(ReduceOp op);
  static void rewrite(Reduction &reduction);

private:
  /// Finds the producers. False if one of their operands would have to be transposed and is nearly
  /// as large as the inputs, or one has a result that other operations use.
  static bool collect(Reduction &reduction);

  const Target &target;
};

bool ReductionTurner::collect(Reduction &reduction) {
  llvm::SetVector<Operation *> producers;
  SmallVector<Value> pending(reduction.op.getInputs());
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (arrayType(value).getRank() == 0 || (op && producers.contains(op)))
      continue;
    if (!op || arrayType(value).getShape() != reduction.shape())
      return false;
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      if (!CostModel::isTransposedCheaply(arrayType(broadcast.getOperand()).getNumElements(),
                                          arrayType(value).getNumElements()))
        return false;
    } else if (!isa<IotaOp>(op)) {
      if (!op->hasTrait<Elementwise>() || op->getNumResults() != 1)
        return false;
      llvm::append_range(pending, op->getOperands());
    }
    producers.insert(op);
  }
  for (Operation *op : producers)
    if (!isa<BroadcastOp, IotaOp>(op) && !llvm::all_of(op->getUsers(), [&](Operation *user) {
          return user == reduction.op.getOperation() || producers.contains(user);
        }))
      return false;
  reduction.producers = topologicalSort(producers);
  return true;
}

std::optional<Reduction> ReductionTurner::match(ReduceOp op) {
  Reduction reduction{op, -1, {}};
  int64_t row = 1, bits = 8;
  for (auto [dimension, size] :
       llvm::reverse(llvm::to_vector(llvm::enumerate(reduction.shape())))) {
    if (!llvm::is_contained(op.getDimensions(), int64_t(dimension))) {
      reduction.kept = int64_t(dimension);
      break;
    }
    row *= size;
  }
  if (reduction.kept < 0)
    return std::nullopt;
  if (!collect(reduction))
    return std::nullopt;
  for (Operation *producer : reduction.producers)
    bits = std::max(bits, getStorageBits(arrayType(producer->getResult(0)).getElementType()));
  int64_t lanes = target.getLanes(bits);
  if (reduction.shape()[reduction.kept] < lanes || !CostModel::isWorthTurning(row, lanes))
    return std::nullopt;
  return reduction;
}

void ReductionTurner::rewrite(Reduction &reduction) {
  ReduceOp op = reduction.op;
  OpBuilder builder(op);
  ArrayRef<int64_t> shape = reduction.shape();
  SmallVector<int64_t> turnedShape(shape);
  for (auto [dimension, size] : llvm::enumerate(shape))
    turnedShape[reduction.turned(dimension)] = size;
  IRMapping turned;
  for (Operation *producer : reduction.producers) {
    Build build(builder, producer->getLoc());
    Value value = producer->getResult(0);
    if (auto broadcast = dyn_cast<BroadcastOp>(producer)) {
      // The operand's dimensions in the order that they have in the result.
      SmallVector<int64_t> order = iotaVector(int64_t(broadcast.getDimensions().size()));
      auto placeOf = [&](int64_t i) { return reduction.turned(broadcast.getDimensions()[i]); };
      llvm::sort(order, [&](int64_t i, int64_t j) { return placeOf(i) < placeOf(j); });
      Value operand = build.transpose(broadcast.getOperand(), order);
      turned.map(value, build.broadcast(operand, turnedShape, llvm::map_to_vector(order, placeOf)));
    } else if (auto iota = dyn_cast<IotaOp>(producer)) {
      turned.map(value, build.iota(turnedShape, arrayType(value).getElementType(),
                                   reduction.turned(int64_t(iota.getIotaDimension()))));
    } else {
      Operation *copy = builder.clone(*producer, turned);
      copy->getResult(0).setType(arrayType(value).clone(turnedShape));
      turned.map(value, copy->getResult(0));
    }
  }
  SmallVector<Value> arrays = llvm::map_to_vector(
      op.getArrays(), [&](Value array) { return turned.lookupOrDefault(array); });
  SmallVector<int64_t> dimensions = llvm::map_to_vector(
      op.getDimensions(), [&](int64_t dimension) { return reduction.turned(dimension); });
  llvm::sort(dimensions);
  auto result = ReduceOp::create(builder, op.getLoc(), op.getResultTypes(), arrays, dimensions,
                                 op.getToApply());
  op.replaceAllUsesWith(result);
  op.erase();
  for (Operation *producer : llvm::reverse(reduction.producers))
    if (producer->use_empty())
      producer->erase();
}

struct TurnReductions : hloc::impl::TurnReductionsBase<TurnReductions> {
  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    ReductionTurner turner(*target);
    SmallVector<ReduceOp> reductions;
    getOperation()->walk([&](ReduceOp op) { reductions.push_back(op); });
    for (ReduceOp op : reductions)
      if (std::optional<Reduction> reduction = turner.match(op)) {
        ReductionTurner::rewrite(*reduction);
        ++turned;
      }
  }
};

} // namespace
