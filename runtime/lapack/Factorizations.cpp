// SPDX-License-Identifier: Apache-2.0
// Custom calls for LAPACK's factorizations and the corresponding solvers. Operands, results and
// attributes are those that JAX writes; each function lists them.

#include "lapack/Batch.h"

#include <cmath>
#include <limits>

namespace hloc::runtime {

/// (a) -> (factor, info); uplo.
template <typename T> static void potrf(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 2);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2);
  Batch<int32_t> info(frame, frame.results[1], 0);
  expectShape(frame,
              in.rows == in.cols && out.rows == in.rows && out.cols == in.cols &&
                  out.count == in.count && info.count == in.count,
              "a batch of square matrices, the same as result, and an s32 for each");
  Routine<T> routine(frame, "potrf");
  char uplo = characterAttribute(frame, "uplo", "LU");
  int n = asInt(in.rows), lda = leading(n);
  forItems(frame, in.count, n, [&](int64_t i) {
    Item<T> a(out, i);
    a.load(in, i);
    routine((const char *)&uplo, &n, a.data(), &lda, info.at(i));
    a.store();
  });
}

/// (a) -> (lu, pivots counted from 1, info).
template <typename T> static void getrf(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 3);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2);
  Batch<int32_t> pivots(frame, frame.results[1], 1), info(frame, frame.results[2], 0);
  expectShape(frame,
              out.rows == in.rows && out.cols == in.cols && out.count == in.count &&
                  pivots.rows == std::min(in.rows, in.cols) && pivots.count == in.count &&
                  info.count == in.count,
              "a batch of matrices, the same as result, min(m, n) pivots and an s32 for each");
  Routine<T> routine(frame, "getrf");
  int m = asInt(in.rows), n = asInt(in.cols), lda = leading(m);
  forItems(frame, in.count, std::max(m, n), [&](int64_t i) {
    Item<T> a(out, i);
    Item<int32_t> pivot(pivots, i);
    a.load(in, i);
    routine(&m, &n, a.data(), &lda, pivot.data(), info.at(i));
    a.store();
    pivot.store();
  });
}

/// (a) -> (reflectors and r, tau).
template <typename T> static void geqrf(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 2);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2),
      taus(frame, frame.results[1], 1);
  expectShape(frame,
              out.rows == in.rows && out.cols == in.cols && out.count == in.count &&
                  taus.rows == std::min(in.rows, in.cols) && taus.count == in.count,
              "a batch of matrices, the same as result, and min(m, n) factors for each");
  Routine<T> routine(frame, "geqrf");
  int m = asInt(in.rows), n = asInt(in.cols), lda = leading(m), query = -1, status = 0;
  T answer = {};
  routine(&m, &n, (T *)nullptr, &lda, (T *)nullptr, &answer, &query, &status);
  int lwork = workSize(answer);
  forItems(frame, in.count, std::max(m, n), [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    Item<T> a(out, i), tau(taus, i);
    int code = 0;
    a.load(in, i);
    routine(&m, &n, a.data(), &lda, tau.data(), work.data(), &lwork, &code);
    a.store();
    tau.store();
  });
}

/// (a, jpvt) -> (reflectors and r, jpvt, tau); columns counted from 1, those not 0 come first.
template <typename T> static void geqp3(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 2, 3);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2),
      taus(frame, frame.results[2], 1);
  Batch<int32_t> pivotsIn(frame, frame.operands[1], 1), pivotsOut(frame, frame.results[1], 1);
  expectShape(frame,
              out.rows == in.rows && out.cols == in.cols && out.count == in.count &&
                  pivotsIn.rows == in.cols && pivotsOut.rows == in.cols &&
                  pivotsIn.count == in.count && pivotsOut.count == in.count &&
                  taus.rows == std::min(in.rows, in.cols) && taus.count == in.count,
              "a batch of matrices and n pivots each, the same as results, and min(m, n) factors");
  Routine<T> routine(frame, "geqp3");
  int m = asInt(in.rows), n = asInt(in.cols), lda = leading(m);
  auto call = [&](T *a, int32_t *pivot, T *tau, T *work, int lwork, Real<T> *realWork) {
    int code = 0;
    if constexpr (isComplex<T>)
      routine(&m, &n, a, &lda, pivot, tau, work, &lwork, realWork, &code);
    else
      routine(&m, &n, a, &lda, pivot, tau, work, &lwork, &code);
  };
  T answer = {};
  Real<T> realAnswer = 0;
  call(nullptr, nullptr, nullptr, &answer, -1, &realAnswer);
  int lwork = workSize(answer);
  forItems(frame, in.count, std::max(m, n), [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    std::vector<Real<T>> realWork(isComplex<T> ? 2 * size_t(n) : 0);
    Item<T> a(out, i), tau(taus, i);
    Item<int32_t> pivot(pivotsOut, i);
    a.load(in, i);
    pivot.load(pivotsIn, i);
    call(a.data(), pivot.data(), tau.data(), work.data(), lwork, realWork.data());
    a.store();
    pivot.store();
    tau.store();
  });
}

