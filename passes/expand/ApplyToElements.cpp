// SPDX-License-Identifier: Apache-2.0
#include "passes/expand/ApplyToElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Computations.h"
#include "passes/expand/BatchComputation.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

bool hloc::mayAlwaysRun(ComputationOp computation) {
  return !computation
              ->walk([&](Operation *op) {
                bool isPlain = op->getNumRegions() == 0 && isMemoryEffectFree(op);
                return op == computation || isPlain || isa<scf::IfOp, scf::IndexSwitchOp>(op)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

SmallVector<Value> hloc::inlineWhere(Build build, Value pred, ComputationOp computation,
                                     ValueRange arguments, ValueRange otherwise) {
  OpBuilder &builder = build.builder;
  if (mayAlwaysRun(computation)) {
    SmallVector<Value> results = inlineComputation(builder, computation, arguments);
    for (auto [result, other] : llvm::zip(results, otherwise))
      result = build.select(pred, result, other);
    return results;
  }
  Value holds = tensor::ExtractOp::create(builder, build.loc, pred, ValueRange());
  auto choice = scf::IfOp::create(
      builder, build.loc, holds,
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, inlineComputation(inner, computation, arguments));
      },
      [&](OpBuilder &inner, Location loc) { scf::YieldOp::create(inner, loc, otherwise); });
  return SmallVector<Value>(choice.getResults());
}

/// The name of `op` in the text.
static StringRef getTextName(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp>(op) ? "conditional" : op->getName().stripDialect();
}

void hloc::remarkLoop(Location op, ComputationOp computation, int64_t steps) {
  Operation *reason = findNotLanewise(computation);
  if (steps <= 1 || !reason)
    return;
  while (isa<tensor::ExtractOp, arith::IndexCastUIOp>(reason) && !reason->use_empty())
    reason = *reason->user_begin(); // the branches that read the scalar
  InFlightDiagnostic remark = emitRemark(op);
  remark << "a loop of " << steps << " steps, because of '" << getTextName(reason)
         << "' in its computation";
  remark.attachNote(reason->getLoc()) << "here";
}

/// Applies the computation to the arguments of one element; the results are vectors of one element.
static SmallVector<Value> applyToOne(Build build, ComputationOp computation, ValueRange arguments,
                                     Value counts, ValueRange otherwise) {
  auto toScalar = [&](Value value) { return build.reshape(value, {}); };
  SmallVector<Value> scalars = llvm::map_to_vector(arguments, toScalar), results;
  if (counts)
    results = inlineWhere(build, toScalar(counts), computation, scalars,
                          llvm::map_to_vector(otherwise, toScalar));
  else
    results = inlineComputation(build.builder, computation, scalars);
  for (Value &result : results)
    result = build.reshape(result, {1});
  return results;
}

SmallVector<Value> hloc::applyToElements(Build build, ComputationOp computation, ValueRange vectors,
                                         Value counts) {
  int64_t count = arrayType(vectors[0]).getDimSize(0);
  SmallVector<Value> arguments, zeros;
  for (auto [vector, parameter] : llvm::zip(vectors, computation.getArgumentTypes()))
    arguments.push_back(build.convert(vector, getElementTypeOrSelf(parameter)));
  for (Type type : computation.getResultTypes())
    zeros.push_back(build.zero(RankedTensorType::get({count}, getElementTypeOrSelf(type))));
  if (count == 0)
    return zeros;
  if (count == 1)
    return applyToOne(build, computation, arguments, counts, zeros);
  if (auto results = batchComputation(build, computation, arguments, counts))
    return *results;
  remarkLoop(build.loc, computation, count);
  return build.countedLoop(
      count, /*reversed=*/false, zeros, [&](Build inner, Value place, ValueRange state) {
        auto at = [&](Value vector) { return inner.dynamicSlice(vector, place, {1}); };
        SmallVector<Value> results =
            applyToOne(inner, computation, llvm::map_to_vector(arguments, at),
                       counts ? at(counts) : Value(), llvm::map_to_vector(state, at));
        for (auto [result, whole] : llvm::zip(results, state))
          result = inner.dynamicUpdateSlice(whole, result, place);
        return results;
      });
}

SmallVector<Value> hloc::foldElements(Build build, ComputationOp computation, int64_t steps,
                                      ValueRange state,
                                      function_ref<SmallVector<Value>(Build, Value step)> elements,
                                      function_ref<Value(Build, Value step)> counts) {
  if (steps == 0 || arrayType(state[0]).getNumElements() == 0)
    return SmallVector<Value>(state);
  remarkLoop(build.loc, computation, steps);
  return build.countedLoop(
      steps, /*reversed=*/false, state, [&](Build inner, Value step, ValueRange sofar) {
        SmallVector<Value> arguments(sofar);
        for (Value next : elements(inner, step))
          arguments.push_back(inner.flatten(next));
        Value which = counts ? counts(inner, step) : Value();
        SmallVector<Value> folded = applyToElements(inner, computation, arguments, which);
        for (auto [value, old] : llvm::zip(folded, sofar)) {
          value = inner.convert(value, getElementTypeOrSelf(old));
          value = which ? inner.select(which, value, old) : value;
        }
        return folded;
      });
}
