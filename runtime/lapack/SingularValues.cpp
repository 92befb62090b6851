// SPDX-License-Identifier: Apache-2.0
// Custom calls for LAPACK's singular value decompositions:
// (a) -> (a overwritten, values, u, v adjoint, info); mode A (square u and v), S (min(m, n)
// vectors) or N (values only; u and v are 0).

#include "lapack/Batch.h"

#include <cmath>
#include <limits>

namespace hloc::runtime {

namespace {

enum class Method { DivideAndConquer, Iteration };

} // namespace

template <typename T, Method method> static void decompose(const hlort_custom_call_frame &frame) {
  expectCounts(frame, 1, 5);
  Batch<T> in(frame, frame.operands[0], 2), out(frame, frame.results[0], 2),
      lefts(frame, frame.results[2], 2), rights(frame, frame.results[3], 2);
  Batch<Real<T>> values(frame, frame.results[1], 1);
  Batch<int32_t> info(frame, frame.results[4], 0);
  char mode = characterAttribute(frame, "mode", "ASN");
  int64_t less = std::min(in.rows, in.cols);
  bool fits = out.rows == in.rows && out.cols == in.cols && values.rows == less;
  if (mode != 'N')
    fits &= lefts.rows == in.rows && lefts.cols == (mode == 'A' ? in.rows : less) &&
            rights.rows == (mode == 'A' ? in.cols : less) && rights.cols == in.cols;
  for (int64_t count : {out.count, values.count, lefts.count, rights.count, info.count})
    fits &= count == in.count;
  expectShape(frame, fits,
              "a batch of matrices, the same as result, min(m, n) values, u and v that fit the "
              "mode, and an s32 for each");
  Routine<T> routine(frame, method == Method::Iteration ? "gesvd" : "gesdd");
  int m = asInt(in.rows), n = asInt(in.cols), lda = leading(m);
  int ldu = leading(lefts.rows), ldvt = leading(rights.rows);
  auto call = [&](T *a, Real<T> *s, T *u, T *vt, T *work, int lwork, Real<T> *realWork,
                  int *intWork, int32_t *code) {
    const char *job = &mode;
    if constexpr (method == Method::Iteration && isComplex<T>)
      routine(job, job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, realWork, code);
    else if constexpr (method == Method::Iteration)
      routine(job, job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, code);
    else if constexpr (isComplex<T>)
      routine(job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, realWork, intWork, code);
    else
      routine(job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, intWork, code);
  };
  T answer = {};
  Real<T> realAnswer = 0;
  int intAnswer = 0, code = 0;
  call(nullptr, nullptr, nullptr, nullptr, &answer, -1, &realAnswer, &intAnswer, &code);
  int lwork = workSize(answer);
  size_t realSize = 0;
  if (isComplex<T>) {
    size_t more = size_t(std::max(m, n)), few = size_t(less);
    realSize = std::max(
        {size_t(1), 7 * few, 5 * few * few + 7 * few, 2 * more * few + 2 * few * few + few});
  }
  forItems(frame, in.count, std::max(m, n), [&](int64_t i) {
    std::vector<T> work((size_t(lwork)));
    std::vector<Real<T>> realWork(realSize);
    std::vector<int> intWork(8 * size_t(less) + 1);
    Item<T> a(out, i), u(lefts, i), vt(rights, i);
    Item<Real<T>> s(values, i);
    a.load(in, i);
    if (mode == 'N') {
      u.fill(T(0));
      vt.fill(T(0));
    }
    call(a.data(), s.data(), u.data(), vt.data(), work.data(), lwork, realWork.data(),
         intWork.data(), info.at(i));
    a.store();
    s.store();
    u.store();
    vt.store();
  });
}

template <typename T> static void gesdd(const hlort_custom_call_frame &frame) {
  decompose<T, Method::DivideAndConquer>(frame);
}
template <typename T> static void gesvd(const hlort_custom_call_frame &frame) {
  decompose<T, Method::Iteration>(frame);
}

BuiltinCall findSingularValueCall(std::string_view routine, char prefix) {
  if (routine == "gesdd")
    return HLORT_LAPACK_INSTANCE(gesdd, prefix);
  if (routine == "gesvd")
    return HLORT_LAPACK_INSTANCE(gesvd, prefix);
  return nullptr;
}

} // namespace hloc::runtime
