// SPDX-License-Identifier: Apache-2.0
// Batches of matrices, vectors and scalars inside the buffers of a custom call, in any layout, in
// the form that LAPACK expects: column-major and one at a time.
#ifndef HLOC_RUNTIME_LAPACK_BATCH_H
#define HLOC_RUNTIME_LAPACK_BATCH_H

#include "lapack/Library.h"
#include "threads/ParallelFor.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace hloc::runtime {

/// A buffer of shape [batch..., rows, cols], [batch..., rows] or [batch...].
template <typename T> class Batch {
public:
  /// coreRank is 2, 1 or 0. Throws a CallFailure if the buffer does not fit.
  Batch(const hlort_custom_call_frame &frame, const hlort_buffer &buffer, int32_t coreRank)
      : base(static_cast<T *>(buffer.data)), batchRank(buffer.rank - coreRank), dims(buffer.dims) {
    int32_t type = std::is_same_v<T, int32_t> ? int32_t(HLORT_S32) : elementTypeOf<T>;
    if (buffer.element_type != type || batchRank < 0)
      fail(frame, HLORT_INVALID_ARGUMENT,
           "expected element type " + std::to_string(type) + " and at least " +
               std::to_string(coreRank) + " dimensions, got type " +
               std::to_string(buffer.element_type) + " and " + std::to_string(buffer.rank));
    computeStrides(buffer, strides);
    if (coreRank >= 1) {
      rows = dims[batchRank];
      rowStride = strides[batchRank];
    }
    if (coreRank == 2) {
      cols = dims[batchRank + 1];
      colStride = strides[batchRank + 1];
    }
    if (rows > INT_MAX || cols > INT_MAX)
      fail(frame, HLORT_UNSUPPORTED, "LAPACK takes at most 2^31 - 1 rows or columns");
    for (int32_t d = 0; d < batchRank; ++d)
      count *= dims[d];
    direct = (rows <= 1 || rowStride == 1) && (cols <= 1 || colStride == rows);
  }

  /// Element (0, 0) of item i, counted in row-major order of the batch dimensions.
  T *at(int64_t i) const {
    T *place = base;
    for (int32_t d = batchRank - 1; d >= 0; --d) {
      place += i % dims[d] * strides[d];
      i /= dims[d];
    }
    return place;
  }

  int64_t rows = 1, cols = 1, count = 1;
  int64_t rowStride = 1, colStride = 1;
  bool direct; // every item is column-major and dense in place

private:
  T *base;
  int32_t batchRank;
  const int64_t *dims;
  int64_t strides[maxRank];
};

/// One item of a batch, column-major and dense: the buffer's own memory, or a copy.
template <typename T> class Item {
public:
  Item(const Batch<T> &batch, int64_t index) : batch(batch), home(batch.at(index)) {
    if (!batch.direct)
      copy.reset(new T[size_t(std::max<int64_t>(batch.rows * batch.cols, 1))]);
  }

  T *data() const { return copy ? copy.get() : home; }

  /// Reads item `index` of another batch of the same shape, which may be the same memory.
  void load(const Batch<T> &from, int64_t index) { read(from.at(index), from); }
  /// Reads its own memory and returns the data: for operands.
  T *loaded() {
    read(home, batch);
    return data();
  }
  void fill(T value) { std::fill_n(data(), batch.rows * batch.cols, value); }

  /// Writes the copy back, if there is one.
  void store() {
    if (!copy)
      return;
    const T *from = copy.get();
    for (int64_t c = 0; c < batch.cols; ++c)
      for (int64_t r = 0; r < batch.rows; ++r)
        home[r * batch.rowStride + c * batch.colStride] = *from++;
  }

private:
  void read(const T *source, const Batch<T> &layout) {
    T *to = data();
    if (source == to)
      return;
    for (int64_t c = 0; c < batch.cols; ++c)
      for (int64_t r = 0; r < batch.rows; ++r)
        *to++ = source[r * layout.rowStride + c * layout.colStride];
  }

  const Batch<T> &batch;
  T *home;
  std::unique_ptr<T[]> copy;
};

/// Throws unless a frame's shapes are as expected.
inline void expectShape(const hlort_custom_call_frame &frame, bool holds, const char *expected) {
  if (!holds)
    fail(frame, HLORT_INVALID_ARGUMENT, std::string("expected ") + expected);
}

/// Calls body(i) for every item of a batch, in parallel if an item of about n x n is enough work.
template <typename Body>
void forItems(const hlort_custom_call_frame &frame, int64_t count, int64_t n, Body body) {
  constexpr double workPerTask = 1e5; // multiplications
  double work = double(n) * double(n) * double(std::max<int64_t>(n, 1));
  int64_t group = std::max<int64_t>(1, int64_t(workPerTask / std::max(work, 1.0)));
  parallelFor(frame.context, (count + group - 1) / group, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * group; i < std::min(count, end * group); ++i)
      body(i);
  });
}

/// A LAPACK dimension.
inline int asInt(int64_t value) { return int(value); }
/// A leading dimension, which must not be 0.
inline int leading(int64_t rows) { return int(std::max<int64_t>(rows, 1)); }

/// The workspace size that a routine returned in the first element.
template <typename T> int workSize(T answer) {
  // Single precision may have rounded the number down.
  double size = double(std::real(answer)) * (1 + double(std::numeric_limits<Real<T>>::epsilon()));
  return std::max(1, int(std::ceil(size)));
}

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_LAPACK_BATCH_H
