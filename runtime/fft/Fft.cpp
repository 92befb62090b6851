// SPDX-License-Identifier: Apache-2.0
// HLO's fft: checks, and the order in which the dimensions are transformed.

#include "fft/Axis.h"
#include "fft/Workspace.h"

#include <cinttypes>
#include <cstring>

using namespace hloc::runtime;

namespace {

/// A checked call.
struct Request {
  int32_t kind;
  int32_t fftRank;
  const int64_t *length;           // fftRank lengths
  int64_t batch;                   // product of the dimensions before them
  int64_t inputCount, outputCount; // elements

  bool hasReal() const { return kind == HLORT_RFFT || kind == HLORT_IRFFT; }
};

} // namespace

/// Transforms all dimensions but the last of an array [batch, length..., last], the last of which
/// has `last` complex elements.
template <typename T>
static void outerAxes(hlort_context *context, const Request &request, int64_t last, const T *in,
                      T *out, bool inverse) {
  int64_t inner = last;
  for (int32_t axis = request.fftRank - 2; axis >= 0; --axis) {
    int64_t n = request.length[axis], outer = request.batch;
    for (int32_t before = 0; before < axis; ++before)
      outer *= request.length[before];
    transformAxis(context, n, outer, inner, in, out, inverse);
    in = out;
    inner *= n;
  }
}

template <typename T>
static void transform(hlort_context *context, const Request &request, const T *in, T *out) {
  int64_t n = request.length[request.fftRank - 1];
  int64_t rows = request.batch;
  for (int32_t axis = 0; axis + 1 < request.fftRank; ++axis)
    rows *= request.length[axis];
  switch (request.kind) {
  case HLORT_FFT:
  case HLORT_IFFT: {
    bool inverse = request.kind == HLORT_IFFT;
    transformAxis(context, n, rows, 1, in, out, inverse);
    outerAxes(context, request, n, out, out, inverse);
    return;
  }
  case HLORT_RFFT:
    transformReal(context, n, rows, in, out);
    outerAxes(context, request, n / 2 + 1, out, out, false);
    return;
  default: // HLORT_IRFFT
    if (request.fftRank == 1)
      return transformToReal(context, n, rows, in, out);
    Workspace<T> copy(2 * request.inputCount);
    outerAxes(context, request, n / 2 + 1, in, copy.data(), true);
    return transformToReal(context, n, rows, copy.data(), out);
  }
}

static int32_t check(int32_t kind, int32_t realType, int32_t rank, const int64_t *dims,
                     int32_t fftRank, const int64_t *length, Request &request,
                     hlort_status *status) {
  if (kind < HLORT_FFT || kind > HLORT_IRFFT)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "fft: no such kind: %d", kind);
  if (realType != HLORT_F32 && realType != HLORT_F64)
    return hlort_status_set(status, HLORT_UNSUPPORTED,
                            "fft: expected f32 or f64, got element type %d", realType);
  if (fftRank < 1 || fftRank > 3 || rank < fftRank)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "fft: expected 1 to 3 lengths and as many dimensions, got %d and %d",
                            fftRank, rank);
  request = {kind, fftRank, length, 1, 1, 1};
  for (int32_t d = 0; d < rank; ++d) {
    int64_t input = dims[d], output = dims[d];
    int32_t axis = d - (rank - fftRank);
    if (axis < 0) {
      request.batch *= input;
    } else {
      output = length[axis];
      int64_t half = length[axis] / 2 + 1;
      bool last = axis == fftRank - 1;
      if (last && kind == HLORT_RFFT)
        output = half;
      int64_t expected = last && kind == HLORT_IRFFT ? half : length[axis];
      if (length[axis] < 0 || (input != expected && input != 0 && length[axis] != 0))
        return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                                "fft: dimension %d has %" PRId64 " elements, expected %" PRId64, d,
                                input, expected);
      // If there are no data to transform, the output is 0 in the shape that HLO gives it.
      if (kind != HLORT_IRFFT && kind != HLORT_RFFT)
        output = input;
    }
    if (input < 0 || __builtin_mul_overflow(request.inputCount, input, &request.inputCount) ||
        __builtin_mul_overflow(request.outputCount, output, &request.outputCount) ||
        request.inputCount > INT64_MAX / 64 || request.outputCount > INT64_MAX / 64)
      return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                              "fft: dimension %d of %" PRId64 " elements is too large or negative",
                              d, input);
  }
  return HLORT_OK;
}

int32_t hlort_fft(hlort_context *context, int32_t kind, int32_t real_type, int32_t rank,
                  const int64_t *dims, int32_t fft_rank, const int64_t *fft_length, const void *in,
                  void *out, hlort_status *status) {
  Request request;
  if (int32_t code = check(kind, real_type, rank, dims, fft_rank, fft_length, request, status))
    return code;
  bool empty = request.inputCount == 0;
  for (int32_t axis = 0; axis < fft_rank; ++axis)
    empty |= fft_length[axis] == 0;
  if (empty) {
    size_t bytes = real_type == HLORT_F32 ? 4 : 8;
    if (request.outputCount)
      std::memset(out, 0, request.outputCount * bytes * (kind == HLORT_IRFFT ? 1 : 2));
    return HLORT_OK;
  }
  try {
    if (real_type == HLORT_F32)
      transform(context, request, static_cast<const float *>(in), static_cast<float *>(out));
    else
      transform(context, request, static_cast<const double *>(in), static_cast<double *>(out));
    return HLORT_OK;
  } catch (const std::bad_alloc &) {
    return hlort_status_set(status, HLORT_OUT_OF_MEMORY, "fft: no memory for scratch space");
  }
}
