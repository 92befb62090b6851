// SPDX-License-Identifier: Apache-2.0
// Custom calls for LAPACK's eigenvalue problems and the reductions before them. Operands, results
// and attributes are those that JAX writes; each function lists them.

#include "lapack/Batch.h"

#include <cmath>
#include <limits>

namespace hloc::runtime {

/// LAPACK's code for an invalid fourth argument, returned for matrices that are not finite, on
/// which its iterations might never end.
static constexpr int32_t notFinite = -4;

template <typename T> static bool isFinite(const T *values, int64_t count) {
  return std::all_of(values, values + count, [](const T &value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}

template <typename T> static constexpr T notANumber() {
  return T(std::numeric_limits<Real<T>>::quiet_NaN());
}

/// Eigenvalues in ascending order, and unless `mode` is N vectors, of symmetric matrices; `code(i)`
/// is the address of the return code of item i.
template <typename T, typename Code>
static void solveSymmetric(const hlort_custom_call_frame &frame, const Batch<T> &in,
                           const Batch<T> &out, const Batch<Real<T>> &values, char mode, char uplo,
                           Code code) {
  Routine<T> routine(frame, isComplex<T> ? "heevd" : "syevd");
  int n = asInt(in.rows), lda = leading(n);
  auto call = [&](T *a, Real<T> *w, T *work, int lwork, Real<T> *realWork, int lrealWork,
                  int *intWork, int lintWork, int32_t *info) {
    if constexpr (isComplex<T>)
      routine((const char *)&mode, (const char *)&uplo, &n, a, &lda, w, work, &lwork, realWork,
              &lrealWork, intWork, &lintWork, info);
    else
      routine((const char *)&mode, (const char *)&uplo, &n, a, &lda, w, work, &lwork, intWork,
              &lintWork, info);
  };
  T answer = {};
  Real<T> realAnswer = 0;
  int intAnswer = 0, ignored = 0;
  call(nullptr, nullptr, &answer, -1, &realAnswer, -1, &intAnswer, -1, &ignored);
  int lwork = workSize(answer), lrealWork = workSize(realAnswer), lintWork = std::max(1, intAnswer);
  forItems(frame, in.count, n, [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    std::vector<Real<T>> realWork(isComplex<T> ? size_t(lrealWork) : 0);
    std::vector<int> intWork((size_t(lintWork)));
    Item<T> a(out, i);
    Item<Real<T>> w(values, i);
    a.load(in, i);
    call(a.data(), w.data(), work.data(), lwork, realWork.data(), lrealWork, intWork.data(),
         lintWork, code(i));
    a.store();
    w.store();
  });
}

/// (a) -> (vectors, values, info); mode, uplo.
template <typename T> static void syevd(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 3);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2);
  Batch<Real<T>> values(frame, frame.results[1], 1);
  Batch<int32_t> info(frame, frame.results[2], 0);
  expectShape(frame,
              in.rows == in.cols && out.rows == in.rows && out.cols == in.cols &&
                  out.count == in.count && values.rows == in.rows && values.count == in.count &&
                  info.count == in.count,
              "a batch of square matrices, the same as result, n values and an s32 for each");
  char mode = characterAttribute(frame, "mode", "VN"),
       uplo = characterAttribute(frame, "uplo", "LU");
  solveSymmetric(frame, in, out, values, mode, uplo, [&](int64_t i) { return info.at(i); });
}

/// Eigh, in the form of XLA's own library of functions: (a) -> (vectors, values). The text of
/// backend_config begins with 1 for the lower triangle, 0 for the upper. (Whether values are
/// sorted, the maximum number of sweeps and the tolerance follow; LAPACK sorts and needs neither.)
/// Results that do not converge are NaN.
template <typename T> static void eigh(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 2);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2);
  Batch<Real<T>> values(frame, frame.results[1], 1);
  expectShape(frame,
              in.rows == in.cols && out.rows == in.rows && out.cols == in.cols &&
                  out.count == in.count && values.rows == in.rows && values.count == in.count,
              "a batch of square matrices, the same as result and n values for each");
  const char *config = frame.backend_config;
  config += *config == '"'; // a string of the module is in quotes
  if (*config != '0' && *config != '1')
    fail(frame, HLORT_INVALID_ARGUMENT, "expected backend_config to begin with 0 or 1");
  std::vector<int32_t> codes(size_t(in.count), 0);
  solveSymmetric(frame, in, out, values, 'V', *config == '1' ? 'L' : 'U',
                 [&](int64_t i) { return &codes[size_t(i)]; });
  for (int64_t i = 0; i < in.count; ++i) {
    if (codes[size_t(i)] == 0)
      continue;
    Item<T> vectors(out, i);
    Item<Real<T>> w(values, i);
    vectors.fill(notANumber<T>());
    w.fill(notANumber<Real<T>>());
    vectors.store();
    w.store();
  }
}

