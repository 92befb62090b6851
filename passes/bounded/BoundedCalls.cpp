// SPDX-License-Identifier: Apache-2.0
// Custom calls. Functions of the host get arrays of the bounds, and the sizes as additional
// arguments. Built-in functions get arrays of the actual sizes: the valid elements are compacted
// before the call and spread after it. Test: test/passes/bounded/custom-calls.hlo.
#include "compiler/evaluator/core/CustomCalls.h"
#include "mlir/AsmParser/AsmParser.h"
#include "passes/CustomCalls.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/bounded/BoundedReshapes.h"
#include "passes/bounded/BoundedSorts.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

/// The array with zeros past its sizes, then the size of each dimension.
static Expanded expandPadToStatic(const BoundedArray &operand, BoundedBuild &build) {
  BoundedArrays results;
  results.emplace_back(build.fillPast(operand, build.scalar(operand.getElement(), 0.0)));
  for (int64_t d = 0; d < operand.getRank(); ++d)
    results.emplace_back(build.getSize(operand, d));
  return results;
}

/// The reverse: the array is followed by a size for each dimension.
static Expanded expandSliceToDynamic(CustomCallOp op, ArrayRef<BoundedArray> operands,
                                     BoundedBuild &build) {
  BoundedArray result(operands[0].array);
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (cast<RankedTensorType>(op.getResult(0).getType()).isDynamicDim(d))
      result.sizes[d] = build.clampSize(operands[1 + d].array, result.getBound(d));
  return BoundedArrays{result};
}

//===- Functions of the host ------------------------------------------------===//

/// The call with other operands, whose layouts are no longer relevant.
static CustomCallOp callWith(CustomCallOp op, ValueRange inputs, TypeRange types,
                             BoundedBuild &build) {
  auto call = cast<CustomCallOp>(build.clone(op, inputs, types));
  if (op.getOperandLayoutConstraints())
    call.setOperandLayoutConstraintsAttr(
        build.builder.getTypeArrayAttr(SmallVector<Type>(inputs.getTypes())));
  return call;
}

/// A function of the host takes arrays of the bound, then all run-time sizes, and returns the same.
static Expanded callHost(CustomCallOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  SmallVector<Value> inputs = getArrays(operands);
  for (auto [operand, type] : llvm::zip(operands, op->getOperandTypes()))
    for (int64_t d = 0; d < operand.getRank(); ++d)
      if (cast<RankedTensorType>(type).isDynamicDim(d))
        inputs.push_back(build.getSize(operand, d));
  SmallVector<Type> types = getFullTypes(op->getResultTypes());
  Type size = arrayType(build.index(0));
  for (Type type : op->getResultTypes())
    types.append(cast<RankedTensorType>(type).getNumDynamicDims(), size);
  CustomCallOp call = callWith(op, inputs, types, build);
  BoundedArrays results;
  auto sizes = call.getResults().drop_front(op->getNumResults());
  for (auto [array, type] : llvm::zip(call.getResults(), op->getResultTypes())) {
    BoundedArray &result = results.emplace_back(array);
    for (int64_t d = 0; d < result.getRank(); ++d) {
      if (!cast<RankedTensorType>(type).isDynamicDim(d))
        continue;
      result.sizes[d] = build.clampSize(sizes.front(), result.getBound(d));
      sizes = sizes.drop_front();
    }
  }
  return results;
}

//===- Built-in calls -------------------------------------------------------===//

