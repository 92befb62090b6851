// SPDX-License-Identifier: Apache-2.0
// LAPACK's eigenvalue problems, Schur forms and singular values. Vectors have either sign, and
// eigenvalues of general matrices any order, as in LAPACK.
#include "compiler/evaluator/linalg/Lapack.h"
#include "compiler/evaluator/linalg/Spectral.h"
#include <limits>

using namespace mlir;

namespace hloc::evaluator {

/// LAPACK's code for a matrix that is not finite.
constexpr int64_t kNotFinite = -4;

template <class T> static bool isFinite(const Matrix<T> &a) {
  return llvm::all_of(a.elements, [](const T &x) {
    return std::isfinite(std::complex<double>(x).real()) &&
           std::isfinite(std::complex<double>(x).imag());
  });
}

template <class T> static Matrix<T> fillNaN(int64_t rows, int64_t columns) {
  Matrix<T> matrix(rows, columns);
  llvm::fill(matrix.elements, T(std::numeric_limits<double>::quiet_NaN()));
  return matrix;
}

/// Sets the eigenvalues in LAPACK's form: result `first` and, for real matrices, `first` + 1.
template <class T>
static void setEigenvalues(LapackItem &item, unsigned first, const std::vector<Complex> &values) {
  if constexpr (std::is_same_v<T, Complex>) {
    item.set(first, values);
  } else {
    std::vector<double> real, imaginary;
    for (Complex value : values) {
      real.push_back(value.real());
      imaginary.push_back(value.imag());
    }
    item.set(first, real);
    item.set(first + 1, imaginary);
  }
}

/// Sets eigenvectors as columns, if requested, and eigenvalues in ascending order.
template <class T> static void solveSymmetric(LapackItem &item, bool lower, bool wantsVectors) {
  Matrix<T> a = item.matrix<T>(0);
  for (int64_t i = 0; i < a.rows; ++i) {
    a(i, i) = realPart(a(i, i));
    for (int64_t j = 0; j < i; ++j) // the other triangle from the given one
      (lower ? a(j, i) : a(i, j)) = conjugate(lower ? a(i, j) : a(j, i));
  }
  item.set(1, hermitianEigen(a));
  if (wantsVectors)
    item.set(0, a);
}

/// (a) -> (vectors, values, info); mode, uplo.
static FailureOr<Values> syevd(Call &call, int64_t, int64_t n) {
  bool lower = getConfig(call, "uplo", 'L') == 'L';
  bool wantsVectors = getConfig(call, "mode", 'V') == 'V';
  return eachItem(call, 10 * n * n * n, {{'N', {n, n}}}, {{'N', {n, n}}, {'R', {n}}, {'I', {}}},
                  [&](auto sample, LapackItem &item) {
                    solveSymmetric<decltype(sample)>(item, lower, wantsVectors);
                  });
}

/// Eigh, in the form of XLA's own library of functions: (a) -> (vectors, values). The text of
/// backend_config begins with 1 for the lower triangle, 0 for the upper.
static FailureOr<Values> eigh(Call &call, int64_t, int64_t n) {
  auto config = call.op->getAttrOfType<StringAttr>("hlo.backend_config");
  StringRef text = config ? config.getValue() : StringRef();
  text.consume_front("\"");
  if (!text.starts_with("0") && !text.starts_with("1"))
    return call.fail("expected backend_config to begin with 0 or 1");
  return eachItem(call, 10 * n * n * n, {{'N', {n, n}}}, {{'N', {n, n}}, {'R', {n}}},
                  [&](auto sample, LapackItem &item) {
                    solveSymmetric<decltype(sample)>(item, text[0] == '1', true);
                  });
}

/// (a) -> (values, left vectors, right vectors, info), the values of real matrices as two results;
/// compute_left, compute_right. Results that are not requested are 0.
static FailureOr<Values> geev(Call &call, int64_t, int64_t n) {
  bool wants[] = {getConfig(call, "compute_left", 'V') == 'V',
                  getConfig(call, "compute_right", 'V') == 'V'};
  auto body = [&](auto sample, LapackItem &item) {
    using T = decltype(sample);
    constexpr unsigned vectors = std::is_same_v<T, Complex> ? 1 : 2;
    Matrix<T> a = item.matrix<T>(0), z;
    bool finite = isFinite(a);
    if (!finite || !schur(a, z)) {
      setEigenvalues<T>(item, 0, fillNaN<Complex>(n, 1).elements);
      for (unsigned side : {0, 1})
        item.set(vectors + side, fillNaN<Complex>(n, n));
      item.set(vectors + 2, finite ? 1 : kNotFinite);
      return;
    }
    setEigenvalues<T>(item, 0, eigenvaluesOf(a));
    for (unsigned side : {0, 1})
      if (wants[side])
        item.set(vectors + side, eigenvectorsOf(a, z, /*left=*/side == 0));
  };
  LapackPart matrix{'N', {n, n}}, values{'N', {n}}, vectors{'C', {n, n}}, info{'I', {}};
  int64_t work = 20 * n * n * n;
  if (isComplex(call.array(0).type))
    return eachItem(call, work, {matrix}, {values, vectors, vectors, info}, body);
  return eachItem(call, work, {matrix}, {values, values, vectors, vectors, info}, body);
}

/// (a) -> (Schur form, Schur vectors, values, number selected, info), the values of real matrices
/// as two results; mode, sort (only N).
static FailureOr<Values> gees(Call &call, int64_t, int64_t n) {
  if (getConfig(call, "sort", 'N') != 'N')
    return call.fail("eigenvalues are not sorted");
  bool wantsVectors = getConfig(call, "mode", 'V') == 'V';
  auto body = [&](auto sample, LapackItem &item) {
    using T = decltype(sample);
    constexpr unsigned selected = std::is_same_v<T, Complex> ? 3 : 4;
    Matrix<T> a = item.matrix<T>(0), z;
    bool finite = isFinite(a);
    if (!finite || !schur(a, z)) {
      setEigenvalues<T>(item, 2, fillNaN<Complex>(n, 1).elements);
      item.set(0, fillNaN<T>(n, n));
      item.set(1, fillNaN<T>(n, n));
      item.set(selected + 1, finite ? 1 : kNotFinite);
      return;
    }
    item.set(0, a);
    if (wantsVectors)
      item.set(1, z);
    setEigenvalues<T>(item, 2, eigenvaluesOf(a));
  };
  LapackPart matrix{'N', {n, n}}, values{'N', {n}}, number{'I', {}};
  int64_t work = 20 * n * n * n;
  if (isComplex(call.array(0).type))
    return eachItem(call, work, {matrix}, {matrix, matrix, values, number, number}, body);
  return eachItem(call, work, {matrix}, {matrix, matrix, values, values, number, number}, body);
}

/// (a) -> (Hessenberg form and reflectors, tau, info); low, high, counted from 1.
static FailureOr<Values> gehrd(Call &call, int64_t, int64_t n) {
  int64_t less = std::max<int64_t>(n - 1, 0);
  int64_t low = getConfig(call, "low", 1) - 1, high = getConfig(call, "high", n) - 1;
  if (n > 0 && (low < 0 || high >= n || low > high))
    return call.fail("expected low and high to be rows");
  return eachItem(call, n * n * n, {{'N', {n, n}}}, {{'N', {n, n}}, {'N', {less}}, {'I', {}}},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    Matrix<T> a = item.matrix<T>(0);
                    item.set(1, reduceToHessenberg(a, low, high));
                    item.set(0, a);
                  });
}

