// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/CollectiveStages.h"
#include "passes/Computations.h"
#include "passes/bounded/BoundedCollectives.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

FailureOr<SizeExchange> SizeExchange::of(Operation *op, BoundedBuild &build) {
  auto counts = ParticipantCounts::of(op->getParentOfType<ModuleOp>());
  if (counts.total() == 1)
    return SizeExchange(op, build, {});
  FailureOr<ParticipantGroups> groups = getGroups(op, counts);
  if (failed(groups))
    return failure();
  return SizeExchange(op, build, *groups);
}

SizeExchange::SizeExchange(Operation *op, BoundedBuild &build, ParticipantGroups groups)
    : op(op), build(build), groups(std::move(groups)) {}

Value SizeExchange::gather(ArrayRef<Value> numbers) {
  SmallVector<Value> elements;
  for (Value number : numbers)
    elements.push_back(build.reshape(number, {1}));
  return gather(build.concatenate(elements, 0));
}

Value SizeExchange::getPlace() {
  return hloc::getPlace(build, groups, ParticipantCounts::of(op->getParentOfType<ModuleOp>()));
}

void SizeExchange::requireSame(ArrayRef<BoundedArray> arrays, int64_t without) {
  SmallVector<Value> numbers;
  for (const BoundedArray &array : arrays)
    for (Value size : getOwnSizes(array, without)) {
      numbers.push_back(build.reshape(size, {1}));
      numbers.push_back(build.sub(build.index(0), size));
      numbers.back() = build.reshape(numbers.back(), {1});
    }
  if (numbers.empty() || groups.empty())
    return;
  // The greatest of the sizes and of their negatives are the member's own if and only if all are
  // equal.
  Value own = build.concatenate(numbers, 0);
  auto module = op->getParentOfType<ModuleOp>();
  IntegerAttr channel = getMemberChannel(op);
  ComputationOp fold =
      getOrCreateReducer(module, MaximumOp::getOperationName(), build.builder.getI32Type());
  Value greatest = AllReduceOp::create(build.builder, build.loc, TypeRange(own.getType()), own,
                                       getMemberGroups(op, groups), channel,
                                       /*use_global_device_ids=*/bool(channel), fold.getSymName(),
                                       /*constrain_layout=*/false, /*mode=*/CollectiveModeAttr())
                       .getResult(0);
  require(build.compare(own, greatest, Direction::EQ),
          "arrays of the same sizes on all members of a group");
}

void SizeExchange::require(Value holds, const Twine &expected) {
  SmallVector<int64_t> all = iotaVector(arrayType(holds).getRank());
  Value yes = build.scalar(arrayType(holds).getElementType(), 1.0);
  std::string opcode = op->getName().stripDialect().str();
  llvm::replace(opcode, '_', '-');
  RequireOp::create(build.builder, build.loc,
                    build.reduce(holds, yes, all, AndOp::getOperationName()), opcode,
                    expected.str());
}

SmallVector<Value> hloc::getOwnSizes(const BoundedArray &array, int64_t without) {
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(array.sizes))
    if (int64_t(d) != without && size && !getConstantIndex(size))
      sizes.push_back(size);
  return sizes;
}

void hloc::appendSent(BoundedBuild &build, const BoundedArray &array,
                      SmallVectorImpl<Value> &sent) {
  sent.push_back(array.array);
  for (Value size : array.sizes)
    if (size)
      sent.push_back(build.add(size, 1.0));
}

BoundedArray hloc::takeReceived(BoundedBuild &build, ValueRange &received,
                                const BoundedArray &unsent) {
  BoundedArray result(received.front(), unsent.sizes);
  received = received.drop_front();
  for (Value &size : result.sizes) {
    if (!size)
      continue;
    Value isNone = build.compare(received.front(), 0.0, Direction::EQ);
    size = build.select(isNone, size, build.sub(received.front(), 1.0));
    received = received.drop_front();
  }
  return result;
}
