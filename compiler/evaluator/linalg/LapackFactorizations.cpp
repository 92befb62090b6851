// SPDX-License-Identifier: Apache-2.0
// LAPACK's factorizations and solvers.
#include "compiler/evaluator/linalg/Lapack.h"
#include "compiler/evaluator/linalg/Reflections.h"
#include "compiler/evaluator/linalg/Tridiagonal.h"
#include <limits>

using namespace mlir;

namespace hloc::evaluator {

/// (a) -> (factor, info); uplo.
static FailureOr<Values> potrf(Call &call, int64_t, int64_t n) {
  bool lower = getConfig(call, "uplo", 'L') == 'L';
  return eachItem(call, n * n * n, {{'N', {n, n}}}, {{'N', {n, n}}, {'I', {}}},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> a = item.matrix<T>(0);
                    if (!lower)
                      a = a.adjoint();
                    item.set(1, cholesky(a));
                    item.set(0, lower ? a : a.adjoint());
                  });
}

/// (a) -> (factors, pivots, info).
static FailureOr<Values> getrf(Call &call, int64_t m, int64_t n) {
  return eachItem(call, m * n * std::min(m, n), {{'N', {m, n}}},
                  {{'N', {m, n}}, {'I', {std::min(m, n)}}, {'I', {}}},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> a = item.matrix<T>(0);
                    std::vector<int64_t> pivots;
                    item.set(2, luFactor(a, pivots));
                    item.set(0, a);
                    item.set(1, pivots);
                  });
}

/// (a) -> (r and reflectors, tau).
static FailureOr<Values> geqrf(Call &call, int64_t m, int64_t n) {
  return eachItem(call, m * n * std::min(m, n), {{'N', {m, n}}},
                  {{'N', {m, n}}, {'N', {std::min(m, n)}}}, [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> a = item.matrix<T>(0);
                    item.set(1, qrFactor(a));
                    item.set(0, a);
                  });
}

/// (a, pivots) -> (r and reflectors, pivots, tau): the longest of the remaining columns comes
/// first; those with a pivot other than 0 before all others.
static FailureOr<Values> geqp3(Call &call, int64_t m, int64_t n) {
  return eachItem(call, m * n * std::min(m, n), {{'N', {m, n}}, {'I', {n}}},
                  {{'N', {m, n}}, {'I', {n}}, {'N', {std::min(m, n)}}},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> a = item.matrix<T>(0);
                    std::vector<int64_t> order(n);
                    for (int64_t j = 0; j < n; ++j)
                      order[j] = j;
                    auto exchange = [&](int64_t j, int64_t k) {
                      std::swap(order[j], order[k]);
                      for (int64_t i = 0; i < m; ++i)
                        std::swap(a(i, j), a(i, k));
                    };
                    int64_t fixed = 0;
                    const Array &pivots = call.array(1);
                    int64_t number = item.getNumber();
                    for (int64_t j = 0; j < n; ++j)
                      if (pivots.get(number * n + j).i != 0)
                        exchange(j, fixed++);
                    std::vector<T> tau;
                    for (int64_t j = 0; j < std::min(m, n); ++j) {
                      int64_t longest = j;
                      double most = -1;
                      for (int64_t k = j; k < n && j >= fixed; ++k) {
                        double length = 0;
                        for (int64_t i = j; i < m; ++i)
                          length += std::norm(std::complex<double>(a(i, k)));
                        if (length > most) {
                          most = length;
                          longest = k;
                        }
                      }
                      exchange(j, longest);
                      tau.push_back(qrStep(a, j));
                    }
                    for (int64_t &column : order)
                      ++column;
                    item.set(0, a);
                    item.set(1, order);
                    item.set(2, tau);
                  });
}

/// (reflectors, tau) -> (the first columns of their product).
static FailureOr<Values> orgqr(Call &call, int64_t m, int64_t n) {
  if (call.operands.size() != 2 || !call.operands[1].isArray() || call.array(1).shape.empty() ||
      call.array(1).shape.back() > std::min(m, n))
    return call.fail("expected at most as many factors as columns");
  int64_t k = call.array(1).shape.back();
  return eachItem(call, m * n * k, {{'N', {m, n}}, {'N', {k}}}, {{'N', {m, n}}},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> a = item.matrix<T>(0), q(a.rows, a.columns);
                    for (int64_t i = 0; i < std::min(a.rows, a.columns); ++i)
                      q(i, i) = 1;
                    applyReflectors(a, item.vector<T>(1), false, q);
                    item.set(0, q);
                  });
}

/// (reflectors, tau, c) -> (q c, or c q unless left, with q's adjoint if transpose).
static FailureOr<Values> ormqr(Call &call, int64_t order, int64_t columns) {
  bool left = getConfig(call, "left", true), adjoint = getConfig(call, "transpose", false);
  auto isDeep = [&](unsigned i, size_t rank) {
    return i < call.operands.size() && call.operands[i].isArray() &&
           call.array(i).shape.size() >= rank;
  };
  if (!isDeep(1, 1) || !isDeep(2, 2))
    return call.fail("expected reflectors, factors and matrices");
  ArrayRef<int64_t> other = call.array(2).shape;
  int64_t k = call.array(1).shape.back(), m = other[other.size() - 2], n = other.back();
  if ((left ? m : n) != order || k > std::min(order, columns))
    return call.fail("expected reflectors as long as the matrices are " +
                     Twine(left ? "high" : "wide"));
  return eachItem(call, m * n * k, {{'N', {order, columns}}, {'N', {k}}, {'N', {m, n}}},
                  {{'N', {m, n}}}, [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> c = item.matrix<T>(2);
                    if (!left) // C Q = (Q^H C^H)^H
                      c = c.adjoint();
                    applyReflectors(item.matrix<T>(0), item.vector<T>(1), adjoint == left, c);
                    item.set(0, left ? c : c.adjoint());
                  });
}