/// (reflectors, tau) -> (q).
template <typename T> static void orgqr(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 2, 1);
  Batch<T> in(frame, frame.operands[0], 2), taus(frame, frame.operands[1], 1),
      out(frame, frame.results[0], 2);
  expectShape(frame,
              out.rows == in.rows && out.cols == in.cols && out.count == in.count &&
                  taus.count == in.count && in.cols <= in.rows && taus.rows <= in.cols,
              "a batch of m x n matrices, m >= n, the same as result, and at most n factors each");
  Routine<T> routine(frame, isComplex<T> ? "ungqr" : "orgqr");
  int m = asInt(in.rows), n = asInt(in.cols), k = asInt(taus.rows), lda = leading(m);
  int query = -1, status = 0;
  T answer = {};
  routine(&m, &n, &k, (T *)nullptr, &lda, (T *)nullptr, &answer, &query, &status);
  int lwork = workSize(answer);
  forItems(frame, in.count, m, [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    Item<T> a(out, i), tau(taus, i);
    int code = 0;
    a.load(in, i);
    routine(&m, &n, &k, a.data(), &lda, tau.loaded(), work.data(), &lwork, &code);
    a.store();
  });
}

/// (reflectors, tau, c) -> (q c, c q, or with q's adjoint); left, transpose.
template <typename T> static void ormqr(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 3, 1);
  Batch<T> reflectors(frame, frame.operands[0], 2), taus(frame, frame.operands[1], 1),
      in(frame, frame.operands[2], 2), out(frame, frame.results[0], 2);
  bool left = boolAttribute(frame, "left");
  int64_t order = left ? in.rows : in.cols;
  expectShape(frame,
              out.rows == in.rows && out.cols == in.cols && out.count == in.count &&
                  taus.count == in.count && reflectors.count == in.count &&
                  reflectors.rows == order && taus.rows <= reflectors.cols && taus.rows <= order,
              "reflectors with as many rows as the order of q, a factor for each, and a result "
              "like the third operand");
  Routine<T> routine(frame, isComplex<T> ? "unmqr" : "ormqr");
  char side = left ? 'L' : 'R';
  char trans = !boolAttribute(frame, "transpose") ? 'N' : isComplex<T> ? 'C' : 'T';
  int m = asInt(in.rows), n = asInt(in.cols), k = asInt(taus.rows);
  int lda = leading(reflectors.rows), ldc = leading(m), query = -1, status = 0;
  T answer = {};
  routine((const char *)&side, (const char *)&trans, &m, &n, &k, (T *)nullptr, &lda, (T *)nullptr,
          (T *)nullptr, &ldc, &answer, &query, &status);
  int lwork = workSize(answer);
  forItems(frame, in.count, std::max(m, n), [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    Item<T> a(reflectors, i), tau(taus, i), c(out, i);
    int code = 0;
    c.load(in, i);
    routine((const char *)&side, (const char *)&trans, &m, &n, &k, a.loaded(), &lda, tau.loaded(),
            c.data(), &ldc, work.data(), &lwork, &code);
    c.store();
  });
}

