// SPDX-License-Identifier: Apache-2.0
// The custom call that solves tridiagonal systems whose matrix may be singular, as needed by
// inverse iteration for eigenvectors. LAPACK's lagtf and lagts do so for real numbers only; this is
// their algorithm for all four types. Test: test/runtime/LapackFactorizationsTest.cpp.

#include "lapack/Batch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hloc::runtime {

/// The diagonals of one matrix of n rows. `lower` begins in the second row; those above the main
/// diagonal are padded with zeros at their ends. `second`, above `upper`, gets elements where rows
/// are exchanged.
template <typename T> struct Diagonals {
  std::vector<T> lower, diagonal, upper, second;
};

/// Gaussian elimination with exchanges of adjacent rows, in the diagonals and in the `columns`
/// right-hand sides, each of n numbers. Rows are compared by their pivots relative to their sizes.
template <typename T>
static void eliminate(Diagonals<T> &rows, int64_t n, T *sides, int64_t columns) {
  auto &[lower, diagonal, upper, second] = rows;
  Real<T> scale = n > 0 ? std::abs(diagonal[0]) + std::abs(upper[0]) : 0;
  for (int64_t k = 0; k + 1 < n; ++k) {
    T &below = lower[k + 1];
    Real<T> nextScale = std::abs(below) + std::abs(diagonal[k + 1]) + std::abs(upper[k + 1]);
    Real<T> own = diagonal[k] == T(0) ? 0 : std::abs(diagonal[k]) / scale;
    if (below == T(0)) {
      scale = nextScale;
      continue;
    }
    if (std::abs(below) / nextScale > own) {
      std::swap(diagonal[k], below);
      std::swap(upper[k], diagonal[k + 1]);
      std::swap(second[k], upper[k + 1]);
      for (int64_t j = 0; j < columns; ++j)
        std::swap(sides[j * n + k], sides[j * n + k + 1]);
    } else {
      scale = nextScale;
    }
    T multiple = below / diagonal[k];
    diagonal[k + 1] -= multiple * upper[k];
    upper[k + 1] -= multiple * second[k];
    for (int64_t j = 0; j < columns; ++j)
      sides[j * n + k + 1] -= multiple * sides[j * n + k];
  }
}

/// The first perturbation of pivots that are too small to divide by: the rounding error of the
/// largest element.
template <typename T> static Real<T> findStep(const Diagonals<T> &rows) {
  constexpr Real<T> unit = std::numeric_limits<Real<T>>::epsilon() / 2;
  Real<T> largest = 0;
  for (const std::vector<T> *line : {&rows.diagonal, &rows.upper, &rows.second})
    for (T element : *line)
      largest = std::max(largest, std::abs(element));
  return largest > 0 ? largest * unit : unit;
}

/// Solves for one right-hand side after the elimination. A pivot by which the division would
/// overflow is moved away from zero, twice as far each time.
template <typename T>
static void substitute(const Diagonals<T> &rows, int64_t n, Real<T> step, T *x) {
  constexpr Real<T> smallest = std::numeric_limits<Real<T>>::min();
  for (int64_t k = n - 1; k >= 0; --k) {
    T sum = x[k], pivot = rows.diagonal[k];
    if (k + 1 < n)
      sum -= rows.upper[k] * x[k + 1];
    if (k + 2 < n)
      sum -= rows.second[k] * x[k + 2];
    T move = pivot == T(0) ? T(step) : pivot / std::abs(pivot) * step;
    while (std::abs(pivot) < 1 && (pivot == T(0) || std::abs(sum) * smallest > std::abs(pivot))) {
      pivot += move;
      move *= Real<T>(2);
    }
    x[k] = sum / pivot;
  }
}

/// (lower, diagonal, upper, b) -> (x).
template <typename T> static void solvePerturbed(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 4, 1);
  Batch<T> lowers(frame, frame.operands[0], 1), diagonals(frame, frame.operands[1], 1),
      uppers(frame, frame.operands[2], 1), in(frame, frame.operands[3], 2),
      out(frame, frame.results[0], 2);
  bool fits = out.rows == in.rows && out.cols == in.cols && out.count == in.count;
  for (const Batch<T> *batch : {&lowers, &diagonals, &uppers})
    fits &= batch->rows == in.rows && batch->count == in.count;
  expectShape(frame, fits,
              "three diagonals as long as the right-hand sides, and a result like those");
  int64_t n = in.rows;
  forItems(frame, in.count, int64_t(std::cbrt(double(n) * double(in.cols + 1))), [&](int64_t i) {
    Item<T> x(out, i);
    x.load(in, i);
    auto copyOf = [&](const Batch<T> &batch, int64_t begin, int64_t end) {
      std::vector<T> values((size_t(n)));
      for (int64_t k = begin; k < end; ++k)
        values[size_t(k)] = batch.at(i)[k * batch.rowStride];
      return values;
    };
    Diagonals<T> rows = {copyOf(lowers, 1, n), copyOf(diagonals, 0, n), copyOf(uppers, 0, n - 1),
                         std::vector<T>(size_t(n))};
    eliminate(rows, n, x.data(), in.cols);
    Real<T> step = findStep(rows);
    for (int64_t column = 0; column < in.cols; ++column)
      substitute(rows, n, step, x.data() + column * n);
    x.store();
  });
}

BuiltinCall findPerturbedSolve(std::string_view routine, char prefix) {
  return routine == "perturbed" ? HLORT_LAPACK_INSTANCE(solvePerturbed, prefix) : nullptr;
}

} // namespace hloc::runtime
