// SPDX-License-Identifier: Apache-2.0
// The custom calls in JAX's programs for CPUs: LAPACK's routines, top k, sparse matrices, and marks
// for compilers that do not change the data.
#include "compiler/evaluator/core/Strided.h"
#include "compiler/evaluator/linalg/Columns.h"
#include "compiler/evaluator/linalg/Lapack.h"
#include "compiler/evaluator/ops/Sort.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

static FailureOr<Values> allocate(Call &call) { return zeroResults(call); }

/// The types of the results, with the elements of a tuple one by one.
static SmallVector<Type> resultTypes(Call &call) {
  SmallVector<Type> types(call.op->getResultTypes());
  if (types.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(types[0]))
      types.assign(tuple.begin(), tuple.end());
  return types;
}

/// The k largest elements of each row and their indices; k is given by the result's type.
static FailureOr<Values> topKCall(Call &call) {
  SmallVector<Type> types = resultTypes(call);
  auto type = types.size() == 2 ? getArrayType(types[0]) : std::nullopt;
  if (!type || type->second.empty() || call.operands.empty() || call.array(0).shape.empty())
    return call.fail("expected rows of numbers, and values and indices as results");
  auto [values, indices] = topK(call.array(0), type->second.back(), /*largest=*/true);
  return Values{values, indices};
}

/// An array of the bounds with zeros past the sizes of a bounded one, then those sizes.
static FailureOr<Values> padToStatic(Call &call) {
  SmallVector<Type> types = resultTypes(call);
  Array &operand = call.array(0);
  if (types.size() != operand.shape.size() + 1)
    return call.fail("expected an array and the size of each dimension as results");
  auto type = getArrayType(types[0]);
  if (!type || type->first != operand.type || type->second.size() != operand.shape.size() ||
      !llvm::all_of_zip(operand.shape, type->second, std::less_equal<>()))
    return call.fail("expected a result of the operand's bounds");
  Array whole(operand.type, type->second);
  Shape zeros(operand.shape.size(), 0);
  copyBox(operand, zeros, whole, zeros, operand.shape);
  Values results{whole};
  for (int64_t size : operand.shape) {
    Array scalar(ElementType::S32, {});
    scalar.set(0, Scalar::ofInt(size));
    results.push_back(scalar);
  }
  return results;
}

/// The reverse: an array is followed by the sizes of its bounded dimensions, one for each
/// dimension.
static FailureOr<Values> sliceToDynamic(Call &call) {
  Array &operand = call.array(0);
  auto type = dyn_cast<RankedTensorType>(call.op->getResult(0).getType());
  if (!type || call.operands.size() != operand.shape.size() + 1 ||
      type.getRank() != int64_t(operand.shape.size()))
    return call.fail("expected an array and the size of each dimension");
  Shape shape = operand.shape;
  for (size_t d = 0; d < shape.size(); ++d)
    if (type.isDynamicDim(d))
      shape[d] = std::clamp<int64_t>(call.array(1 + d).getIndex(0), 0, shape[d]);
  return Values{cut(operand, shape)};
}

/// A sparse matrix times a dense vector or matrix. Row i contains the elements [starts[i],
/// starts[i+1]) of `data`, each with its column; they are added up in that order.
static FailureOr<Values> sparseRowsTimesDense(Call &call) {
  SmallVector<Type> types = resultTypes(call);
  auto type = types.size() == 1 ? getArrayType(types[0]) : std::nullopt;
  if (!type || call.operands.size() != 4)
    return call.fail("expected data, starts of rows, columns and a dense operand");
  const Array &data = call.array(0), &starts = call.array(1), &columns = call.array(2),
              &dense = call.array(3);
  // Sizes that are known only at run time are those of the operands.
  auto result = cast<RankedTensorType>(types[0]);
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (result.isDynamicDim(d)) {
      int64_t size = d == 0                            ? starts.getCount() - 1
                     : d < int64_t(dense.shape.size()) ? dense.shape[d]
                                                       : 0;
      type->second[d] = std::clamp<int64_t>(size, 0, type->second[d]);
    }
  if (data.shape.size() != 1 || starts.shape.size() != 1 || columns.shape != data.shape ||
      dense.shape.empty() || type->second.size() != dense.shape.size() ||
      starts.shape[0] != type->second[0] + 1 ||
      !std::equal(dense.shape.begin() + 1, dense.shape.end(), type->second.begin() + 1))
    return call.fail("the shapes are not those of a sparse matrix times a dense one");
  int64_t rows = type->second[0], stored = data.shape[0], places = dense.shape[0];
  int64_t width = places ? dense.getCount() / places : 0;
  return withNumber(type->first, [&](auto sample) -> FailureOr<Values> {
    using T = decltype(sample);
    std::vector<T> x = toNumbers<T>(data, type->first), y = toNumbers<T>(dense, type->first),
                   sums(rows * width);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = starts.getIndex(row); i < starts.getIndex(row + 1); ++i) {
        if (i < 0 || i >= stored || columns.getIndex(i) < 0 || columns.getIndex(i) >= places)
          return call.fail("row " + Twine(row) + " names an element or a column that is not there");
        if (failed(call.interpreter.work(call.op, width)))
          return failure();
        for (int64_t j = 0; j < width; ++j)
          multiplyAdd(sums[row * width + j], x[i], y[columns.getIndex(i) * width + j]);
      }
    return Values{fromNumbers(sums, type->first, type->second)};
  });
}

namespace {
struct Targets {
  HandlerTable lapack; // by the routine's name
  HandlerTable others; // by the whole name

  Targets() {
    addLapackFactorizations(lapack, others);
    addLapackSpectra(lapack, others);
    for (StringRef name :
         {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement",
          "MoveToHost", "MoveToDevice", "LayoutConstraint", "ShardBarrierFrom", "ShardBarrierTo",
          "Pin", "PinToDevice", "Unpin", "xla.sdy.FuncResultSharding", "xla.sdy.GlobalToLocalShape",
          "xla.sdy.LocalToGlobalShape"})
      others[name] = passOperands;
    for (StringRef name :
         {"AllocateBuffer", "CreateBuffer", "dce_sink", "InspectSharding", "control_dep"})
      others[name] = allocate;
    others["TopK"] = topKCall;
    others["cpu_csr_sparse_dense_ffi"] = sparseRowsTimesDense;
    others["PadToStatic"] = padToStatic;
    others["SliceToDynamic"] = sliceToDynamic;
  }
};
} // namespace

/// Null if no target has that name.
static Handler findTarget(StringRef target) {
  static const Targets targets;
  StringRef routine = target;
  if (routine.consume_front("lapack_") && routine.size() > 1 &&
      StringRef("sdcz").contains(routine[0])) {
    routine = routine.drop_front();
    routine.consume_back("_ffi");
    if (Handler found = targets.lapack.lookup(routine))
      return found;
  }
  return targets.others.lookup(target);
}

bool knowsCustomCall(StringRef target) { return findTarget(target); }

static FailureOr<Values> customCall(Call &call) {
  StringRef target = cast<CustomCallOp>(call.op).getCustomCallTarget();
  if (Handler known = findTarget(target))
    return known(call);
  return call.fail("the evaluator knows no custom call named \"" + target + "\"");
}

void addCustomCallOps(HandlerTable &table) { table["hlo.custom_call"] = customCall; }

} // namespace hloc::evaluator
