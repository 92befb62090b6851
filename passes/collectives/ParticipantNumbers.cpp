// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/ParticipantNumbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// The value of a binary operation; none if it is not supported or undefined.
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

/// The source of `value` across kernels: for a kernel's result, what its body returns; for an
/// argument of the body, the kernel's operand.
static Value lookThroughKernels(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
      if (!kernel)
        return value;
      value = kernel.getInputs()[argument.getArgNumber()];
      continue;
    }
    auto kernel = value.getDefiningOp<KernelOp>();
    if (!kernel)
      return value;
    value = kernel.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber());
  }
}

std::optional<SmallVector<APInt>> getNumbers(Value value, ParticipantCounts counts) {
  value = lookThroughKernels(value);
  Operation *op = value.getDefiningOp();
  Type element = getElementTypeOrSelf(value.getType());
  if (!op || !element.isIntOrIndex())
    return std::nullopt;
  if (isa<PartitionIdOp, ReplicaIdOp>(op)) {
    SmallVector<APInt> ids;
    for (int64_t i = 0; i < counts.total(); ++i)
      ids.push_back(
          APInt(32, isa<PartitionIdOp>(op) ? i % counts.partitions : i / counts.partitions));
    return ids;
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!elements || elements.getNumElements() != 1)
      return std::nullopt;
    return SmallVector<APInt>(counts.total(), *elements.getValues<APInt>().begin());
  }
  SmallVector<SmallVector<APInt>> operands;
  for (Value operand : op->getOperands()) {
    auto numbers = getNumbers(operand, counts);
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

std::optional<unsigned> findTaken(Operation *control, int64_t participant,
                                  ParticipantCounts counts) {
  if (auto branch = dyn_cast<scf::IfOp>(control)) {
    auto numbers = getNumbers(branch.getCondition(), counts);
    return numbers ? std::optional<unsigned>((*numbers)[participant].isZero()) : std::nullopt;
  }
  auto choice = dyn_cast<scf::IndexSwitchOp>(control);
  auto index = choice ? choice.getArg().getDefiningOp<arith::IndexCastUIOp>() : nullptr;
  auto numbers = index ? getNumbers(index.getIn(), counts) : std::nullopt;
  if (!numbers)
    return std::nullopt;
  const int64_t *found = llvm::find(choice.getCases(), (*numbers)[participant].getZExtValue());
  return found == choice.getCases().end() ? 0 : 1 + (found - choice.getCases().begin());
}

} // namespace hloc
