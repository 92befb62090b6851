// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/RandomInputs.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/infer/Shape.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

namespace {

int64_t sizeOf(Value array, int64_t dimension) {
  return hlo::getBounds(cast<RankedTensorType>(array.getType()))[dimension];
}

/// The tighter of two bounds; 0 means none.
int64_t tighter(int64_t a, int64_t b) { return a && b ? std::min(a, b) : std::max(a, b); }

/// The number of start indices at which a slice of `size` elements fits.
int64_t starts(Value array, int64_t dimension, int64_t size) {
  return std::max<int64_t>(sizeOf(array, dimension) - size + 1, 1);
}

/// Follows values to their uses as indices.
class BoundFinder {
public:
  int64_t find(Value value) {
    if (!seen.insert(value).second)
      return 0;
    int64_t bound = 0;
    for (OpOperand &use : value.getUses())
      bound = tighter(bound, findAtUse(use));
    return bound;
  }

private:
  int64_t findAtUse(OpOperand &use) {
    Operation *op = use.getOwner();
    int64_t number = use.getOperandNumber();
    return TypeSwitch<Operation *, int64_t>(op)
        .Case([&](hlo::DynamicSliceOp slice) -> int64_t {
          return number == 0 ? 0
                             : starts(slice.getOperand(), number - 1,
                                      slice.getDynamicSliceSizes()[number - 1]);
        })
        .Case([&](hlo::DynamicUpdateSliceOp slice) -> int64_t {
          if (number < 2)
            return 0;
          return starts(slice.getOperand(), number - 2, sizeOf(slice.getUpdate(), number - 2));
        })
        .Case([&](hlo::SetDimensionSizeOp set) -> int64_t {
          auto type = cast<RankedTensorType>(set.getOperand().getType());
          return number == 1 ? hlo::getBounds(type)[set.getDimension()] + 1 : 0;
        })
        .Case([&](hlo::GatherOp gather) -> int64_t {
          int64_t bound = 0;
          if (number == 1)
            for (int64_t dimension : gather.getStartIndexMap())
              bound = tighter(
                  bound, starts(gather.getOperand(), dimension, gather.getSliceSizes()[dimension]));
          return bound;
        })
        .Case([&](hlo::ScatterOp scatter) -> int64_t {
          // Inputs, indices, updates: the indices are the one operand in the middle.
          int64_t bound = 0;
          if (number == int64_t(scatter.getInputs().size()) / 2)
            for (int64_t dimension : scatter.getScatterDimsToOperandDims())
              bound = tighter(bound, sizeOf(scatter.getInputs()[0], dimension));
          return bound;
        })
        .Case<hlo::CallOp>(
            [&](auto call) { return findInComputation(call.getToApplyAttr(), op, number); })
        .Case<hlo::FusionOp>(
            [&](auto fusion) { return findInComputation(fusion.getCallsAttr(), op, number); })
        .Case<hlo::ReshapeOp, hlo::BroadcastOp, hlo::TransposeOp, hlo::SliceOp, hlo::ConvertOp,
              hlo::ClampOp, hlo::SelectOp, hlo::ConcatenateOp, hlo::CopyOp>(
            [&](auto) { return find(op->getResult(0)); })
        .Default([](Operation *) { return int64_t(0); });
  }

  int64_t findInComputation(FlatSymbolRefAttr name, Operation *user, int64_t number) {
    Operation *computation = SymbolTable::lookupNearestSymbolFrom(user, name);
    if (!computation || computation->getNumRegions() == 0 || computation->getRegion(0).empty())
      return 0;
    Block &body = computation->getRegion(0).front();
    return number < int64_t(body.getNumArguments()) ? find(body.getArgument(number)) : 0;
  }

  llvm::DenseSet<Value> seen;
};

} // namespace

int64_t findIndexBound(Value parameter) { return BoundFinder().find(parameter); }

HostArray makeRandomArray(RankedTensorType type, uint64_t seed, int64_t bound) {
  HostArray array(RankedTensorType::get(hlo::getBounds(type), type.getElementType()));
  const runtime::Element &element = findElement(type.getElementType());
  std::mt19937_64 source(seed);
  for (int64_t at = 0, end = array.bytes.size(); at < end; at += element.getBytes())
    element.draw(source, bound, &array.bytes[at]);
  return array;
}

} // namespace hloc
