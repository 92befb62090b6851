// SPDX-License-Identifier: Apache-2.0
// Fourier transforms along one dimension of a dense array.
#ifndef HLOC_RUNTIME_FFT_AXIS_H
#define HLOC_RUNTIME_FFT_AXIS_H

#include "hlort/hlort.h"

namespace hloc::runtime {

/// Transforms the middle dimension of [outer, n, inner] complex numbers, none of them 0. The
/// inverse divides by n. in and out are the same or disjoint.
template <typename T>
void transformAxis(hlort_context *context, int64_t n, int64_t outer, int64_t inner, const T *in,
                   T *out, bool inverse);

/// Transforms rows of n real numbers into rows of n / 2 + 1 complex ones.
template <typename T>
void transformReal(hlort_context *context, int64_t n, int64_t rows, const T *in, T *out);

/// The inverse of transformReal, divided by n.
template <typename T>
void transformToReal(hlort_context *context, int64_t n, int64_t rows, const T *in, T *out);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_FFT_AXIS_H