/// (a, b) or (a, b, alpha) -> (x); side, uplo, trans_x, diag.
static FailureOr<Values> trsm(Call &call, int64_t order, int64_t) {
  bool left = getConfig(call, "side", 'L') == 'L', lower = getConfig(call, "uplo", 'L') == 'L';
  bool unit = getConfig(call, "diag", 'N') == 'U';
  char transpose = char(getConfig(call, "trans_x", 'N'));
  if (call.operands.size() < 2 || !call.operands[1].isArray() || call.array(1).shape.size() < 2)
    return call.fail("expected right-hand sides");
  ArrayRef<int64_t> other = call.array(1).shape;
  int64_t m = other[other.size() - 2], n = other.back();
  if ((left ? m : n) != order)
    return call.fail("expected triangles of the right-hand sides' size");
  bool scaled = call.operands.size() == 3;
  if (scaled && (!call.operands[2].isArray() || call.array(2).getCount() != 1))
    return call.fail("expected one factor");
  Value factor = scaled ? call.operands[2] : Value();
  MutableArrayRef<Value> all = call.operands;
  call.operands = all.take_front(2);
  return eachItem(call, m * n * order, {{'N', {order, order}}, {'N', {m, n}}}, {{'N', {m, n}}},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> b = item.matrix<T>(1);
                    for (T &element : b.elements)
                      element *= scaled ? fromScalar<T>(factor.getArray().get(0)) : T(1);
                    item.set(0,
                             solveTriangular(item.matrix<T>(0), b, left, lower, unit, transpose));
                  });
}

/// Rows and columns of operand 3, right-hand sides after three diagonals.
static FailureOr<std::pair<int64_t, int64_t>> getRightSides(Call &call) {
  if (call.operands.size() != 4 || !call.operands[3].isArray() || call.array(3).shape.size() < 2)
    return call.fail("expected three diagonals and right-hand sides");
  ArrayRef<int64_t> shape = call.array(3).shape;
  return std::pair(shape[shape.size() - 2], shape.back());
}

template <class T> static NumberLimits getLimits() {
  return {std::numeric_limits<T>::epsilon() / 2, std::numeric_limits<T>::min()};
}

/// (lower, diagonal, upper, b) -> (the three overwritten, x, info): Gaussian elimination with
/// exchanges of adjacent rows. Element 0 of `lower` and the last of `upper` are ignored.
static FailureOr<Values> gtsv(Call &call) {
  auto sizes = getRightSides(call);
  if (failed(sizes))
    return failure();
  auto [n, columns] = *sizes;
  LapackPart line{'N', {n}}, sides{'N', {n, columns}};
  return eachItem(call, n * (columns + 1), {line, line, line, sides},
                  {line, line, line, sides, {'I', {}}}, [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    auto lower = item.vector<T>(0), diagonal = item.vector<T>(1),
                         upper = item.vector<T>(2);
                    Matrix<T> b = item.matrix<T>(3);
                    int64_t info = solveTridiagonal(lower, diagonal, upper, b);
                    item.set(0, lower);
                    item.set(1, diagonal);
                    item.set(2, upper);
                    item.set(3, b);
                    item.set(4, info);
                  });
}

/// (lower, diagonal, upper, b) -> (x), of a matrix that may be singular.
static FailureOr<Values> solvePerturbedCall(Call &call) {
  auto sizes = getRightSides(call);
  if (failed(sizes))
    return failure();
  auto [n, columns] = *sizes;
  LapackPart line{'N', {n}}, sides{'N', {n, columns}};
  ElementType type = call.array(0).type;
  bool isDouble = type == ElementType::F64 || type == ElementType::C128;
  NumberLimits limits = isDouble ? getLimits<double>() : getLimits<float>();
  return eachItem(call, n * (columns + 1), {line, line, line, sides}, {sides},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> b = item.matrix<T>(3);
                    solvePerturbed(item.vector<T>(0), item.vector<T>(1), item.vector<T>(2), b,
                                   limits);
                    item.set(0, b);
                  });
}

void addLapackFactorizations(HandlerTable &routines, HandlerTable &targets) {
  routines["potrf"] = ofMatrices<potrf>;
  routines["getrf"] = ofMatrices<getrf>;
  targets["Qr"] = routines["geqrf"] = ofMatrices<geqrf>;
  routines["geqp3"] = ofMatrices<geqp3>;
  targets["ProductOfElementaryHouseholderReflectors"] = routines["orgqr"] = routines["ungqr"] =
      ofMatrices<orgqr>;
  routines["ormqr"] = routines["unmqr"] = ofMatrices<ormqr>;
  routines["trsm"] = ofMatrices<trsm>;
  routines["gtsv"] = gtsv;
  targets["tridiagonal_solve_perturbed_ffi"] = solvePerturbedCall;
}

} // namespace hloc::evaluator
