// SPDX-License-Identifier: Apache-2.0
// The custom calls that JAX's programs for CPUs contain: LAPACK's routines, top k, and marks for
// compilers that do nothing to the data.
#include "compiler/evaluator/Interpreter.h"
#include "compiler/evaluator/MatrixOps.h"
#include "compiler/evaluator/Sort.h"
#include "compiler/evaluator/Strided.h"
#include <limits>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// `name = 76 : ui8` in the backend config; `fallback` if it is not there.
static int64_t getConfig(Call &call, StringRef name, int64_t fallback) {
  auto config = call.op->getAttrOfType<StringAttr>("hlo.backend_config");
  if (!config)
    return fallback;
  StringRef text = config.getValue();
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    StringRef rest = text.drop_front(at + name.size()).ltrim();
    int64_t value;
    bool starts = at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_');
    if (starts && rest.consume_front("=") && !rest.ltrim().consumeInteger(10, value))
      return value;
  }
  return fallback;
}

/// The types of the results, a tuple's elements one by one.
static SmallVector<Type> resultTypes(Call &call) {
  SmallVector<Type> types(call.op->getResultTypes());
  if (types.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(types[0]))
      types.assign(tuple.begin(), tuple.end());
  return types;
}

/// Zeros for every result: LAPACK's `info` says success unless it is set.
static Values zeroResults(Call &call) {
  Values results;
  for (Type type : resultTypes(call))
    results.push_back(makeZero(type));
  return results;
}

/// Runs `body` with a sample of the matrices' number type for each matrix of the first operand.
template <class Body>
static FailureOr<Values> eachMatrix(Call &call, unsigned operands, unsigned results, Body body) {
  Values made = zeroResults(call);
  if (call.operands.size() < operands || made.size() < results)
    return call.fail("expected " + Twine(operands) + " operands and " + Twine(results) +
                     " results");
  if (call.array(0).shape.size() < 2)
    return call.fail("expected matrices");
  return withMatrixNumber(call.array(0), [&](auto sample) -> FailureOr<Values> {
    for (int64_t b = 0; b < countMatrices(call.array(0)); ++b) {
      if (failed(call.interpreter.work(call.op,
                                       call.array(0).shape.back() * call.array(0).getCount())))
        return failure();
      body(sample, made, b);
    }
    return made;
  });
}

static void setInfo(Values &results, size_t index, int64_t b, int64_t info) {
  if (index < results.size())
    results[index].getArray().set(b, Scalar::ofInt(info));
}

static FailureOr<Values> potrf(Call &call) {
  bool lower = getConfig(call, "uplo", 'L') == 'L';
  return eachMatrix(call, 1, 1, [&](auto sample, Values &results, int64_t b) {
    using T = decltype(sample);
    Matrix<T> a = getMatrix<T>(call.array(0), b);
    if (!lower)
      a = a.adjoint();
    setInfo(results, 1, b, cholesky(a));
    setMatrix(results[0].getArray(), b, lower ? a : a.adjoint());
  });
}

static FailureOr<Values> getrf(Call &call) {
  return eachMatrix(call, 1, 2, [&](auto sample, Values &results, int64_t b) {
    using T = decltype(sample);
    Matrix<T> a = getMatrix<T>(call.array(0), b);
    std::vector<int64_t> pivots;
    setInfo(results, 2, b, luFactor(a, pivots));
    setMatrix(results[0].getArray(), b, a);
    for (auto [i, pivot] : llvm::enumerate(pivots))
      results[1].getArray().set(b * int64_t(pivots.size()) + int64_t(i), Scalar::ofInt(pivot));
  });
}

static FailureOr<Values> geqrf(Call &call) {
  return eachMatrix(call, 1, 2, [&](auto sample, Values &results, int64_t b) {
    using T = decltype(sample);
    Matrix<T> a = getMatrix<T>(call.array(0), b);
    std::vector<T> tau = qrFactor(a);
    setMatrix(results[0].getArray(), b, a);
    Array &factors = results[1].getArray();
    for (auto [i, factor] : llvm::enumerate(tau)) {
      Scalar scalar = toScalar(factor);
      wrap(factors.type, &scalar, 1);
      factors.set(b * int64_t(tau.size()) + int64_t(i), scalar);
    }
  });
}

/// The reflectors' factors of matrix b.
template <class T> static std::vector<T> getFactors(const Array &array, int64_t b) {
  int64_t count = array.shape.back();
  std::vector<T> tau;
  for (int64_t i = 0; i < count; ++i)
    tau.push_back(fromScalar<T>(array.get(b * count + i)));
  return tau;
}

/// The product of reflectors: its first columns.
static FailureOr<Values> orgqr(Call &call) {
  return eachMatrix(call, 2, 1, [&](auto sample, Values &results, int64_t b) {
    using T = decltype(sample);
    Matrix<T> a = getMatrix<T>(call.array(0), b), q(a.rows, a.columns);
    for (int64_t i = 0; i < std::min(a.rows, a.columns); ++i)
      q(i, i) = 1;
    applyReflectors(a, getFactors<T>(call.array(1), b), false, q);
    setMatrix(results[0].getArray(), b, q);
  });
}

