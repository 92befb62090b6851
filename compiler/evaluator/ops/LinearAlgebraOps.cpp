// SPDX-License-Identifier: Apache-2.0
// cholesky and triangular_solve.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/linalg/MatrixOps.h"
#include <limits>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

/// A factor with zeros in the other triangle; a matrix that is not positive definite gives NaN.
static FailureOr<Values> choleskyOp(Call &call) {
  auto op = cast<CholeskyOp>(call.op);
  const Array &operand = call.array(0);
  size_t rank = operand.shape.size();
  if (rank < 2 || operand.shape[rank - 1] != operand.shape[rank - 2])
    return call.fail("expected square matrices");
  return withMatrixNumber(operand, [&](auto sample) -> FailureOr<Values> {
    using T = decltype(sample);
    Array result(operand.type, operand.shape);
    if (result.getCount() == 0) // for any number of matrices
      return Values{result};
    for (int64_t b = 0; b < countMatrices(operand); ++b) {
      if (failed(call.interpreter.work(op, operand.shape[rank - 1] * operand.getCount())))
        return failure();
      Matrix<T> a = getMatrix<T>(operand, b);
      if (!op.getLower())
        a = a.adjoint();
      bool definite = cholesky(a) == 0;
      for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.columns; ++j)
          if (!definite)
            a(i, j) = T(std::numeric_limits<double>::quiet_NaN());
          else if (j > i)
            a(i, j) = 0;
      setMatrix(result, b, op.getLower() ? a : a.adjoint());
    }
    return Values{result};
  });
}

static FailureOr<Values> triangularSolve(Call &call) {
  auto op = cast<TriangularSolveOp>(call.op);
  const Array &a = call.array(0), &b = call.array(1);
  size_t rank = a.shape.size();
  if (rank < 2 || b.shape.size() != rank || a.shape[rank - 1] != a.shape[rank - 2] ||
      a.shape[rank - 1] != b.shape[op.getLeftSide() ? rank - 2 : rank - 1])
    return call.fail("the sizes of the matrices do not match");
  const char transpose = op.getTransposeA() == Transpose::NoTranspose  ? 'N'
                         : op.getTransposeA() == Transpose::Transposed ? 'T'
                                                                       : 'C';
  return withMatrixNumber(a, [&](auto sample) -> FailureOr<Values> {
    using T = decltype(sample);
    Array result(b.type, b.shape);
    if (result.getCount() == 0) // for any number of matrices
      return Values{result};
    for (int64_t i = 0; i < countMatrices(b); ++i) {
      if (failed(call.interpreter.work(op, a.shape.back() * b.getCount())))
        return failure();
      setMatrix(result, i,
                solveTriangular(getMatrix<T>(a, i), getMatrix<T>(b, i), op.getLeftSide(),
                                op.getLower(), op.getUnitDiagonal(), transpose));
    }
    return Values{result};
  });
}

void addLinearAlgebraOps(HandlerTable &table) {
  table["hlo.cholesky"] = choleskyOp;
  table["hlo.triangular_solve"] = triangularSolve;
}

} // namespace hloc::evaluator
