// SPDX-License-Identifier: Apache-2.0
// Lowers collectives to the form that the runtime executes: a start and a done. Test:
// test/passes/collectives/lower-collectives.hlo.
#include "compiler/hlo/CollectiveStages.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/Passes.h"
#include "passes/collectives/Combiners.h"
#include "passes/collectives/MemberRows.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_LOWERCOLLECTIVES
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// The properties of a start, besides its operands.
struct Description {
  CollectiveKind kind;
  ParticipantGroups groups;
  int64_t dimension = -1;
  SmallVector<int64_t> pairs = {}, sliceSizes = {}, reuse = {};
  SmallVector<Attribute> combine = {};
};

class CollectiveLowering {
public:
  explicit CollectiveLowering(ModuleOp module)
      : counts(ParticipantCounts::of(module)), combiners(module) {}

  /// Replaces `op`, a collective.
  LogicalResult lower(Operation *op);

private:
  FailureOr<Description> describe(Operation *op);
  LogicalResult describePermute(CollectivePermuteOp op, Description &description);
  LogicalResult lowerReduction(Operation *op, FlatSymbolRefAttr computation,
                               Description &description);
  MemberRows scatterRows(Build build, Operation *op, Value operand, RankedTensorType part,
                         Description description);
  LogicalResult foldMembers(Operation *op, ComputationOp computation,
                            const Description &description);
  SmallVector<Value> exchange(OpBuilder &builder, Operation *op, ValueRange inputs,
                              TypeRange resultTypes, const Description &description);

  ParticipantCounts counts;
  Combiners combiners;
};

} // namespace

LogicalResult CollectiveLowering::describePermute(CollectivePermuteOp op,
                                                  Description &description) {
  FailureOr<SmallVector<int64_t>> pairs = getPairs(op, counts);
  if (failed(pairs))
    return failure();
  description.pairs = *pairs;
  if (!op.getSliceSizes() || op.getSliceSizes()->empty())
    return success();
  description.kind = CollectiveKind::PermuteSlices;
  for (Attribute slice : op.getSliceSizesAttr().getValue()) {
    if (auto sizes = dyn_cast<DenseI64ArrayAttr>(slice)) {
      llvm::append_range(description.sliceSizes, sizes.asArrayRef());
      continue;
    }
    for (Attribute size : cast<ArrayAttr>(slice))
      description.sliceSizes.push_back(cast<IntegerAttr>(size).getInt());
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    description.reuse.push_back(op->getNumResults() + i); // the output that is written into
  return success();
}

FailureOr<Description> CollectiveLowering::describe(Operation *op) {
  FailureOr<ParticipantGroups> groups = getGroups(op, counts);
  if (failed(groups))
    return failure();
  Description description{CollectiveKind::AllReduce, std::move(*groups)};
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](AllReduceOp) {
            description.reuse = iotaVector(op->getNumResults());
            return success();
          })
          .Case([&](ReduceScatterOp scatter) {
            description.kind = CollectiveKind::ReduceScatter;
            description.dimension = scatter.getDimensions()[0];
            return success();
          })
          .Case([&](AllGatherOp gather) {
            description.kind = CollectiveKind::AllGather;
            description.dimension = gather.getDimensions()[0];
            return success();
          })
          .Case([&](AllToAllOp exchange) {
            std::optional<ArrayRef<int64_t>> dimensions = exchange.getDimensions();
            description.kind =
                dimensions ? CollectiveKind::AllToAll : CollectiveKind::AllToAllTuple;
            if (dimensions)
              description.dimension = dimensions->front();
            return success();
          })
          .Case([&](RaggedAllToAllOp) {
            description.kind = CollectiveKind::RaggedAllToAll;
            description.reuse = {1}; // the output that is written into
            return success();
          })
          .Case([&](CollectiveBroadcastOp) {
            description.kind = CollectiveKind::Broadcast;
            return success();
          })
          .Case([&](CollectivePermuteOp permute) {
            description.kind = CollectiveKind::Permute;
            return describePermute(permute, description);
          });
  if (failed(result))
    return failure();
  description.reuse.resize(op->getNumResults(), -1);
  return description;
}

static IntegerAttr getChannel(Operation *op) {
  auto name = StringAttr::get(op->getContext(), "channel_id");
  std::optional<Attribute> channel = op->getInherentAttr(name);
  return channel ? dyn_cast_or_null<IntegerAttr>(*channel) : IntegerAttr();
}