/// The complex eigenvectors from LAPACK's real ones, in which the real and imaginary parts of a
/// conjugate pair are two columns.
template <typename T>
static void unpackVectors(int64_t n, const T *imaginary, const T *packed,
                          std::complex<T> *vectors) {
  for (int64_t j = 0; j < n;) {
    if (imaginary[j] == T(0) || j + 1 == n) {
      std::copy(packed + j * n, packed + (j + 1) * n, vectors + j * n);
      ++j;
      continue;
    }
    for (int64_t k = 0; k < n; ++k) {
      std::complex<T> value(packed[j * n + k], packed[(j + 1) * n + k]);
      vectors[j * n + k] = value;
      vectors[(j + 1) * n + k] = std::conj(value);
    }
    j += 2;
  }
}

/// (a) -> (values, left vectors, right vectors, info), the values of real matrices as two results
/// (real parts, imaginary parts), vectors always complex; compute_left, compute_right. Results that
/// are not requested are 0.
template <typename T> static void geev(const hlort_custom_call_frame &frame) {
  using Complex = std::complex<Real<T>>;
  constexpr int64_t valueResults = isComplex<T> ? 1 : 2;
  expectCounts(frame, 1, valueResults + 3);
  Batch<T> in(frame, frame.operands[0], 2), values(frame, frame.results[0], 1),
      moreValues(frame, frame.results[valueResults - 1], 1);
  Batch<Complex> lefts(frame, frame.results[valueResults], 2),
      rights(frame, frame.results[valueResults + 1], 2);
  Batch<int32_t> info(frame, frame.results[valueResults + 2], 0);
  bool fits = in.rows == in.cols && info.count == in.count;
  for (const Batch<T> *batch : {&values, &moreValues})
    fits &= batch->rows == in.rows && batch->count == in.count;
  for (const Batch<Complex> *batch : {&lefts, &rights})
    fits &= batch->rows == in.rows && batch->cols == in.cols && batch->count == in.count;
  expectShape(frame, fits,
              "a batch of square matrices, n values, two matrices and an s32 for each");
  Routine<T> routine(frame, "geev");
  char left = characterAttribute(frame, "compute_left", "VN");
  char right = characterAttribute(frame, "compute_right", "VN");
  int n = asInt(in.rows), lda = leading(n);
  auto call = [&](T *a, T *w, T *w2, T *vl, T *vr, T *work, int lwork, Real<T> *realWork,
                  int32_t *code) {
    if constexpr (isComplex<T>)
      routine((const char *)&left, (const char *)&right, &n, a, &lda, w, vl, &lda, vr, &lda, work,
              &lwork, realWork, code);
    else
      routine((const char *)&left, (const char *)&right, &n, a, &lda, w, w2, vl, &lda, vr, &lda,
              work, &lwork, code);
  };
  T answer = {};
  Real<T> realAnswer = 0; // queries also write it
  int code = 0;
  call(nullptr, nullptr, nullptr, nullptr, nullptr, &answer, -1, &realAnswer, &code);
  int lwork = workSize(answer);
  forItems(frame, in.count, n, [&](int64_t i) {
    size_t size = size_t(n) * size_t(n);
    std::vector<T> work((size_t(lwork))), a(size), vl(size), vr(size);
    std::vector<Real<T>> realWork(isComplex<T> ? 2 * size_t(n) : 0);
    const T *source = in.at(i);
    for (int64_t c = 0; c < n; ++c)
      for (int64_t r = 0; r < n; ++r)
        a[size_t(c * n + r)] = source[r * in.rowStride + c * in.colStride];
    Item<T> w(values, i), w2(moreValues, i);
    Item<Complex> leftOut(lefts, i), rightOut(rights, i);
    if (isFinite(a.data(), int64_t(size))) {
      call(a.data(), w.data(), w2.data(), vl.data(), vr.data(), work.data(), lwork, realWork.data(),
           info.at(i));
    } else {
      *info.at(i) = notFinite;
      w.fill(notANumber<T>());
      w2.fill(notANumber<T>());
      std::fill(vl.begin(), vl.end(), notANumber<T>());
      vr = vl;
    }
    for (auto [vectors, to] : {std::pair(vl.data(), leftOut.data()), {vr.data(), rightOut.data()}})
      if constexpr (isComplex<T>)
        std::copy(vectors, vectors + size, to);
      else
        unpackVectors<T>(n, w2.data(), vectors, to);
    w.store();
    if (!isComplex<T>)
      w2.store();
    leftOut.store();
    rightOut.store();
  });
}

