// SPDX-License-Identifier: Apache-2.0
// Transfers to and from the host, and messages between participants: sizes are transferred too.
// Test: test/passes/bounded/transfers.hlo.
#include "compiler/hlo/CollectiveStages.h"
#include "passes/bounded/BoundedCollectives.h"
#include "passes/bounded/BoundedPatterns.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

//===- The host -------------------------------------------------------------===//

/// The sizes of all dimensions in the host's order, s64[rank]; `minorToMajor` maps them to the
/// dimensions of `array`.
static Value buildHostSizes(BoundedBuild &build, const BoundedArray &array,
                            ArrayRef<int64_t> minorToMajor) {
  int64_t rank = array.getRank();
  SmallVector<Value> sizes(rank);
  for (auto [place, dimension] : llvm::enumerate(minorToMajor))
    sizes[dimension] = build.reshape(build.getSize(array, rank - 1 - place), {1});
  return build.convert(build.concatenate(sizes, 0), build.builder.getI64Type());
}

/// Arrays, then the sizes of those that have some.
static Expanded expandHostTransfer(HostTransferOp op, ArrayRef<BoundedArray> operands,
                                   BoundedBuild &build) {
  SmallVector<Value> inputs = getArrays(operands);
  SmallVector<Type> results = getFullTypes(op->getResultTypes());
  bool isGiven = op->getNumResults() == 0;
  SmallVector<Attribute> bounded;
  for (auto [i, layout] : llvm::enumerate(op.getLayouts().getAsRange<DenseI64ArrayAttr>())) {
    auto type =
        cast<RankedTensorType>(isGiven ? op.getInputs()[i].getType() : op->getResult(i).getType());
    SmallVector<int64_t> dimensions;
    for (auto [place, dimension] : llvm::enumerate(layout.asArrayRef()))
      if (type.isDynamicDim(type.getRank() - 1 - place))
        dimensions.push_back(dimension);
    bounded.push_back(build.builder.getDenseI64ArrayAttr(dimensions));
    if (dimensions.empty())
      continue;
    if (isGiven)
      inputs.push_back(buildHostSizes(build, operands[i], layout));
    else
      results.push_back(RankedTensorType::get({type.getRank()}, build.builder.getI64Type()));
  }
  auto transfer = SizedTransferOp::create(build.builder, build.loc, results, inputs, op.getKind(),
                                          op.getChannel(), op.getLayouts(),
                                          build.builder.getArrayAttr(bounded));
  BoundedArrays arrays;
  auto sizes = transfer.getResults().drop_front(op->getNumResults());
  for (auto [i, layout] : llvm::enumerate(op.getLayouts().getAsRange<DenseI64ArrayAttr>())) {
    if (isGiven)
      break;
    BoundedArray &array = arrays.emplace_back(transfer->getResult(i));
    if (cast<DenseI64ArrayAttr>(bounded[i]).empty())
      continue;
    Value all = build.convert(sizes.front(), build.builder.getI32Type());
    sizes = sizes.drop_front();
    auto type = cast<RankedTensorType>(op->getResult(i).getType());
    for (auto [place, dimension] : llvm::enumerate(layout.asArrayRef()))
      if (int64_t d = type.getRank() - 1 - place; type.isDynamicDim(d))
        array.sizes[d] = build.element(all, dimension);
  }
  return arrays;
}

//===- Other participants ---------------------------------------------------===//

/// An array of a bounded type whose sizes are its bounds.
static BoundedArray withBounds(BoundedBuild &build, Value array, Type type) {
  BoundedArray result(array);
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (cast<RankedTensorType>(type).isDynamicDim(d))
      result.sizes[d] = build.index(result.getBound(d));
  return result;
}

/// Arrays that are sent to another participant are followed by the sizes of all bounded dimensions,
/// since the receiver knows only the type.
static Expanded expandStart(CollectiveStartOp op, ArrayRef<BoundedArray> operands,
                            BoundedBuild &build) {
  SmallVector<Value> inputs;
  for (auto [operand, input] : llvm::zip(operands, op.getInputs())) {
    BoundedArray sent = withBounds(build, operand.array, input.getType());
    for (auto [size, known] : llvm::zip(sent.sizes, operand.sizes))
      size = known ? known : size;
    appendSent(build, sent, inputs);
  }
  SmallVector<Type> results;
  Type size = RankedTensorType::get({}, build.builder.getI32Type());
  for (Type type : op.getResults().getTypes()) {
    results.push_back(getFullType(type));
    results.append(cast<RankedTensorType>(type).getNumDynamicDims(), size);
  }
  SmallVector<int64_t> reuse(results.size(), -1);
  auto start = CollectiveStartOp::create(
      build.builder, build.loc, op.getTicket().getType(), results, inputs, op.getKind(),
      op.getGroups(), op.getChannelIdAttr(), op.getDimension(), op.getCombineAttr(), op.getPairs(),
      op.getSliceSizes(), reuse);
  BoundedArrays arrays{BoundedArray(start.getTicket())};
  ValueRange buffers = start.getResults();
  for (Type type : op.getResults().getTypes()) {
    arrays.emplace_back(buffers.front()); // the done alone returns it, with sizes
    buffers = buffers.drop_front(1 + cast<RankedTensorType>(type).getNumDynamicDims());
  }
  return arrays;
}

/// A participant that receives nothing gets zeros of the full bound.
static Expanded expandDone(CollectiveDoneOp op, ArrayRef<BoundedArray> operands,
                           BoundedBuild &build) {
  auto start = operands.front().array.getDefiningOp<CollectiveStartOp>();
  auto done = CollectiveDoneOp::create(build.builder, build.loc, start.getResults().getTypes(),
                                       start.getTicket(), start.getResults(), start.getInputs());
  BoundedArrays arrays;
  ValueRange received = done.getResults();
  for (Type type : op->getResultTypes())
    arrays.push_back(takeReceived(build, received, withBounds(build, received.front(), type)));
  return arrays;
}

void hloc::populateTransfers(BoundedPatterns &patterns) {
  patterns.add<HostTransferOp>(expandHostTransfer);
  patterns.add<CollectiveStartOp>(expandStart);
  patterns.add<CollectiveDoneOp>(expandDone);
}
