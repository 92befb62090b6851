// SPDX-License-Identifier: Apache-2.0
// Collectives in which arrays, or rows and slices of them, are sent from one participant to
// another. Arrays are sent with their sizes. Rows and slices have known sizes and must be within
// those of the arrays, which is checked at run time.
#include "passes/bounded/BoundedCollectives.h"
#include "passes/bounded/BoundedPatterns.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// Sends the arrays and their sizes by `send`.
static BoundedArrays sendArrays(BoundedBuild &build, ArrayRef<BoundedArray> arrays,
                                function_ref<SmallVector<Value>(ArrayRef<Value>)> send) {
  SmallVector<Value> inputs;
  for (const BoundedArray &array : arrays)
    appendSent(build, array, inputs);
  SmallVector<Value> all = send(inputs);
  ValueRange received = all;
  BoundedArrays results;
  for (const BoundedArray &array : arrays)
    results.push_back(takeReceived(build, received, array));
  return results;
}

static BoundedArrays sendArrays(Operation *op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  return sendArrays(build, operands, [&](ArrayRef<Value> inputs) {
    return build.cloneOn(op, inputs, ValueRange(inputs).getTypes());
  });
}

/// A broadcast from a member that is known at run time has a single operand.
static Expanded expandBroadcast(CollectiveBroadcastOp op, ArrayRef<BoundedArray> operands,
                                BoundedBuild &build) {
  if (!op.getHasDynamicRoot())
    return sendArrays(op, operands, build);
  return sendArrays(build, operands.drop_back(), [&](ArrayRef<Value> inputs) {
    return llvm::map_to_vector(inputs, [&](Value input) {
      return build.cloneOn(op, {input, operands.back().array}, input.getType()).front();
    });
  });
}

//===- Slices ---------------------------------------------------------------===//

namespace {

/// A check of one end of a slice, start + extent <= size, where start and size are positions in the
/// numbers that the participants have exchanged.
struct SliceEnd {
  int32_t start, extent, size;
};

/// The slices of a permutation, and the numbers that determine whether they are within the arrays.
class SliceCheck {
public:
  SliceCheck(CollectivePermuteOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build)
      : op(op), operands(operands), build(build) {}

  LogicalResult emit();

private:
  void readSlices();
  void tell(const BoundedArray &array, Value starts);
  void addEnds(int64_t sender, int64_t owner, size_t number, size_t slice);
  void addPairs(int64_t members);
  Value gatherNumbers(Value row, llvm::function_ref<int32_t(const SliceEnd &)> which);

  CollectivePermuteOp op;
  ArrayRef<BoundedArray> operands;
  BoundedBuild &build;
  SmallVector<SmallVector<SmallVector<int64_t>>> extents; // of the slices of each array
  SmallVector<Value> numbers; // that a participant sends to the others: vectors
  int64_t count = 0;          // how many numbers those are
  /// Positions of the starts and the sizes of an input or output among them; -1 if they are not
  /// sent.
  SmallVector<std::pair<int64_t, SmallVector<int64_t>>> places;
  SmallVector<SliceEnd> ends;
};

} // namespace

/// `slice_sizes` lists the slices of the first array, then those of the next one, and so on.
void SliceCheck::readSlices() {
  size_t arrays = op->getNumResults();
  ArrayRef<Attribute> rest = op.getSliceSizesAttr().getValue();
  for (size_t i = 0; i < arrays; ++i) {
    int64_t rank = operands[i].getRank();
    int64_t slices = rank ? arrayType(operands[2 * arrays + i].array).getNumElements() / rank : 0;
    auto &all = extents.emplace_back();
    for (; slices > 0 && !rest.empty(); --slices, rest = rest.drop_front()) {
      auto &extent = all.emplace_back();
      if (auto sizes = dyn_cast<DenseI64ArrayAttr>(rest.front()))
        llvm::append_range(extent, sizes.asArrayRef());
      else
        for (Attribute size : cast<ArrayAttr>(rest.front()))
          extent.push_back(cast<IntegerAttr>(size).getInt());
    }
  }
}

/// For an array with run-time sizes, sends these and the starts of its slices.
void SliceCheck::tell(const BoundedArray &array, Value starts) {
  auto &[start, sizes] = places.emplace_back(-1, SmallVector<int64_t>(array.getRank(), -1));
  if (!array.isBounded())
    return;
  Type s64 = build.builder.getI64Type();
  starts = build.convert(build.signedIndices(starts), s64);
  start = count;
  numbers.push_back(starts);
  count += arrayType(starts).getNumElements();
  for (int64_t d = 0; d < array.getRank(); ++d)
    if (array.sizes[d]) {
      sizes[d] = count++;
      numbers.push_back(build.convert(build.reshape(array.sizes[d], {1}), s64));
    }
}

/// Slice `slice` of input or output `number` begins where `sender` says, in the array of `owner`.
void SliceCheck::addEnds(int64_t sender, int64_t owner, size_t number, size_t slice) {
  const auto &[start, sizes] = places[number];
  ArrayRef<int64_t> extent = extents[number % extents.size()][slice];
  int64_t rank = sizes.size();
  for (int64_t d = 0; d < rank && d < int64_t(extent.size()); ++d)
    if (sizes[d] >= 0)
      ends.push_back({int32_t(sender * count + start + int64_t(slice) * rank + d),
                      int32_t(extent[d]), int32_t(owner * count + sizes[d])});
}