/// The product of reflectors, or its adjoint, times a matrix from either side.
static FailureOr<Values> ormqr(Call &call) {
  bool left = getConfig(call, "side", 'L') == 'L', adjoint = getConfig(call, "trans", 'N') != 'N';
  return eachMatrix(call, 3, 1, [&](auto sample, Values &results, int64_t b) {
    using T = decltype(sample);
    Matrix<T> a = getMatrix<T>(call.array(0), b), c = getMatrix<T>(call.array(2), b);
    if (!left) // C Q = (Q^H C^H)^H
      c = c.adjoint();
    applyReflectors(a, getFactors<T>(call.array(1), b), left ? adjoint : !adjoint, c);
    setMatrix(results[0].getArray(), b, left ? c : c.adjoint());
  });
}

static FailureOr<Values> trsm(Call &call) {
  bool left = getConfig(call, "side", 'L') == 'L', lower = getConfig(call, "uplo", 'L') == 'L';
  bool unit = getConfig(call, "diag", 'N') == 'U';
  char transpose = char(getConfig(call, "trans_x", 'N'));
  return eachMatrix(call, 2, 1, [&](auto sample, Values &results, int64_t b) {
    using T = decltype(sample);
    setMatrix(results[0].getArray(), b,
              solveTriangular(getMatrix<T>(call.array(0), b), getMatrix<T>(call.array(1), b), left,
                              lower, unit, transpose));
  });
}

/// Eigenvectors as columns, of either sign, then eigenvalues in ascending order.
static FailureOr<Values> syevd(Call &call) {
  bool lower = getConfig(call, "uplo", 'L') == 'L',
       wantsVectors = getConfig(call, "mode", 'V') == 'V';
  return eachMatrix(call, 1, 2, [&](auto sample, Values &results, int64_t b) {
    using T = decltype(sample);
    Matrix<T> a = getMatrix<T>(call.array(0), b);
    for (int64_t i = 0; i < a.rows; ++i) {
      a(i, i) = realPart(a(i, i));
      for (int64_t j = 0; j < i; ++j) // the other triangle from the one that counts
        (lower ? a(j, i) : a(i, j)) = conjugate(lower ? a(i, j) : a(j, i));
    }
    std::vector<double> values = hermitianEigen(a);
    if (wantsVectors)
      setMatrix(results[0].getArray(), b, a);
    Array &eigenvalues = results[1].getArray();
    for (auto [i, value] : llvm::enumerate(values)) {
      Scalar scalar = Scalar::ofFloat(value);
      wrap(eigenvalues.type, &scalar, 1);
      eigenvalues.set(b * int64_t(values.size()) + int64_t(i), scalar);
    }
  });
}

//===- Others --------------------------------------------------------------===//

static FailureOr<Values> identity(Call &call) {
  return Values(std::make_move_iterator(call.operands.begin()),
                std::make_move_iterator(call.operands.end()));
}

static FailureOr<Values> allocate(Call &call) { return zeroResults(call); }

/// The k largest of each row and where they stand; k is what the result's type says.
static FailureOr<Values> topKCall(Call &call) {
  SmallVector<Type> types = resultTypes(call);
  auto type = types.size() == 2 ? getArrayType(types[0]) : std::nullopt;
  if (!type || type->second.empty() || call.operands.empty() || call.array(0).shape.empty())
    return call.fail("expected rows of numbers, and values and indices as results");
  auto [values, indices] = topK(call.array(0), type->second.back(), /*largest=*/true);
  return Values{values, indices};
}

static FailureOr<Values> customCall(Call &call) {
  StringRef target = cast<CustomCallOp>(call.op).getCustomCallTarget();
  StringRef routine = target;
  if (routine.consume_front("lapack_") && routine.size() > 1 &&
      StringRef("sdcz").contains(routine[0])) {
    routine = routine.drop_front();
    routine.consume_back("_ffi");
    static const llvm::StringMap<Handler> routines = {
        {"potrf", potrf}, {"getrf", getrf}, {"geqrf", geqrf}, {"orgqr", orgqr}, {"ungqr", orgqr},
        {"ormqr", ormqr}, {"unmqr", ormqr}, {"trsm", trsm},   {"syevd", syevd}, {"heevd", syevd}};
    if (auto found = routines.find(routine); found != routines.end())
      return found->second(call);
  }
  static const llvm::StringMap<Handler> targets = {{"Sharding", identity},
                                                   {"SPMDFullToShardShape", identity},
                                                   {"SPMDShardToFullShape", identity},
                                                   {"annotate_device_placement", identity},
                                                   {"MoveToHost", identity},
                                                   {"MoveToDevice", identity},
                                                   {"xla.sdy.FuncResultSharding", identity},
                                                   {"xla.sdy.GlobalToLocalShape", identity},
                                                   {"xla.sdy.LocalToGlobalShape", identity},
                                                   {"dce_sink", allocate},
                                                   {"AllocateBuffer", allocate},
                                                   {"PinToDevice", identity},
                                                   {"TopK", topKCall}};
  if (auto found = targets.find(target); found != targets.end())
    return found->second(call);
  return call.fail("the evaluator knows no custom call named \"" + target + "\"");
}

void addCustomCallOps(HandlerTable &table) { table["hlo.custom_call"] = customCall; }

} // namespace hloc::evaluator
