// SPDX-License-Identifier: Apache-2.0
#include "transfer/Sizes.h"

#include <cstring>

namespace hloc::runtime {

namespace {

/// Runs of elements that are contiguous in both memories.
struct Runs {
  int64_t count = 1, elements = 1;
  int64_t step = 1;  ///< distance in elements along the first outer dimension
  int32_t outer = 0; ///< number of the first outer dimension, counted from the fastest-varying
};

int64_t getDimension(const hlort_buffer &bounds, int32_t place) {
  return bounds.minor_to_major ? bounds.minor_to_major[place] : bounds.rank - 1 - place;
}

Runs findRuns(const hlort_buffer &bounds, const int64_t *sizes) {
  Runs runs;
  bool isWhole = true;
  for (int32_t place = 0; place < bounds.rank; ++place) {
    int64_t d = getDimension(bounds, place);
    if (isWhole) {
      runs.elements *= sizes[d];
      runs.step *= bounds.dims[d];
      runs.outer = place + 1;
      isWhole = sizes[d] == bounds.dims[d];
    } else {
      runs.count *= sizes[d];
    }
  }
  return runs;
}

/// The offset of run `number` in the module's memory, in elements.
int64_t findStart(const hlort_buffer &bounds, const int64_t *sizes, const Runs &runs,
                  int64_t number) {
  int64_t start = 0, step = runs.step;
  for (int32_t place = runs.outer; place < bounds.rank; ++place) {
    int64_t d = getDimension(bounds, place);
    start += number % sizes[d] * step;
    number /= sizes[d];
    step *= bounds.dims[d];
  }
  return start;
}

/// Copies elements of `bits` each; those of fewer than eight are packed, and none crosses a byte
/// boundary. The memories may overlap if `to` is not before `from`.
void copyElements(unsigned char *to, int64_t toPlace, const unsigned char *from, int64_t fromPlace,
                  int64_t elements, int64_t bits) {
  if (bits % 8 == 0) {
    std::memmove(to + toPlace * (bits / 8), from + fromPlace * (bits / 8),
                 size_t(elements * (bits / 8)));
    return;
  }
  unsigned mask = (1u << bits) - 1;
  for (int64_t i = elements - 1; i >= 0; --i) {
    int64_t source = (fromPlace + i) * bits, target = (toPlace + i) * bits;
    unsigned element = from[source / 8] >> (source % 8) & mask;
    unsigned char &byte = to[target / 8];
    byte = (unsigned char)((byte & ~(mask << (target % 8))) | element << (target % 8));
  }
}

} // namespace

hlort_buffer withSizes(const hlort_buffer &bounds, const int64_t *sizes) {
  hlort_buffer buffer = bounds;
  if (sizes)
    buffer.dims = sizes;
  return buffer;
}

bool liesAlike(const hlort_buffer &bounds, const int64_t *sizes) {
  if (!sizes)
    return true;
  Runs runs = findRuns(bounds, sizes);
  return runs.count <= 1 || runs.elements == 0;
}

void copyToHost(const hlort_buffer &bounds, const int64_t *sizes, void *host) {
  Runs runs = findRuns(bounds, sizes);
  int64_t bits = hlort_element_bits(bounds.element_type), all = runs.count * runs.elements * bits;
  if (all % 8 != 0)
    static_cast<unsigned char *>(host)[all / 8] = 0; // not all bits of this byte are written
  for (int64_t i = 0; runs.elements && i < runs.count; ++i)
    copyElements(static_cast<unsigned char *>(host), i * runs.elements,
                 static_cast<const unsigned char *>(bounds.data), findStart(bounds, sizes, runs, i),
                 runs.elements, bits);
}

void copyFromHost(const hlort_buffer &bounds, const int64_t *sizes, const void *host) {
  Runs runs = findRuns(bounds, sizes);
  int64_t bits = hlort_element_bits(bounds.element_type);
  // Backwards: in the module's own memory, runs only move away from its beginning.
  for (int64_t i = runs.count - 1; runs.elements && i >= 0; --i)
    copyElements(static_cast<unsigned char *>(bounds.data), findStart(bounds, sizes, runs, i),
                 static_cast<const unsigned char *>(host), i * runs.elements, runs.elements, bits);
}

} // namespace hloc::runtime
