// SPDX-License-Identifier: Apache-2.0
// Schur forms by the QR iteration, and eigenvalues and eigenvectors from them.
#include "compiler/evaluator/linalg/Reflections.h"
#include "compiler/evaluator/linalg/Spectral.h"
#include <limits>

namespace hloc::evaluator {

static constexpr int kMaxSteps = 300;

/// The rotation's columns (c, s) and (-conj(s), c), c real, that map (x, y) to (r, 0) by its
/// adjoint.
template <class T> struct Rotation {
  double c = 1;
  T s = 0;

  static Rotation of(T x, T y) {
    double size = std::sqrt(std::norm(Complex(x)) + std::norm(Complex(y)));
    if (size == 0 || y == T(0))
      return {};
    double ax = std::abs(x);
    if (ax == 0)
      return {0, y / size};
    return {ax / size, y * (conjugate(x) / ax) / size};
  }
  /// G^H M on rows k and k + 1, columns from `begin`.
  void applyLeft(Matrix<T> &m, int64_t k, int64_t begin) const {
    for (int64_t j = begin; j < m.columns; ++j) {
      T x = m(k, j), y = m(k + 1, j);
      m(k, j) = c * x + conjugate(s) * y;
      m(k + 1, j) = c * y - s * x;
    }
  }
  /// M G on columns k and k + 1, rows before `end`.
  void applyRight(Matrix<T> &m, int64_t k, int64_t end) const {
    for (int64_t i = 0; i < end; ++i) {
      T x = m(i, k), y = m(i, k + 1);
      m(i, k) = c * x + s * y;
      m(i, k + 1) = c * y - conjugate(s) * x;
    }
  }
  /// A similarity transformation of the whole matrix, accumulated in `z`.
  void apply(Matrix<T> &m, Matrix<T> &z, int64_t k) const {
    applyLeft(m, k, 0);
    applyRight(m, k, m.rows);
    applyRight(z, k, z.rows);
  }
};

/// The first row of the unreduced part of `h` that ends in row `last`; negligible subdiagonal
/// elements are set to zero.
template <class T> static int64_t findActive(Matrix<T> &h, int64_t last, double norm) {
  for (int64_t l = last; l > 0; --l) {
    double near = std::abs(h(l - 1, l - 1)) + std::abs(h(l, l));
    if (std::abs(h(l, l - 1)) <= kEpsilon * (near > 0 ? near : norm)) {
      h(l, l - 1) = 0;
      return l;
    }
  }
  return 0;
}

template <class T> static double frobenius(const Matrix<T> &a) {
  double sum = 0;
  for (const T &element : a.elements)
    sum += std::norm(Complex(element));
  return std::sqrt(sum);
}

/// Reduces to Hessenberg form first, and clears the reflectors.
template <class T> static Matrix<T> startSchur(Matrix<T> &a) {
  std::vector<T> tau = reduceToHessenberg(a, 0, a.rows - 1);
  Matrix<T> z = makeQ(a, tau, 1);
  for (int64_t i = 2; i < a.rows; ++i)
    for (int64_t j = 0; j + 1 < i; ++j)
      a(i, j) = 0;
  return z;
}

bool schur(Matrix<Complex> &h, Matrix<Complex> &z) {
  z = startSchur(h);
  double norm = frobenius(h);
  int steps = 0;
  for (int64_t last = h.rows - 1; last > 0;) {
    int64_t first = findActive(h, last, norm);
    if (first == last) {
      --last;
      steps = 0;
      continue;
    }
    if (++steps > kMaxSteps)
      return false;
    // Wilkinson's shift: the eigenvalue of the last two rows that is closer to the last element.
    Complex a = h(last - 1, last - 1), b = h(last - 1, last), c = h(last, last - 1),
            d = h(last, last);
    Complex half = (a - d) / 2.0, root = std::sqrt(half * half + b * c);
    if (std::real(std::conj(half) * root) < 0)
      root = -root;
    Complex below = half + root;
    Complex shift = below == 0.0 ? d : d - b * c / below;
    if (steps % 10 == 0)
      shift = d + std::abs(c);
    for (int64_t k = first; k < last; ++k) {
      auto rotation = k == first ? Rotation<Complex>::of(h(k, k) - shift, h(k + 1, k))
                                 : Rotation<Complex>::of(h(k, k - 1), h(k + 1, k - 1));
      rotation.apply(h, z, k);
      if (k > first)
        h(k + 1, k - 1) = 0;
    }
  }
  return true;
}

/// Makes rows k and k + 1 triangular if their eigenvalues are real, else their diagonal equal.
static void standardize(Matrix<double> &h, Matrix<double> &z, int64_t k) {
  double a = h(k, k), b = h(k, k + 1), c = h(k + 1, k), d = h(k + 1, k + 1);
  if (c == 0)
    return;
  double half = (a - d) / 2, discriminant = half * half + b * c;
  Rotation<double> rotation;
  if (discriminant >= 0) {
    double root = half + std::copysign(std::sqrt(discriminant), half);
    rotation = Rotation<double>::of(root, c);
    if (root < 0) // the rotation's first column is an eigenvector of either sign
      rotation = {-rotation.c, -rotation.s};
    rotation.apply(h, z, k);
    h(k + 1, k) = 0;
  } else if (half != 0) {
    double sum = b + c, size = std::hypot(sum, a - d);
    double cosine = std::sqrt((1 + std::fabs(sum) / size) / 2);
    rotation.c = cosine;
    rotation.s = -half / (size * cosine) * std::copysign(1.0, sum);
    rotation.apply(h, z, k);
    h(k, k) = h(k + 1, k + 1) = (h(k, k) + h(k + 1, k + 1)) / 2;
  }
}

/// One step of Francis' double shift on rows `first` to `last`, at least three.
static void francisStep(Matrix<double> &h, Matrix<double> &z, int64_t first, int64_t last,
                        bool exceptional) {
  double sum = h(last - 1, last - 1) + h(last, last);
  double product = h(last - 1, last - 1) * h(last, last) - h(last - 1, last) * h(last, last - 1);
  if (exceptional) {
    double size = std::fabs(h(last, last - 1)) + std::fabs(h(last - 1, last - 2));
    sum = 1.5 * size;
    product = size * size;
  }
  Matrix<double> column(3, 1);
  column(0, 0) = h(first, first) * (h(first, first) - sum) +
                 h(first, first + 1) * h(first + 1, first) + product;
  column(1, 0) = h(first + 1, first) * (h(first, first) + h(first + 1, first + 1) - sum);
  column(2, 0) = h(first + 1, first) * h(first + 2, first + 1);
  for (int64_t k = first; k < last; ++k) {
    int64_t rows = std::min<int64_t>(3, last - k + 1);
    if (k > first)
      for (int64_t i = 0; i < rows; ++i)
        column(i, 0) = h(k + i, k - 1);
    double factor = reflect(column, 0, 0, rows);
    std::vector<double> v = getReflector(column, 0, 0, rows);
    applyLeft(h, v, factor, k, 0);
    applyRight(h, v, factor, k, h.rows);
    applyRight(z, v, factor, k, z.rows);
    if (k > first)
      for (int64_t i = 1; i < rows; ++i)
        h(k + i, k - 1) = 0;
  }
}

bool schur(Matrix<double> &h, Matrix<double> &z) {
  z = startSchur(h);
  double norm = frobenius(h);
  int steps = 0;
  for (int64_t last = h.rows - 1; last > 0;) {
    int64_t first = findActive(h, last, norm);
    if (last - first < 2) {
      if (last - first == 1)
        standardize(h, z, first);
      last = first - 1;
      steps = 0;
      continue;
    }
    if (++steps > kMaxSteps)
      return false;
    francisStep(h, z, first, last, steps % 10 == 0);
  }
  return true;
}

//===- Eigenvalues and eigenvectors --------------------------------------------===//

std::vector<Complex> eigenvaluesOf(const Matrix<Complex> &t) {
  std::vector<Complex> values;
  for (int64_t i = 0; i < t.rows; ++i)
    values.push_back(t(i, i));
  return values;
}

std::vector<Complex> eigenvaluesOf(const Matrix<double> &t) {
  std::vector<Complex> values;
  for (int64_t i = 0; i < t.rows; ++i) {
    if (i + 1 == t.rows || t(i + 1, i) == 0) {
      values.push_back(t(i, i));
      continue;
    }
    double imaginary = std::sqrt(std::fabs(t(i, i + 1))) * std::sqrt(std::fabs(t(i + 1, i)));
    values.push_back({t(i, i), imaginary});
    values.push_back({t(i, i), -imaginary});
    ++i;
  }
  return values;
}

Matrix<Complex> eigenvectorsOf(const Matrix<Complex> &t, const Matrix<Complex> &z, bool left) {
  int64_t n = t.rows;
  Matrix<Complex> vectors(n, n);
  double least = std::max(kEpsilon * frobenius(t), std::numeric_limits<double>::min());
  for (int64_t k = 0; k < n; ++k) {
    std::vector<Complex> x(n);
    x[k] = 1;
    // Substitution backward in T - t_kk, or forward in its adjoint.
    for (int64_t step = 1; left ? k + step < n : step <= k; ++step) {
      int64_t j = left ? k + step : k - step;
      Complex sum = 0;
      for (int64_t i = std::min(j, k); i <= std::max(j, k); ++i)
        if (i != j)
          sum += (left ? std::conj(t(i, j)) : t(j, i)) * x[i];
      Complex difference = t(j, j) - t(k, k);
      if (std::abs(difference) < least)
        difference = least;
      x[j] = -sum / (left ? std::conj(difference) : difference);
    }
    std::vector<Complex> v(n);
    double sum = 0;
    int64_t largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j)
        v[i] += z(i, j) * x[j];
      sum += std::norm(v[i]);
      if (std::norm(v[i]) > std::norm(v[largest]))
        largest = i;
    }
    Complex scale = std::conj(v[largest]) / (std::abs(v[largest]) * std::sqrt(sum));
    for (int64_t i = 0; i < n; ++i)
      vectors(i, k) = v[i] * scale;
    vectors(largest, k) = vectors(largest, k).real();
  }
  return vectors;
}

Matrix<Complex> eigenvectorsOf(const Matrix<double> &t, const Matrix<double> &z, bool left) {
  int64_t n = t.rows;
  auto widen = [&](const Matrix<double> &from) {
    Matrix<Complex> to(n, n);
    std::copy(from.elements.begin(), from.elements.end(), to.elements.begin());
    return to;
  };
  Matrix<Complex> triangle = widen(t), basis = widen(z);
  std::vector<Complex> values = eigenvaluesOf(t);
  for (int64_t k = 0; k + 1 < n; ++k)
    if (t(k + 1, k) != 0) { // (t_k,k+1, w - t_kk) is an eigenvector of the block
      Rotation<Complex>::of(t(k, k + 1), values[k] - t(k, k)).apply(triangle, basis, k);
      triangle(k + 1, k) = 0;
      ++k;
    }
  Matrix<Complex> vectors = eigenvectorsOf(triangle, basis, left);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i)
      if (values[k].imag() == 0)
        vectors(i, k) = vectors(i, k).real();
      else if (values[k].imag() < 0)
        vectors(i, k) = std::conj(vectors(i, k - 1));
  return vectors;
}

} // namespace hloc::evaluator