/// The sizes of a routine's results after the batch dimensions, one word per result: m and n are
/// rows and columns of the first operand's matrices, k is their minimum, p is n - 1, a digit means
/// the sizes of that operand, and . means none. The words A and S mean the sizes of singular
/// vectors in that mode. Empty for other calls, whose results have the sizes of the operands, in
/// order.
static StringRef getResultSizes(StringRef target, bool isComplex) {
  StringRef routine = target;
  if (routine.consume_front("lapack_")) {
    routine = routine.drop_front();
    routine.consume_back("_ffi");
  }
  return llvm::StringSwitch<StringRef>(routine)
      .Case("potrf", "mn .")
      .Case("getrf", "mn k .")
      .Cases("geqrf", "Qr", "mn k")
      .Case("geqp3", "mn 1 k")
      .Cases("orgqr", "ungqr", "ProductOfElementaryHouseholderReflectors", "0")
      .Cases("ormqr", "unmqr", "2")
      .Case("trsm", "1")
      .Case("gtsv", "0 1 2 3 .")
      .Case("tridiagonal_solve_perturbed_ffi", "3")
      .Cases("syevd", "heevd", "mn n .")
      .Case("Eigh", "mn n")
      .Case("geev", isComplex ? "n mn mn ." : "n n mn mn .")
      .Case("gees", isComplex ? "mn mn n . ." : "mn mn n n . .")
      .Case("gehrd", "mn p .")
      .Cases("sytrd", "hetrd", "mn n p p .")
      .Cases("gesdd", "gesvd", "mn k mode mode .")
      .Default("");
}

/// The sizes of left or right singular vectors: square matrices, or min(m, n) vectors; * for
/// results without contents.
static StringRef getVectorSizes(CustomCallOp op, bool isLeft) {
  auto config = op->getAttrOfType<StringAttr>("hlo.backend_config");
  auto attributes =
      config ? dyn_cast_or_null<DictionaryAttr>(parseAttribute(config.getValue(), op.getContext()))
             : DictionaryAttr();
  auto mode = attributes ? attributes.getAs<IntegerAttr>("mode") : IntegerAttr();
  bool isSquare = mode && mode.getValue() == 'A';
  if (mode && mode.getValue() == 'N')
    return "**";
  return isLeft ? (isSquare ? "mm" : "mk") : isSquare ? "nn" : "kn";
}

/// Sets the sizes of the bounded dimensions of `result`: batch dimensions as in operand 0, then
/// those of `word`.
static void setSizes(CustomCallOp op, ArrayRef<BoundedArray> operands, StringRef word,
                     RankedTensorType type, BoundedArray &result, BoundedBuild &build) {
  const BoundedArray &first = operands[0];
  int64_t batch = type.getRank() - (word == "." ? 0 : word.size());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    Value size;
    auto getCore = [&](int64_t fromEnd) { return build.getSize(first, first.getRank() - fromEnd); };
    if (d < batch) {
      size = d < first.getRank() ? build.getSize(first, d) : Value();
    } else if (first.getRank() >= 2) {
      switch (word[d - batch]) {
      case 'm':
        size = getCore(2);
        break;
      case 'k':
        size = build.minimum(getCore(2), getCore(1));
        break;
      case 'p':
        size = build.excess(getCore(1), build.index(1));
        break;
      case 'n':
        size = getCore(1);
        break;
      }
    }
    if (size)
      result.sizes[d] = build.clampSize(size, result.getBound(d));
  }
}

/// A result's sizes, with a placeholder for its array, which is replaced after the call is emitted.
static BoundedArray describeResult(CustomCallOp op, ArrayRef<BoundedArray> operands,
                                   unsigned number, ArrayRef<StringRef> words,
                                   BoundedBuild &build) {
  auto type = cast<RankedTensorType>(op.getResult(number).getType());
  BoundedArray result(Value(), SmallVector<Value>(type.getRank()));
  result.array = build.zero(getFullType(type));
  std::string own = std::to_string(number);
  StringRef word = words.empty() ? StringRef(own) : number < words.size() ? words[number] : ".";
  if (word == "mode")
    word = getVectorSizes(op, /*isLeft=*/number == 2);
  unsigned like;
  if (word.getAsInteger(10, like)) {
    if (!operands.empty())
      setSizes(op, operands, word, type, result, build);
  } else if (like < operands.size() && operands[like].getRank() == type.getRank()) {
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        result.sizes[d] = operands[like].sizes[d];
  }
  return result;
}

/// s64[rank]: the sizes in the form of an hlort_buffer.
static Value buildSizes(const BoundedArray &array, BoundedBuild &build) {
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < array.getRank(); ++d)
    sizes.push_back(build.reshape(build.getSize(array, d), {1}));
  return build.convert(build.concatenate(sizes, 0), build.builder.getI64Type());
}