/// A single source sends all slices; several sources send one slice of each array each, in order.
void SliceCheck::addPairs(int64_t members) {
  ArrayRef<int64_t> pairs = op.getSourceTargetPairs();
  llvm::DenseMap<int64_t, size_t> sources, seen;
  for (size_t i = 0; i < pairs.size(); i += 2)
    ++sources[pairs[i + 1]];
  for (size_t i = 0; i < pairs.size(); i += 2) {
    int64_t source = pairs[i], target = pairs[i + 1];
    size_t number = seen[target]++;
    if (source >= members || target >= members)
      continue; // refused when groups are checked
    for (size_t array = 0; array < extents.size(); ++array)
      for (size_t slice = 0; slice < extents[array].size(); ++slice)
        if (sources[target] == 1 || slice == number) {
          addEnds(source, source, array, slice);
          addEnds(source, target, extents.size() + array, slice);
        }
  }
}

/// The elements of `row` at positions that differ for each end.
Value SliceCheck::gatherNumbers(Value row, llvm::function_ref<int32_t(const SliceEnd &)> which) {
  auto type = RankedTensorType::get({int64_t(ends.size())}, build.builder.getI32Type());
  auto places = DenseElementsAttr::get(type, ArrayRef(llvm::map_to_vector(ends, which)));
  return build.elementsAt(row, ConstantOp::create(build.builder, build.loc, type, places));
}

LogicalResult SliceCheck::emit() {
  FailureOr<SizeExchange> exchange = SizeExchange::of(op, build);
  if (failed(exchange))
    return failure();
  readSlices();
  for (size_t i = 0; i < 2 * extents.size(); ++i)
    tell(operands[i], operands[2 * extents.size() + i].array);
  if (numbers.empty())
    return success();
  addPairs(exchange->getMembers());
  if (ends.empty())
    return success();
  Value all = exchange->gather(build.concatenate(numbers, 0));
  Value row = build.reshape(all, {arrayType(all).getNumElements()});
  auto type = RankedTensorType::get({int64_t(ends.size())}, build.builder.getI64Type());
  auto extents = llvm::map_to_vector(ends, [](const SliceEnd &end) { return int64_t(end.extent); });
  Value starts = gatherNumbers(row, [](const SliceEnd &end) { return end.start; });
  Value sizes = gatherNumbers(row, [](const SliceEnd &end) { return end.size; });
  Value reach =
      build.add(starts, Value(ConstantOp::create(build.builder, build.loc, type,
                                                 DenseElementsAttr::get(type, ArrayRef(extents)))));
  exchange->require(build.compare(reach, sizes, Direction::LE),
                    "slices within the sizes of input and output");
  return success();
}

static Expanded expandPermute(CollectivePermuteOp op, ArrayRef<BoundedArray> operands,
                              BoundedBuild &build) {
  if (!op.getSliceSizes() || op.getSliceSizes()->empty())
    return sendArrays(op, operands, build);
  if (failed(SliceCheck(op, operands, build).emit()))
    return failure();
  // Slices are written into the outputs.
  BoundedArrays results;
  ArrayRef<BoundedArray> outputs = operands.drop_front(op->getNumResults());
  for (auto [array, output] : llvm::zip(
           build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes())), outputs))
    results.emplace_back(array, output.sizes);
  return results;
}

//===- Rows -----------------------------------------------------------------===//

/// Checks start + count <= size for all elements of the vectors.
static void requireWithin(BoundedBuild &build, SizeExchange &exchange, Value starts, Value counts,
                          Value sizes) {
  exchange.require(build.compare(build.add(starts, counts), sizes, Direction::LE),
                   "rows within the sizes of input and output");
}

/// Each member sends the number of its output's rows to the others. All rows have the same shape.
static Expanded expandRaggedAllToAll(RaggedAllToAllOp op, ArrayRef<BoundedArray> operands,
                                     BoundedBuild &build) {
  FailureOr<SizeExchange> exchange = SizeExchange::of(op, build);
  if (failed(exchange))
    return failure();
  const BoundedArray &input = operands[0], &output = operands[1];
  exchange->requireSame({input, output}, /*without=*/0);
  for (int64_t d = 1; d < input.getRank(); ++d)
    if (input.sizes[d] || output.sizes[d])
      exchange->require(
          build.compare(build.getSize(input, d), build.getSize(output, d), Direction::EQ),
          "rows of input and output of the same sizes");
  Type s64 = build.builder.getI64Type();
  int64_t count = arrayType(operands[2].array).getNumElements();
  auto numbers = [&](size_t operand) {
    Value vector = build.reshape(operands[operand].array, {count});
    return build.convert(build.signedIndices(vector), s64);
  };
  auto everywhere = [&](Value sizes, Build::Sizes dimensions) {
    int64_t members = exchange->getMembers();
    Value table = build.broadcast(sizes, {members, count / members}, dimensions);
    return build.reshape(build.convert(table, s64), {count});
  };
  // If the sizes do not match the group, the runtime reports it.
  bool isMatching = input.getRank() > 0 && count % exchange->getMembers() == 0;
  if (isMatching && input.sizes[0])
    requireWithin(build, *exchange, numbers(2), numbers(3), everywhere(input.sizes[0], {}));
  if (isMatching && output.sizes[0]) {
    Value all = build.reshape(exchange->gather(output.sizes[0]), {exchange->getMembers()});
    requireWithin(build, *exchange, numbers(4), numbers(3), everywhere(all, {0}));
  }
  Value array = build.cloneOn(op, getArrays(operands), getFullTypes(op->getResultTypes())).front();
  return BoundedArrays{BoundedArray(array, output.sizes)};
}

void hloc::populatePermutes(BoundedPatterns &patterns) {
  patterns.add<CollectiveBroadcastOp>(expandBroadcast);
  patterns.add<CollectivePermuteOp>(expandPermute);
  patterns.add<RaggedAllToAllOp>(expandRaggedAllToAll);
}
