// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/MemberRows.h"
#include "compiler/hlo/ElementType.h"
#include "passes/Computations.h"
#include "passes/expand/ApplyToElements.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

ReplicaGroupsAttr getMemberGroups(Operation *op, const ParticipantGroups &groups) {
  if (!getMemberChannel(op))
    return op->getAttrOfType<ReplicaGroupsAttr>("replica_groups");
  SmallVector<int64_t> ids, sizes;
  for (const auto &group : groups) {
    llvm::append_range(ids, group);
    sizes.push_back(group.size());
  }
  return ReplicaGroupsAttr::get(op->getContext(), ids, sizes, StringAttr());
}

IntegerAttr getMemberChannel(Operation *op) { return op->getAttrOfType<IntegerAttr>("channel_id"); }

/// The own one of a list of numbers, one per participant; an s32 scalar.
static Value getOwn(Build build, ArrayRef<int32_t> numbers, ParticipantCounts counts) {
  OpBuilder &builder = build.builder;
  auto scalar = RankedTensorType::get({}, builder.getIntegerType(32, /*isSigned=*/false));
  auto idOf = [&](auto op) { return build.convert(op, builder.getI32Type()); };
  Value replica = idOf(ReplicaIdOp::create(builder, build.loc, scalar));
  Value partition = idOf(PartitionIdOp::create(builder, build.loc, scalar));
  Value participant = build.add(build.mul(replica, double(counts.partitions)), partition);
  auto type = RankedTensorType::get(int64_t(numbers.size()), builder.getI32Type());
  Value table = ConstantOp::create(builder, build.loc, type, DenseElementsAttr::get(type, numbers));
  return build.reshape(build.dynamicSlice(table, participant, {1}), {});
}

Value getPlace(Build build, const ParticipantGroups &groups, ParticipantCounts counts) {
  SmallVector<int32_t> places(counts.total(), 0);
  for (const auto &group : groups)
    for (auto [place, participant] : llvm::enumerate(group))
      places[participant] = place;
  return groups.empty() ? build.index(0) : getOwn(build, places, counts);
}

/// The array as integers with the same bits, of whole bytes; two arrays for a complex one.
static SmallVector<Value> toBits(Build build, Value array) {
  Type element = arrayType(array).getElementType();
  if (auto type = dyn_cast<ComplexType>(element)) {
    auto part = arrayType(array).clone(type.getElementType());
    SmallVector<Value> bits = toBits(build, RealOp::create(build.builder, build.loc, part, array));
    llvm::append_range(bits, toBits(build, ImagOp::create(build.builder, build.loc, part, array)));
    return bits;
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (width < 8) // wider types represent these numbers
    return toBits(build,
                  build.convert(array, isa<FloatType>(element) ? Type(build.builder.getF16Type())
                                                               : build.builder.getI8Type()));
  return {build.bitcastConvert(array, build.builder.getIntegerType(width))};
}

static Value fromBits(Build build, ArrayRef<Value> bits, Type element) {
  if (auto type = dyn_cast<ComplexType>(element)) {
    Value real = fromBits(build, bits[0], type.getElementType());
    Value imaginary = fromBits(build, bits[1], type.getElementType());
    return ComplexOp::create(build.builder, build.loc, arrayType(real).clone(type), real,
                             imaginary);
  }
  if (element.getIntOrFloatBitWidth() >= 8)
    return build.bitcastConvert(bits[0], element);
  if (isa<FloatType>(element))
    return build.convert(build.bitcastConvert(bits[0], build.builder.getF16Type()), element);
  return build.convert(bits[0], element);
}

/// Each member writes its row into an array of zeros, and the bits of all are combined.
static MemberRows gatherFromSome(Build build, Operation *op, const ParticipantGroups &groups,
                                 Value row, int64_t most) {
  auto module = op->getParentOfType<ModuleOp>();
  auto counts = ParticipantCounts::of(module);
  SmallVector<int32_t> sizes(counts.total(), 0);
  for (const auto &group : groups)
    for (int64_t participant : group)
      sizes[participant] = group.size();
  Value place = getPlace(build, groups, counts);
  SmallVector<Value> rows;
  for (Value bits : toBits(build, row)) {
    Value none = build.zero(arrayType(bits).clone({most, arrayType(bits).getDimSize(1)}));
    rows.push_back(build.dynamicUpdateSlice(none, bits, {place, build.index(0)}));
  }
  ComputationOp join = getOrCreateReducer(module, OrOp::getOperationName(),
                                          arrayType(rows.front()).getElementType());
  IntegerAttr channel = getMemberChannel(op);
  auto all = AllReduceOp::create(build.builder, build.loc, ValueRange(rows).getTypes(), rows,
                                 getMemberGroups(op, groups), channel,
                                 /*use_global_device_ids=*/bool(channel), join.getSymName(),
                                 /*constrain_layout=*/false, /*mode=*/CollectiveModeAttr());
  SmallVector<Value> joined(all->getResults());
  return {fromBits(build, joined, arrayType(row).getElementType()), getOwn(build, sizes, counts),
          all};
}

MemberRows gatherRows(Build build, Operation *op, const ParticipantGroups &groups, Value array) {
  int64_t count = arrayType(array).getNumElements();
  Value row = build.reshape(array, {1, count});
  if (groups.empty())
    return {row, Value(), nullptr};
  auto [least, most] =
      std::minmax_element(groups.begin(), groups.end(), [](const auto &group, const auto &other) {
        return group.size() < other.size();
      });
  int64_t members = most->size();
  if (int64_t(least->size()) != members)
    return gatherFromSome(build, op, groups, row, members);
  auto type = arrayType(row).clone({members, count});
  IntegerAttr channel = getMemberChannel(op);
  auto gather = AllGatherOp::create(
      build.builder, build.loc, TypeRange(type), row, getMemberGroups(op, groups), channel,
      /*use_global_device_ids=*/bool(channel),
      /*dimensions=*/ArrayRef<int64_t>{0}, /*constrain_layout=*/false);
  return {gather.getResult(0), Value(), gather};
}

Value foldRows(Build build, ComputationOp computation, const MemberRows &rows, Value counts) {
  int64_t members = arrayType(rows.rows).getDimSize(0), count = arrayType(rows.rows).getDimSize(1);
  Value first = build.flatten(build.sliceOf(rows.rows, 0, 0, 1));
  auto next = [&](Build inner, Value step) {
    Value place = inner.add(step, 1);
    return SmallVector<Value>{inner.dynamicSlice(rows.rows, {place, inner.index(0)}, {1, count})};
  };
  auto which = [&](Build inner, Value step) {
    if (!rows.members)
      return counts;
    Value exists = inner.compare(inner.add(step, 1), rows.members, Direction::LT);
    exists = inner.broadcast(exists, {count}, {});
    return counts ? inner.bitAnd(exists, counts) : exists;
  };
  return foldElements(build, computation, members - 1, first, next, which).front();
}

} // namespace hloc
