// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/Sameness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

Sameness::Sameness(ParticipantCounts counts)
    : counts(counts), same(counts.total(), 0), different(counts.total()) {
  std::iota(different.begin(), different.end(), 0);
}

/// Participants of one class in both.
ParticipantClasses Sameness::join(const ParticipantClasses &a, const ParticipantClasses &b) const {
  if (a == same || b == different)
    return b;
  if (b == same || a == b || a == different)
    return a;
  std::map<std::pair<int, int>, int> numbers;
  ParticipantClasses result;
  for (auto [x, y] : llvm::zip(a, b))
    result.push_back(numbers.try_emplace({x, y}, int(numbers.size())).first->second);
  return result;
}

const ParticipantClasses &Sameness::getClasses(Value value) const {
  auto entry = classes.find(value);
  return entry == classes.end() ? same : entry->second;
}

/// Adds what differs; whether that is new.
bool Sameness::merge(Value value, const ParticipantClasses &more) {
  auto [entry, isNew] = classes.try_emplace(value, same);
  ParticipantClasses joined = join(entry->second, more);
  if (joined == entry->second)
    return isNew;
  entry->second = std::move(joined);
  return true;
}

SmallVector<APInt> Sameness::getIds(Operation *op) const {
  SmallVector<APInt> ids;
  for (int64_t i = 0; i < counts.total(); ++i)
    ids.push_back(
        APInt(32, isa<PartitionIdOp>(op) ? i % counts.partitions : i / counts.partitions));
  return ids;
}

/// What an operation without regions gives.
FailureOr<ParticipantClasses> Sameness::getResultClasses(Operation *op) {
  if (isa<PartitionIdOp, ReplicaIdOp>(op)) {
    ParticipantClasses result;
    for (const APInt &id : getIds(op))
      result.push_back(int(id.getZExtValue()));
    return result;
  }
  if (isa<AllReduceOp, AllGatherOp, CollectiveBroadcastOp>(op)) {
    FailureOr<ParticipantGroups> groups = getGroups(op, counts);
    if (failed(groups))
      return failure();
    ParticipantClasses result = different;
    // Participants that are in no group are given zeros: they stay by themselves.
    for (const auto &group : *groups)
      for (int64_t member : group)
        result[member] = int(group.front());
    return result;
  }
  if (isCollective(op) || isa<InfeedOp, RngOp, RngGetAndUpdateStateOp>(op))
    return different;
  // Without effects the same operands give the same results.
  ParticipantClasses result = isMemoryEffectFree(op) ? same : different;
  for (Value operand : op->getOperands())
    result = join(result, getClasses(operand));
  return result;
}

/// What values that enter and leave regions are made of.
void Sameness::visitRegions(Operation *op, bool &changed) {
  auto flow = [&](ValueRange from, ValueRange to, const ParticipantClasses &decision) {
    for (auto [source, target] : llvm::zip(from, to))
      changed |= merge(target, join(getClasses(source), decision));
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    ParticipantClasses rounds =
        join(join(getClasses(loop.getLowerBound()), getClasses(loop.getUpperBound())),
             getClasses(loop.getStep()));
    changed |= merge(loop.getInductionVar(), rounds);
    flow(loop.getInits(), loop.getRegionIterArgs(), same);
    flow(loop.getYieldedValues(), loop.getRegionIterArgs(), same);
    flow(loop.getRegionIterArgs(), loop.getResults(), rounds);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    auto condition = loop.getConditionOp();
    flow(loop.getInits(), loop.getBeforeArguments(), same);
    flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), same);
    flow(condition.getArgs(), loop.getAfterArguments(), same);
    flow(condition.getArgs(), loop.getResults(), getClasses(condition.getCondition()));
    return;
  }
  for (Region &region : op->getRegions()) // of a condition
    if (!region.empty())
      flow(region.front().getTerminator()->getOperands(), op->getResults(),
           getClasses(op->getOperand(0)));
}

LogicalResult Sameness::visit(Operation *op, bool &changed) {
  if (op->getNumRegions() == 0) {
    FailureOr<ParticipantClasses> result = getResultClasses(op);
    if (failed(result))
      return failure();
    for (Value value : op->getResults())
      changed |= merge(value, *result);
    return success();
  }
  visitRegions(op, changed);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(visit(block, changed)))
        return failure();
  visitRegions(op, changed);
  return success();
}

