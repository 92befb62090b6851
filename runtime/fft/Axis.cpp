// SPDX-License-Identifier: Apache-2.0
// Transforms along one dimension: which transforms share a block's lanes, which are done alone, and
// on how many threads.

#include "fft/Axis.h"

#include "fft/BlockGroup.h"
#include "threads/ParallelFor.h"

#include <algorithm>

namespace hloc::runtime {

/// The minimum number of elements of a task: about ten microseconds of work.
static constexpr int64_t elementsPerTask = 1 << 14;

/// True if `count` transforms of length n are fastest in the lanes of blocks. gather is the
/// additional work per element of collecting one array.
template <typename T> static bool useLanes(int64_t n, int64_t count, double gather) {
  const FftKernels<T> &kernels = fftKernels<T>();
  double blocks = double((count + kernels.lanes - 1) / kernels.lanes);
  double blockBytes = double(n) * 4 * kernels.lanes * sizeof(T);
  // Blocks that do not fit into a cache are read from the next one, or from memory, in every pass.
  double distance = blockBytes > (8 << 20) ? 4 : blockBytes > (1 << 20) ? 2 : 1;
  PlanCosts costs = planCosts<T>(n);
  return blocks * distance * costs.lanes <= double(count) * (costs.single + gather * double(n));
}

/// Calls body(first, count) for groups of at most `lanes` of `total` transforms, in parallel, each
/// thread with its own scratch of two blocks of `rows` rows: body(first, count, scratch, second).
template <typename T, typename Body>
static void forBlocks(hlort_context *context, int64_t total, int64_t rows, Body body) {
  const int64_t lanes = fftKernels<T>().lanes, size = rows * 2 * lanes;
  int64_t blocks = (total + lanes - 1) / lanes;
  int64_t group = std::max<int64_t>(1, elementsPerTask / (rows * lanes));
  parallelFor(context, (blocks + group - 1) / group, [&](int64_t begin, int64_t end) {
    Workspace<T> scratch(2 * size);
    for (int64_t block = begin * group; block < std::min(blocks, end * group); ++block)
      body(block * lanes, int(std::min(lanes, total - block * lanes)), scratch.data(),
           scratch.data() + size);
  });
}

/// Calls body(begin, end) on ranges of `count` arrays of n elements, in parallel if there are
/// enough of them; otherwise the loops inside are parallel.
template <typename Body>
static void forArrays(hlort_context *context, int64_t count, int64_t n, Body body) {
  if (count < hlort_context_threads(context) || count * n < 2 * elementsPerTask)
    body(context, 0, count);
  else
    parallelFor(context, count, [&](int64_t begin, int64_t end) { body(nullptr, begin, end); });
}

//===----------------------------------------------------------------------===//
// Complex
//===----------------------------------------------------------------------===//

/// The lanes are adjacent along the inner dimension, which is long enough.
template <typename T>
static void axisInColumns(hlort_context *context, int64_t n, int64_t outer, int64_t inner,
                          const T *in, T *out, bool inverse, T scale) {
  auto plan = lanePlan<T>(n);
  const int most = groupSize<T>(plan->rows(), inner);
  const int64_t step = most * fftKernels<T>().lanes, perOuter = (inner + step - 1) / step,
                total = outer * perOuter,
                perTask = std::max<int64_t>(1, elementsPerTask / (plan->rows() * step));
  parallelFor(context, (total + perTask - 1) / perTask, [&](int64_t begin, int64_t end) {
    BlockGroup<T> group(*plan, most);
    for (int64_t number = begin * perTask; number < std::min(total, end * perTask); ++number) {
      int64_t column = number % perOuter * step, width = std::min(step, inner - column),
              first = 2 * (number / perOuter * n * inner + column);
      group.load(in + first, inner, n, width, inverse);
      for (int i = 0; i < group.count(width); ++i)
        group.run(i);
      group.store(out + first, inner, n, width, inverse, scale);
    }
  });
}

template <typename T>
static void axisInLanes(hlort_context *context, int64_t n, int64_t outer, int64_t inner,
                        const T *in, T *out, bool inverse, T scale) {
  const FftKernels<T> &kernels = fftKernels<T>();
  if (inner >= kernels.lanes)
    return axisInColumns(context, n, outer, inner, in, out, inverse, scale);
  auto plan = lanePlan<T>(n);
  int64_t total = outer * inner;
  forBlocks<T>(context, total, plan->rows(), [&](int64_t first, int count, T *block, T *other) {
    int64_t offsets[maxLanes];
    bool inRows = count == kernels.lanes && inner == 1;
    for (int lane = 0; lane < count; ++lane)
      offsets[lane] = (first + lane) / inner * n * inner + (first + lane) % inner;
    if (inRows)
      kernels.loadRows(in + 2 * offsets[0], n, n, block, inverse);
    else
      kernels.loadAny(in, offsets, count, inner, n, block, inverse);
    T *result = plan->run(kernels, block, other);
    if (inRows)
      kernels.storeRows(out + 2 * offsets[0], n, n, result, inverse, scale);
    else
      kernels.storeAny(out, offsets, count, inner, n, result, inverse, scale);
  });
}

template <typename T>
static void axisOneByOne(hlort_context *context, int64_t n, int64_t outer, int64_t inner,
                         const T *in, T *out, bool inverse, T scale) {
  auto plan = singlePlan<T>(n);
  forArrays(context, outer * inner, n, [&](hlort_context *inside, int64_t begin, int64_t end) {
    if (inner == 1) {
      for (int64_t i = begin; i < end; ++i)
        plan->run(inside, in + 2 * i * n, out + 2 * i * n, inverse, scale);
      return;
    }
    Workspace<T> array(2 * n);
    for (int64_t i = begin; i < end; ++i) {
      int64_t offset = i / inner * n * inner + i % inner;
      for (int64_t k = 0; k < n; ++k)
        for (int part = 0; part < 2; ++part)
          array.data()[2 * k + part] = in[2 * (offset + k * inner) + part];
      plan->run(inside, array.data(), array.data(), inverse, scale);
      for (int64_t k = 0; k < n; ++k)
        for (int part = 0; part < 2; ++part)
          out[2 * (offset + k * inner) + part] = array.data()[2 * k + part];
    }
  });
}

template <typename T>
void transformAxis(hlort_context *context, int64_t n, int64_t outer, int64_t inner, const T *in,
                   T *out, bool inverse) {
  if (n == 1) {
    if (in != out)
      std::copy(in, in + 2 * outer * inner, out);
    return;
  }
  T scale = inverse ? T(1) / T(n) : T(1);
  if (useLanes<T>(n, outer * inner, inner == 1 ? 0 : 4))
    axisInLanes(context, n, outer, inner, in, out, inverse, scale);
  else
    axisOneByOne(context, n, outer, inner, in, out, inverse, scale);
}

//===----------------------------------------------------------------------===//
// Real
//===----------------------------------------------------------------------===//

// An even number n of real numbers is treated as n / 2 complex ones and transformed as such; then
// the coefficients of the even and the odd numbers are separated by symmetry. An odd number is
// transformed as complex numbers.

template <typename T>
void transformReal(hlort_context *context, int64_t n, int64_t rows, const T *in, T *out) {
  const FftKernels<T> &kernels = fftKernels<T>();
  bool even = n % 2 == 0;
  int64_t length = even ? n / 2 : n, outputs = n / 2 + 1;
  std::shared_ptr<const Table<T>> twiddles = even ? realTwiddles<T>(n) : nullptr;
  if (useLanes<T>(length, rows, 0)) {
    auto plan = lanePlan<T>(length);
    forBlocks<T>(context, rows, std::max(plan->rows(), outputs),
                 [&](int64_t first, int count, T *block, T *other) {
                   int64_t offsets[maxLanes];
                   bool whole = count == kernels.lanes;
                   for (int lane = 0; lane < count; ++lane)
                     offsets[lane] = (first + lane) * length;
                   if (!even)
                     kernels.loadReal(in, offsets, count, n, block);
                   else if (whole)
                     kernels.loadRows(in + first * n, length, length, block, false);
                   else
                     kernels.loadAny(in, offsets, count, 1, length, block, false);
                   T *result = plan->run(kernels, block, other);
                   if (even)
                     kernels.realFromHalf(result, length, twiddles->data());
                   for (int lane = 0; lane < count; ++lane)
                     offsets[lane] = (first + lane) * outputs;
                   if (whole)
                     kernels.storeRows(out + 2 * offsets[0], outputs, outputs, result, false, T(1));
                   else
                     kernels.storeAny(out, offsets, count, 1, outputs, result, false, T(1));
                 });
    return;
  }
  auto plan = singlePlan<T>(length);
  forArrays(context, rows, n, [&](hlort_context *inside, int64_t begin, int64_t end) {
    Workspace<T> array(2 * length);
    for (int64_t row = begin; row < end; ++row) {
      const T *from = in + row * n;
      T *to = out + 2 * row * outputs;
      if (even) {
        plan->run(inside, from, array.data(), false, T(1));
        kernels.realFromHalfArray(array.data(), length, twiddles->data(), to);
        continue;
      }
      for (int64_t k = 0; k < n; ++k) {
        array.data()[2 * k] = from[k];
        array.data()[2 * k + 1] = T(0);
      }
      plan->run(inside, array.data(), array.data(), false, T(1));
      std::copy(array.data(), array.data() + 2 * outputs, to);
    }
  });
}

/// The n coefficients of a real array from its first n / 2 + 1, n odd: the others are conjugates.
/// Element k of `array` starts at k * stride and its imaginary part is `imaginary` numbers after
/// it.
template <typename T>
static void mirror(T *array, int64_t n, int64_t stride, int64_t imaginary, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    array[imaginary + i] = T(0);
  for (int64_t k = 1; k <= n / 2; ++k)
    for (int64_t i = 0; i < count; ++i) {
      array[(n - k) * stride + i] = array[k * stride + i];
      array[(n - k) * stride + imaginary + i] = -array[k * stride + imaginary + i];
    }
}

template <typename T>
void transformToReal(hlort_context *context, int64_t n, int64_t rows, const T *in, T *out) {
  const FftKernels<T> &kernels = fftKernels<T>();
  bool even = n % 2 == 0;
  int64_t length = even ? n / 2 : n, inputs = n / 2 + 1;
  T scale = T(1) / T(n);
  std::shared_ptr<const Table<T>> twiddles = even ? realTwiddles<T>(n) : nullptr;
  if (useLanes<T>(length, rows, 0)) {
    auto plan = lanePlan<T>(length);
    forBlocks<T>(context, rows, std::max(plan->rows(), inputs),
                 [&](int64_t first, int count, T *block, T *other) {
                   int64_t offsets[maxLanes], lanes = kernels.lanes;
                   bool whole = count == lanes;
                   for (int lane = 0; lane < count; ++lane)
                     offsets[lane] = (first + lane) * inputs;
                   if (whole)
                     kernels.loadRows(in + 2 * offsets[0], inputs, inputs, block, false);
                   else
                     kernels.loadAny(in, offsets, count, 1, inputs, block, false);
                   if (even)
                     kernels.halfFromReal(block, length, twiddles->data());
                   else
                     mirror(block, n, 2 * lanes, lanes, lanes);
                   // The inverse transform is the forward one of the numbers with exchanged parts.
                   kernels.exchangeParts(block, length);
                   T *result = plan->run(kernels, block, other);
                   for (int lane = 0; lane < count; ++lane)
                     offsets[lane] = (first + lane) * length;
                   if (!even) {
                     kernels.exchangeParts(result, length);
                     kernels.storeReal(out, offsets, count, n, result, scale);
                   } else if (whole)
                     kernels.storeRows(out + first * n, length, length, result, true, scale);
                   else
                     kernels.storeAny(out, offsets, count, 1, length, result, true, scale);
                 });
    return;
  }
  auto plan = singlePlan<T>(length);
  forArrays(context, rows, n, [&](hlort_context *inside, int64_t begin, int64_t end) {
    Workspace<T> array(2 * length);
    for (int64_t row = begin; row < end; ++row) {
      const T *from = in + 2 * row * inputs;
      T *to = out + row * n;
      if (even) {
        kernels.halfFromRealArray(from, length, twiddles->data(), array.data());
        plan->run(inside, array.data(), to, true, scale);
        continue;
      }
      std::copy(from, from + 2 * inputs, array.data());
      mirror<T>(array.data(), n, 2, 1, 1);
      plan->run(inside, array.data(), array.data(), true, scale);
      for (int64_t k = 0; k < n; ++k)
        to[k] = array.data()[2 * k];
    }
  });
}

template void transformAxis(hlort_context *, int64_t, int64_t, int64_t, const float *, float *,
                            bool);
template void transformAxis(hlort_context *, int64_t, int64_t, int64_t, const double *, double *,
                            bool);
template void transformReal(hlort_context *, int64_t, int64_t, const float *, float *);
template void transformReal(hlort_context *, int64_t, int64_t, const double *, double *);
template void transformToReal(hlort_context *, int64_t, int64_t, const float *, float *);
template void transformToReal(hlort_context *, int64_t, int64_t, const double *, double *);

} // namespace hloc::runtime
