// SPDX-License-Identifier: Apache-2.0
// Shared code of the handlers of LAPACK's routines, as called by JAX's programs for CPUs. The
// operands, results and attributes of each are those of the runtime's (runtime/lapack). Tests:
// test/evaluator/lapack-*.hlo.

#ifndef HLOC_COMPILER_EVALUATOR_LAPACK_H
#define HLOC_COMPILER_EVALUATOR_LAPACK_H

#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/linalg/MatrixOps.h"

namespace hloc::evaluator {

/// Adds handlers: to `routines` by name without the letter of the type ("getrf"), to `targets` by
/// the custom call's target.
void addLapackFactorizations(HandlerTable &routines, HandlerTable &targets);
void addLapackSpectra(HandlerTable &routines, HandlerTable &targets);

/// `name = 76 : ui8` or `name = true` in the backend config; `fallback` if it is missing.
int64_t getConfig(Call &call, llvm::StringRef name, int64_t fallback);

/// Zeros for every result, with the elements of a tuple one by one.
Values zeroResults(Call &call);

/// The matrix, vector or number of each operand and result for one item of the batch.
class LapackItem {
public:
  LapackItem(Call &call, Values &results, int64_t number)
      : call(call), results(results), number(number) {}

  template <class T> Matrix<T> matrix(unsigned operand) const {
    return getMatrix<T>(call.array(operand), number);
  }
  template <class T> std::vector<T> vector(unsigned operand) const {
    const Array &array = call.array(operand);
    int64_t size = array.shape.back();
    std::vector<T> values;
    for (int64_t i = 0; i < size; ++i)
      values.push_back(fromScalar<T>(array.get(number * size + i)));
    return values;
  }
  template <class T> void set(unsigned result, const Matrix<T> &matrix) {
    setMatrix(results[result].getArray(), number, matrix);
  }
  template <class T> void set(unsigned result, const std::vector<T> &values) {
    Array &array = results[result].getArray();
    for (auto [i, value] : llvm::enumerate(values)) {
      Scalar scalar = toScalar(value);
      wrap(array.type, &scalar, 1);
      array.set(number * int64_t(values.size()) + int64_t(i), scalar);
    }
  }
  void set(unsigned result, const std::vector<int64_t> &values) {
    for (auto [i, value] : llvm::enumerate(values))
      results[result].getArray().set(number * int64_t(values.size()) + int64_t(i),
                                     Scalar::ofInt(value));
  }
  int64_t getNumber() const { return number; }
  void set(unsigned result, int64_t value) { set(result, std::vector<int64_t>{value}); }

private:
  Call &call;
  Values &results;
  int64_t number;
};

/// The part of an operand or result for each item of the batch: its last dimensions, and whether
/// they have the matrices' element type (N), real numbers of its precision (R), complex ones (C) or
/// s32 (I).
struct LapackPart {
  char kind;
  llvm::SmallVector<int64_t, 2> sizes;
};
using LapackParts = std::initializer_list<LapackPart>;

/// Rows and columns of the first operand's matrices.
mlir::FailureOr<std::pair<int64_t, int64_t>> getMatrixSizes(Call &call);

/// The handler of a routine whose first operand contains matrices of m rows and n columns.
template <mlir::FailureOr<Values> (*routine)(Call &call, int64_t m, int64_t n)>
mlir::FailureOr<Values> ofMatrices(Call &call) {
  auto sizes = getMatrixSizes(call);
  if (failed(sizes))
    return mlir::failure();
  return routine(call, sizes->first, sizes->second);
}

/// Zeros for every result. Dimensions of bounded size have the sizes of the part, after those of
/// the batch.
Values zeroParts(Call &call, LapackParts operandParts, LapackParts resultParts);

/// Fails unless operands and `results` are as described.
mlir::LogicalResult checkParts(Call &call, const Values &results, LapackParts operandParts,
                               LapackParts resultParts);

/// Number of items in an array of such a part.
int64_t countItems(const Array &array, const LapackPart &part);

/// Runs `body(sample, item)` for each item of the batch, where `sample` has the type in which the
/// matrices are computed. `work` is the cost of one.
template <class Body>
mlir::FailureOr<Values> eachItem(Call &call, int64_t work, LapackParts operandParts,
                                 LapackParts resultParts, Body body) {
  Values results = zeroParts(call, operandParts, resultParts);
  if (failed(checkParts(call, results, operandParts, resultParts)))
    return mlir::failure();
  int64_t count = countItems(call.array(0), *operandParts.begin());
  return withMatrixNumber(call.array(0), [&](auto sample) -> mlir::FailureOr<Values> {
    for (int64_t b = 0; b < count; ++b) {
      if (failed(call.interpreter.work(call.op, work)))
        return mlir::failure();
      LapackItem item(call, results, b);
      body(sample, item);
    }
    return results;
  });
}

} // namespace hloc::evaluator

#endif
