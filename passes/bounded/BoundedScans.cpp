// SPDX-License-Identifier: Apache-2.0
// Scans along a dimension of bounded size: steps past it change nothing.
#include "passes/Computations.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/expand/ApplyToElements.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// `body` with an additional parameter after the inputs' slices, a mark that says whether the step
/// counts; if not, the carries are unchanged.
static ComputationOp withMarkedSteps(ComputationOp body, RankedTensorType mark, unsigned inputs,
                                     unsigned carries, Location loc) {
  SmallVector<Type> types(body.getArgumentTypes());
  types.insert(types.begin() + inputs, mark);
  return createComputation(
      body->getParentOfType<ModuleOp>(), (body.getSymName() + ".marked").str(), types,
      [&](OpBuilder &builder, ValueRange values) {
        Build build(builder, loc);
        Value counts = build.reshape(values[inputs], {});
        SmallVector<Value> arguments(values.take_front(inputs));
        llvm::append_range(arguments, values.drop_front(inputs + 1));
        if (!mayAlwaysRun(body)) {
          SmallVector<Value> unchanged;
          for (Type type : body.getResultTypes().drop_back(carries))
            unchanged.push_back(build.zero(cast<RankedTensorType>(type)));
          llvm::append_range(unchanged, ArrayRef(arguments).drop_front(inputs));
          return inlineWhere(build, counts, body, arguments, unchanged);
        }
        SmallVector<Value> results = inlineComputation(builder, body, arguments);
        size_t outputs = results.size() - carries;
        for (unsigned i = 0; i < carries; ++i) {
          Value &carry = results[outputs + i];
          Value all = build.broadcast(counts, arrayType(carry).getShape(), {});
          carry = build.select(all, carry, arguments[inputs + i]);
        }
        return results;
      });
}

static Expanded expandScan(ScanOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  int64_t dimension = op.getDimensions()[0];
  unsigned carries = op.getNumCarries(), inputs = operands.size() - carries;
  Value steps;
  for (const BoundedArray &operand : operands.take_front(inputs))
    steps = steps ? steps : operand.sizes[dimension];
  SmallVector<Value> arrays = getArrays(operands);
  SmallVector<Type> types = getFullTypes(op->getResultTypes());
  BoundedArrays results;
  SmallVector<Value> scanned;
  if (!steps) {
    scanned = build.cloneOn(op, arrays, types);
  } else {
    // One mark per step, in an array that has the scanned dimension at the same place.
    SmallVector<int64_t> shape(dimension, 1), slice(dimension, 1);
    shape.push_back(operands[0].getBound(dimension));
    SmallVector<Value> sizes(dimension);
    sizes.push_back(steps);
    BoundedArray places(build.iota(shape, build.builder.getI32Type(), dimension), sizes);
    Value inside = build.isInside(places);
    arrays.insert(arrays.begin() + inputs, inside);
    ComputationOp body =
        withMarkedSteps(lookupComputation(op, op.getToApplyAttr()), arrayType(inside).clone(slice),
                        inputs, carries, op.getLoc());
    auto marked = ScanOp::create(build.builder, build.loc, types, arrays, op.getDimensionsAttr(),
                                 op.getNumCarriesAttr(), op.getIsReverseAttr(), BoolAttr(),
                                 FlatSymbolRefAttr::get(body.getSymNameAttr()));
    scanned.assign(marked.result_begin(), marked.result_end());
  }
  for (auto [i, array] : llvm::enumerate(scanned)) {
    BoundedArray &result = results.emplace_back(array);
    if (i + carries < scanned.size())
      result.sizes[dimension] = steps;
  }
  return results;
}

void hloc::populateScans(BoundedPatterns &patterns) { patterns.add<ScanOp>(expandScan); }