LogicalResult Sameness::visit(Block &block, bool &changed) {
  for (Operation &op : block)
    if (failed(visit(&op, changed)))
      return failure();
  return success();
}

FailureOr<Sameness> Sameness::compute(func::FuncOp function, ParticipantCounts counts) {
  Sameness sameness(counts);
  for (BlockArgument argument : function.getArguments())
    sameness.merge(argument, sameness.different);
  bool changed = true;
  while (changed) {
    changed = false;
    if (failed(sameness.visit(function.getBody().front(), changed)))
      return failure();
  }
  return sameness;
}

/// The value of a binary operation; none if it is another one, or not defined.
static std::optional<APInt> fold(Operation *op, const APInt &a, const APInt &b) {
  using Result = std::optional<APInt>;
  bool isUnsigned = getElementTypeOrSelf(op->getOperand(0)).isUnsignedInteger() ||
                    getElementTypeOrSelf(op->getOperand(0)).isInteger(1);
  auto flag = [](bool value) { return APInt(1, value); };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<AddOp>([&](auto) { return Result(a + b); })
      .Case<SubtractOp>([&](auto) { return Result(a - b); })
      .Case<MultiplyOp>([&](auto) { return Result(a * b); })
      .Case<AndOp>([&](auto) { return Result(a & b); })
      .Case<OrOp>([&](auto) { return Result(a | b); })
      .Case<XorOp>([&](auto) { return Result(a ^ b); })
      .Case<DivideOp>(
          [&](auto) { return b.isZero() ? Result() : Result(isUnsigned ? a.udiv(b) : a.sdiv(b)); })
      .Case<RemainderOp>(
          [&](auto) { return b.isZero() ? Result() : Result(isUnsigned ? a.urem(b) : a.srem(b)); })
      .Case([&](CompareOp compare) -> Result {
        bool less = isUnsigned ? a.ult(b) : a.slt(b);
        switch (compare.getDirection()) {
        case Direction::EQ:
          return flag(a == b);
        case Direction::NE:
          return flag(a != b);
        case Direction::LT:
          return flag(less);
        case Direction::GE:
          return flag(!less);
        case Direction::LE:
          return flag(less || a == b);
        case Direction::GT:
          return flag(!less && a != b);
        }
        return std::nullopt;
      })
      .Default([](Operation *) { return Result(); });
}

std::optional<SmallVector<APInt>> Sameness::getNumbers(Value value) const {
  Operation *op = value.getDefiningOp();
  Type element = getElementTypeOrSelf(value.getType());
  if (!op || !element.isIntOrIndex())
    return std::nullopt;
  if (isa<PartitionIdOp, ReplicaIdOp>(op))
    return getIds(op);
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!elements || elements.getNumElements() != 1)
      return std::nullopt;
    return SmallVector<APInt>(counts.total(), *elements.getValues<APInt>().begin());
  }
  SmallVector<SmallVector<APInt>> operands;
  for (Value operand : op->getOperands()) {
    auto numbers = getNumbers(operand);
    if (!numbers)
      return std::nullopt;
    operands.push_back(std::move(*numbers));
  }
  if (isa<ReshapeOp, CopyOp, tensor::ExtractOp>(op))
    return operands[0];
  SmallVector<APInt> results;
  for (int64_t i = 0; i < counts.total(); ++i) {
    std::optional<APInt> result;
    if (isa<ConvertOp>(op)) {
      bool isUnsigned = !getElementTypeOrSelf(op->getOperand(0)).isSignlessInteger();
      unsigned width = element.getIntOrFloatBitWidth();
      if (element.isInteger(1))
        result = APInt(1, !operands[0][i].isZero());
      else if (isUnsigned || operands[0][i].getBitWidth() == 1)
        result = operands[0][i].zextOrTrunc(width);
      else
        result = operands[0][i].sextOrTrunc(width);
    } else if (isa<SelectOp>(op)) {
      result = operands[0][i].isZero() ? operands[2][i] : operands[1][i];
    } else if (operands.size() == 2) {
      result = fold(op, operands[0][i], operands[1][i]);
    }
    if (!result)
      return std::nullopt;
    results.push_back(*result);
  }
  return results;
}

} // namespace hloc