/// (a, b) or (a, b, alpha) -> (x with op(a) x = alpha b or x op(a) = alpha b); side, uplo,
/// trans_x, diag.
template <typename T> static void trsm(const hlort_custom_call_frame &frame) {
  expectCounts(frame, frame.operand_count == 3 ? 3 : 2, 1);
  Batch<T> triangles(frame, frame.operands[0], 2), in(frame, frame.operands[1], 2),
      out(frame, frame.results[0], 2);
  T alpha = T(1);
  if (frame.operand_count == 3)
    alpha = *Batch<T>(frame, frame.operands[2], 0).at(0);
  char side = characterAttribute(frame, "side", "LR"),
       uplo = characterAttribute(frame, "uplo", "LU");
  char trans = characterAttribute(frame, "trans_x", "NTC");
  char diag = characterAttribute(frame, "diag", "NU");
  int64_t order = side == 'L' ? in.rows : in.cols;
  expectShape(frame,
              triangles.rows == order && triangles.cols == order && triangles.count == in.count &&
                  out.rows == in.rows && out.cols == in.cols && out.count == in.count,
              "square matrices that fit the right-hand sides, and a result like those");
  Routine<T> routine(frame, "trsm");
  int m = asInt(in.rows), n = asInt(in.cols), lda = leading(order), ldb = leading(m);
  forItems(frame, in.count, std::max(m, n), [&](int64_t i) {
    Item<T> a(triangles, i), b(out, i);
    b.load(in, i);
    routine((const char *)&side, (const char *)&uplo, (const char *)&trans, (const char *)&diag, &m,
            &n, &alpha, a.loaded(), &lda, b.data(), &ldb);
    b.store();
  });
}

/// (lower, diagonal, upper, b) -> (the three overwritten, x, info). The first number of `lower` and
/// the last of `upper` are not used.
template <typename T> static void gtsv(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 4, 5);
  std::vector<Batch<T>> in, out;
  for (int64_t i = 0; i < 4; ++i) {
    in.emplace_back(frame, frame.operands[i], i < 3 ? 1 : 2);
    out.emplace_back(frame, frame.results[i], i < 3 ? 1 : 2);
    expectShape(frame,
                in[i].rows == in[0].rows && out[i].rows == in[0].rows &&
                    in[i].cols == out[i].cols && in[i].count == in[0].count &&
                    out[i].count == in[0].count,
                "three diagonals as long as the right-hand sides, and results like the operands");
  }
  Batch<int32_t> info(frame, frame.results[4], 0);
  expectShape(frame, info.count == in[0].count, "an s32 for each matrix");
  Routine<T> routine(frame, "gtsv");
  int n = asInt(in[0].rows), columns = asInt(in[3].cols), ldb = leading(n);
  forItems(frame, in[0].count, int64_t(std::cbrt(double(n) * (columns + 1))), [&](int64_t i) {
    Item<T> lower(out[0], i), diagonal(out[1], i), upper(out[2], i), b(out[3], i);
    lower.load(in[0], i);
    diagonal.load(in[1], i);
    upper.load(in[2], i);
    b.load(in[3], i);
    T *below = lower.data() + (n > 0 ? 1 : 0);
    routine(&n, &columns, below, diagonal.data(), upper.data(), b.data(), &ldb, info.at(i));
    lower.store();
    diagonal.store();
    upper.store();
    b.store();
  });
}

BuiltinCall findFactorization(std::string_view routine, char prefix) {
  bool complex = prefix == 'c' || prefix == 'z';
  if (routine == "potrf")
    return HLORT_LAPACK_INSTANCE(potrf, prefix);
  if (routine == "getrf")
    return HLORT_LAPACK_INSTANCE(getrf, prefix);
  if (routine == "geqrf")
    return HLORT_LAPACK_INSTANCE(geqrf, prefix);
  if (routine == "geqp3")
    return HLORT_LAPACK_INSTANCE(geqp3, prefix);
  if (routine == (complex ? "ungqr" : "orgqr"))
    return HLORT_LAPACK_INSTANCE(orgqr, prefix);
  if (routine == (complex ? "unmqr" : "ormqr"))
    return HLORT_LAPACK_INSTANCE(ormqr, prefix);
  if (routine == "trsm")
    return HLORT_LAPACK_INSTANCE(trsm, prefix);
  if (routine == "gtsv")
    return HLORT_LAPACK_INSTANCE(gtsv, prefix);
  return nullptr;
}

} // namespace hloc::runtime