/// Rows and columns in the opposite order.
template <class T> static Matrix<T> turn(const Matrix<T> &a) {
  Matrix<T> turned = a;
  std::reverse(turned.elements.begin(), turned.elements.end());
  return turned;
}

/// (a) -> (reflectors, diagonal, off-diagonal, tau, info); uplo.
static FailureOr<Values> sytrd(Call &call, int64_t, int64_t n) {
  int64_t less = std::max<int64_t>(n - 1, 0);
  bool lower = getConfig(call, "uplo", 'L') == 'L';
  return eachItem(call, n * n * n, {{'N', {n, n}}},
                  {{'N', {n, n}}, {'R', {n}}, {'R', {less}}, {'N', {less}}, {'I', {}}},
                  [&](auto sample, LapackItem &item) {
                    using T = decltype(sample);
                    // The upper triangle is the lower one with rows and columns reversed.
                    Matrix<T> a = item.matrix<T>(0);
                    if (!lower)
                      a = turn(a);
                    std::vector<T> tau = reduceToTridiagonal(a);
                    std::vector<double> diagonal(n), off(less);
                    for (int64_t i = 0; i < n; ++i)
                      diagonal[i] = realPart(a(i, i));
                    for (int64_t i = 0; i < less; ++i)
                      off[i] = realPart(a(i + 1, i));
                    if (!lower) {
                      a = turn(a);
                      std::reverse(tau.begin(), tau.end());
                      std::reverse(diagonal.begin(), diagonal.end());
                      std::reverse(off.begin(), off.end());
                    }
                    item.set(0, a);
                    item.set(1, diagonal);
                    item.set(2, off);
                    item.set(3, tau);
                  });
}