/// The start, immediately followed by the done.
SmallVector<Value> CollectiveLowering::exchange(OpBuilder &builder, Operation *op,
                                                ValueRange inputs, TypeRange resultTypes,
                                                const Description &description) {
  SmallVector<int64_t> ids, sizes;
  bool isEverybody = description.groups.size() == 1 &&
                     llvm::equal(description.groups.front(), llvm::seq<int64_t>(counts.total()));
  for (const auto &group : description.groups) {
    if (isEverybody)
      break;
    llvm::append_range(ids, group);
    sizes.push_back(group.size());
  }
  Location loc = op->getLoc();
  Type ticket = RankedTensorType::get({1}, builder.getI64Type());
  auto combine =
      description.combine.empty() ? ArrayAttr() : builder.getArrayAttr(description.combine);
  auto start = CollectiveStartOp::create(
      builder, loc, ticket, resultTypes, inputs, stringify(description.kind),
      ReplicaGroupsAttr::get(builder.getContext(), ids, sizes, StringAttr()), getChannel(op),
      uint64_t(description.dimension), combine, description.pairs, description.sliceSizes,
      description.reuse);
  auto done = CollectiveDoneOp::create(builder, loc, resultTypes, start.getTicket(),
                                       start.getResults(), inputs);
  return llvm::to_vector_of<Value>(done.getResults());
}

/// Sends to each member its part of the operand: [members, elements of a part].
MemberRows CollectiveLowering::scatterRows(Build build, Operation *op, Value operand,
                                           RankedTensorType part, Description description) {
  description.kind = CollectiveKind::AllToAll;
  Value rows = exchange(build.builder, op, operand, operand.getType(), description).front();
  int64_t members = description.groups.front().size(), d = description.dimension;
  SmallVector<int64_t> shape(part.getShape());
  shape.insert(shape.begin() + d, members);
  SmallVector<int64_t> order = iotaVector(shape.size());
  std::rotate(order.begin(), order.begin() + d, order.begin() + d + 1);
  rows = build.transpose(build.reshape(rows, shape), order);
  return {build.reshape(rows, {members, part.getNumElements()}), Value(), nullptr};
}

/// Gathers the operands of all members, and folds them here in order.
LogicalResult CollectiveLowering::foldMembers(Operation *op, ComputationOp computation,
                                              const Description &description) {
  OpBuilder builder(op);
  Build build(builder, op->getLoc());
  SmallVector<Value> results;
  SmallVector<Operation *> collectives;
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
    MemberRows rows = description.kind == CollectiveKind::ReduceScatter
                          ? scatterRows(build, op, operand, arrayType(result), description)
                          : gatherRows(build, op, description.groups, operand);
    if (rows.collective)
      collectives.push_back(rows.collective);
    Value folded = foldRows(build, computation, rows, /*counts=*/Value());
    results.push_back(build.reshape(folded, arrayType(result).getShape()));
  }
  op->replaceAllUsesWith(results);
  op->erase();
  for (Operation *collective : collectives)
    if (failed(lower(collective)))
      return failure();
  return success();
}

/// Operands are folded in their fold types.
LogicalResult CollectiveLowering::lowerReduction(Operation *op, FlatSymbolRefAttr symbol,
                                                 Description &description) {
  ComputationOp computation = lookupComputation(op, symbol);
  if (!isLanewise(computation))
    return foldMembers(op, computation, description);
  size_t members = 0;
  for (const auto &group : description.groups)
    members = std::max(members, group.size());
  OpBuilder builder(op);
  Build build(builder, op->getLoc());
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
    Type element = getFoldType(computation, arrayType(operand).getElementType(), members);
    FailureOr<FlatSymbolRefAttr> kernel = combiners.get(computation, element, op->getLoc());
    if (failed(kernel))
      return failure();
    description.combine.push_back(*kernel);
    inputs.push_back(build.convert(operand, element));
    types.push_back(arrayType(result).clone(element));
  }
  SmallVector<Value> results = exchange(builder, op, inputs, types, description);
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    result.replaceAllUsesWith(build.convert(value, arrayType(result).getElementType()));
  op->erase();
  return success();
}

LogicalResult CollectiveLowering::lower(Operation *op) {
  FailureOr<Description> description = describe(op);
  if (failed(description))
    return failure();
  if (auto all = dyn_cast<AllReduceOp>(op))
    return lowerReduction(op, all.getToApplyAttr(), *description);
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    return lowerReduction(op, scatter.getToApplyAttr(), *description);
  OpBuilder builder(op);
  op->replaceAllUsesWith(
      exchange(builder, op, op->getOperands(), op->getResultTypes(), *description));
  op->erase();
  return success();
}

namespace {

struct LowerCollectives : hloc::impl::LowerCollectivesBase<LowerCollectives> {
  void runOnOperation() override {
    SmallVector<Operation *> collectives;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (isCollective(op))
          collectives.push_back(op);
      });
    if (collectives.empty())
      return;
    CollectiveLowering lowering(getOperation());
    for (Operation *op : collectives)
      if (failed(lowering.lower(op)))
        return signalPassFailure();
  }
};

} // namespace