/// The arrays with compacted elements, then the sizes of all arrays and results.
static Expanded callBuiltin(CustomCallOp op, ArrayRef<BoundedArray> operands, BoundedBuild &build) {
  SmallVector<StringRef> words;
  bool isComplex = !operands.empty() && isa<ComplexType>(operands[0].getElement());
  getResultSizes(op.getCustomCallTarget(), isComplex).split(words, ' ', -1, /*KeepEmpty=*/false);
  BoundedArrays results;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    results.push_back(describeResult(op, operands, i, words, build));
  SmallVector<Value> inputs, sizes;
  for (const BoundedArray &operand : operands) {
    FailureOr<Value> together = moveTogether(op, build, operand);
    if (failed(together))
      return failure();
    inputs.push_back(*together);
  }
  for (ArrayRef<BoundedArray> arrays : {operands, ArrayRef<BoundedArray>(results)})
    for (const BoundedArray &array : arrays)
      if (array.getRank() > 0)
        inputs.push_back(buildSizes(array, build));
  CustomCallOp call = callWith(op, inputs, getFullTypes(op->getResultTypes()), build);
  call->setDiscardableAttr(kSizedArrays, build.builder.getI64IntegerAttr(operands.size()));
  for (auto [result, made] : llvm::zip(results, call.getResults())) {
    result.array = made;
    FailureOr<Value> apart = moveApart(op, build, result);
    if (failed(apart))
      return failure();
    result.array = *apart;
  }
  return results;
}

/// The rows of a CSR matrix: elements of `starts` past its size are set so that they start no row.
static Expanded expandSparseRows(CustomCallOp op, ArrayRef<BoundedArray> operands,
                                 BoundedBuild &build) {
  const BoundedArray &starts = operands[1], &dense = operands[3];
  SmallVector<Value> inputs = getArrays(operands);
  inputs[1] = build.fillPast(starts, build.highest(starts.getElement()));
  CustomCallOp call = callWith(op, inputs, getFullTypes(op->getResultTypes()), build);
  BoundedArray result(call.getResult(0), dense.sizes);
  result.sizes[0] = starts.sizes[0] ? build.excess(starts.sizes[0], build.index(1)) : Value();
  return BoundedArrays{result};
}

static Expanded expandCustomCall(CustomCallOp op, ArrayRef<BoundedArray> operands,
                                 BoundedBuild &build) {
  StringRef target = op.getCustomCallTarget();
  // Both have one array on one side, and one s32 scalar per dimension on either.
  auto areSizes = [](TypeRange types) {
    return llvm::all_of(types, [](Type type) {
      auto size = dyn_cast<RankedTensorType>(type);
      return size && size.getRank() == 0 && size.getElementType().isSignlessInteger(32);
    });
  };
  TypeRange results = op->getResultTypes(), inputs = op.getInputs().getTypes();
  if (target == "PadToStatic" && inputs.size() == 1 &&
      int64_t(results.size()) == operands[0].getRank() + 1 &&
      getFullType(results[0]) == operands[0].array.getType() && areSizes(results.drop_front()))
    return expandPadToStatic(operands[0], build);
  if (target == "SliceToDynamic" && results.size() == 1 && !inputs.empty() &&
      int64_t(inputs.size()) == operands[0].getRank() + 1 &&
      getFullType(results[0]) == operands[0].array.getType() && areSizes(inputs.drop_front()))
    return expandSliceToDynamic(op, operands, build);
  if (target == "TopK" && results.size() == 2 && inputs.size() == 1 && operands[0].getRank() > 0)
    return expandTopkOf(op, operands[0], getFullType(results[0]).getShape().back(),
                        /*largest=*/true, build);
  if (target == "cpu_csr_sparse_dense_ffi" && inputs.size() == 4 && results.size() == 1 &&
      operands[1].getRank() == 1 && operands[3].getRank() == arrayType(op.getResult(0)).getRank())
    return expandSparseRows(op, operands, build);
  return evaluator::knowsCustomCall(target) ? callBuiltin(op, operands, build)
                                            : callHost(op, operands, build);
}

void hloc::populateCustomCalls(BoundedPatterns &patterns) {
  patterns.add<CustomCallOp>(expandCustomCall);
}