/// (a) -> (a overwritten, values, u, v adjoint, info); mode A (square u and v), S (min(m, n)
/// vectors) or N (values only; u and v are 0). LAPACK leaves no useful value in `a`: it is kept.
static FailureOr<Values> gesdd(Call &call, int64_t m, int64_t n) {
  int64_t less = std::min(m, n);
  char mode = char(getConfig(call, "mode", 'A'));
  LapackPart left{'N', {m, mode == 'A' ? m : less}}, right{'N', {mode == 'A' ? n : less, n}};
  if (mode == 'N') { // of any size
    Values made = zeroResults(call);
    for (auto [part, i] : {std::pair(&left, 2), {&right, 3}})
      if (made.size() == 5 && made[i].isArray() && made[i].getArray().shape.size() >= 2)
        part->sizes.assign(made[i].getArray().shape.end() - 2, made[i].getArray().shape.end());
  }
  auto body = [&](auto sample, LapackItem &item) {
    using T = decltype(sample);
    Matrix<T> a = item.matrix<T>(0);
    item.set(0, a);
    if (!isFinite(a)) {
      item.set(1, std::vector<double>(less, std::numeric_limits<double>::quiet_NaN()));
      item.set(4, kNotFinite);
      return;
    }
    SingularValues<T> parts = singularValues(a);
    item.set(1, parts.values);
    if (mode == 'N')
      return;
    Matrix<T> u(m, left.sizes[1]), vt(right.sizes[0], n);
    for (int64_t i = 0; i < u.rows; ++i)
      for (int64_t j = 0; j < u.columns; ++j)
        u(i, j) = parts.u(i, j);
    for (int64_t i = 0; i < vt.rows; ++i)
      for (int64_t j = 0; j < vt.columns; ++j)
        vt(i, j) = conjugate(parts.v(j, i));
    item.set(2, u);
    item.set(3, vt);
  };
  return eachItem(call, 10 * (m + n) * (m + n) * less, {{'N', {m, n}}},
                  {{'N', {m, n}}, {'R', {less}}, left, right, {'I', {}}}, body);
}

void addLapackSpectra(HandlerTable &routines, HandlerTable &targets) {
  routines["syevd"] = routines["heevd"] = ofMatrices<syevd>;
  routines["geev"] = ofMatrices<geev>;
  routines["gees"] = ofMatrices<gees>;
  routines["gehrd"] = ofMatrices<gehrd>;
  routines["sytrd"] = routines["hetrd"] = ofMatrices<sytrd>;
  routines["gesdd"] = routines["gesvd"] = ofMatrices<gesdd>;
  targets["Eigh"] = ofMatrices<eigh>;
}

} // namespace hloc::evaluator