/// (a) -> (schur form, schur vectors, values, number selected, info), the values of real matrices
/// as two results; mode, sort (only N).
template <typename T> static void gees(const hlort_custom_call_frame &frame) {
  constexpr int64_t valueResults = isComplex<T> ? 1 : 2;
  expectCounts(frame, 1, valueResults + 4);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2),
      vectors(frame, frame.results[1], 2), values(frame, frame.results[2], 1),
      moreValues(frame, frame.results[1 + valueResults], 1);
  Batch<int32_t> selected(frame, frame.results[2 + valueResults], 0),
      info(frame, frame.results[3 + valueResults], 0);
  bool fits = in.rows == in.cols && info.count == in.count && selected.count == in.count;
  for (const Batch<T> *batch : {&out, &vectors})
    fits &= batch->rows == in.rows && batch->cols == in.cols && batch->count == in.count;
  for (const Batch<T> *batch : {&values, &moreValues})
    fits &= batch->rows == in.rows && batch->count == in.count;
  expectShape(frame, fits,
              "a batch of square matrices, two like it, n values and two s32 for each");
  Routine<T> routine(frame, "gees");
  char mode = characterAttribute(frame, "mode", "VN"),
       sort = characterAttribute(frame, "sort", "N");
  int n = asInt(in.rows), lda = leading(n);
  auto call = [&](T *a, int32_t *sdim, T *w, T *w2, T *vs, T *work, int lwork, Real<T> *realWork,
                  int32_t *code) {
    int *unused = nullptr;
    if constexpr (isComplex<T>)
      routine((const char *)&mode, (const char *)&sort, (void *)nullptr, &n, a, &lda, sdim, w, vs,
              &lda, work, &lwork, realWork, unused, code);
    else
      routine((const char *)&mode, (const char *)&sort, (void *)nullptr, &n, a, &lda, sdim, w, w2,
              vs, &lda, work, &lwork, unused, code);
  };
  T answer = {};
  Real<T> realAnswer = 0;
  int sdim = 0, code = 0;
  call(nullptr, &sdim, nullptr, nullptr, nullptr, &answer, -1, &realAnswer, &code);
  int lwork = workSize(answer);
  forItems(frame, in.count, n, [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    std::vector<Real<T>> realWork(isComplex<T> ? size_t(n) : 0);
    Item<T> a(out, i), vs(vectors, i), w(values, i), w2(moreValues, i);
    a.load(in, i);
    if (isFinite(a.data(), in.rows * in.cols)) {
      vs.fill(T(0));
      call(a.data(), selected.at(i), w.data(), w2.data(), vs.data(), work.data(), lwork,
           realWork.data(), info.at(i));
    } else {
      *info.at(i) = notFinite;
      *selected.at(i) = 0;
      for (Item<T> *item : {&a, &vs, &w, &w2})
        item->fill(notANumber<T>());
    }
    a.store();
    vs.store();
    w.store();
    if (!isComplex<T>)
      w2.store();
  });
}

/// (a) -> (reflectors and hessenberg form, tau, info); low, high, counted from 1.
template <typename T> static void gehrd(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 3);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2),
      taus(frame, frame.results[1], 1);
  Batch<int32_t> info(frame, frame.results[2], 0);
  expectShape(frame,
              in.rows == in.cols && out.rows == in.rows && out.cols == in.cols &&
                  out.count == in.count && taus.rows == std::max<int64_t>(in.rows - 1, 0) &&
                  taus.count == in.count && info.count == in.count,
              "a batch of square matrices, the same as result, n - 1 factors and an s32 for each");
  Routine<T> routine(frame, "gehrd");
  int n = asInt(in.rows), lda = leading(n), query = -1, status = 0;
  int low = asInt(integerAttribute(frame, "low")), high = asInt(integerAttribute(frame, "high"));
  T answer = {};
  routine(&n, &low, &high, (T *)nullptr, &lda, (T *)nullptr, &answer, &query, &status);
  int lwork = workSize(answer);
  forItems(frame, in.count, n, [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    Item<T> a(out, i), tau(taus, i);
    a.load(in, i);
    routine(&n, &low, &high, a.data(), &lda, tau.data(), work.data(), &lwork, info.at(i));
    a.store();
    tau.store();
  });
}

/// (a) -> (reflectors, diagonal, off-diagonal, tau, info); uplo.
template <typename T> static void sytrd(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 5);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2),
      taus(frame, frame.results[3], 1);
  Batch<Real<T>> diagonals(frame, frame.results[1], 1), offDiagonals(frame, frame.results[2], 1);
  Batch<int32_t> info(frame, frame.results[4], 0);
  int64_t less = std::max<int64_t>(in.rows - 1, 0);
  expectShape(frame,
              in.rows == in.cols && out.rows == in.rows && out.cols == in.cols &&
                  out.count == in.count && diagonals.rows == in.rows && offDiagonals.rows == less &&
                  taus.rows == less && diagonals.count == in.count &&
                  offDiagonals.count == in.count && taus.count == in.count &&
                  info.count == in.count,
              "a batch of square matrices, the same as result, n, n - 1 and n - 1 numbers and an "
              "s32 for each");
  Routine<T> routine(frame, isComplex<T> ? "hetrd" : "sytrd");
  char uplo = characterAttribute(frame, "uplo", "LU");
  int n = asInt(in.rows), lda = leading(n), query = -1, status = 0;
  T answer = {};
  routine((const char *)&uplo, &n, (T *)nullptr, &lda, (Real<T> *)nullptr, (Real<T> *)nullptr,
          (T *)nullptr, &answer, &query, &status);
  int lwork = workSize(answer);
  forItems(frame, in.count, n, [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    Item<T> a(out, i), tau(taus, i);
    Item<Real<T>> diagonal(diagonals, i), offDiagonal(offDiagonals, i);
    a.load(in, i);
    routine((const char *)&uplo, &n, a.data(), &lda, diagonal.data(), offDiagonal.data(),
            tau.data(), work.data(), &lwork, info.at(i));
    a.store();
    diagonal.store();
    offDiagonal.store();
    tau.store();
  });
}

BuiltinCall findEigenCall(std::string_view routine, char prefix) {
  bool complex = prefix == 'c' || prefix == 'z';
  if (routine == (complex ? "heevd" : "syevd"))
    return HLORT_LAPACK_INSTANCE(syevd, prefix);
  if (routine == "eigh")
    return HLORT_LAPACK_INSTANCE(eigh, prefix);
  if (routine == "geev")
    return HLORT_LAPACK_INSTANCE(geev, prefix);
  if (routine == "gees")
    return HLORT_LAPACK_INSTANCE(gees, prefix);
  if (routine == "gehrd")
    return HLORT_LAPACK_INSTANCE(gehrd, prefix);
  if (routine == (complex ? "hetrd" : "sytrd"))
    return HLORT_LAPACK_INSTANCE(sytrd, prefix);
  return nullptr;
}

} // namespace hloc::runtime
