// SPDX-License-Identifier: Apache-2.0
// Memory for temporaries, if the host provides none.

#include "hlort/hlort.h"

#include <cinttypes>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// The size from which large pages are used: several times that of one page.
static constexpr int64_t largePage = int64_t(2) << 20;
static constexpr int64_t largePagesFrom = 4 * largePage;

void *hlort_arena_allocate(int64_t size, int64_t alignment, hlort_status *status) {
  if (alignment == 0)
    alignment = 64;
  if (size < 0 || alignment < 0 || (alignment & (alignment - 1)) != 0 ||
      size > INT64_MAX - 2 * largePage) {
    hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                     "arena of %" PRId64 " bytes at a multiple of %" PRId64
                     ": expected a valid size and a power of two",
                     size, alignment);
    return nullptr;
  }
  if (alignment < int64_t(sizeof(void *)))
    alignment = sizeof(void *);
  bool large = size >= largePagesFrom;
  if (large && alignment < largePage)
    alignment = largePage;
  void *memory = nullptr;
  if (posix_memalign(&memory, size_t(alignment), size_t(size ? size : 1)) != 0) {
    hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for an arena of %" PRId64 " bytes",
                     size);
    return nullptr;
  }
#if defined(__linux__)
  // Only advice: without large pages the memory works, but is slower.
  if (large)
    (void)madvise(memory, size_t(size) & ~size_t(largePage - 1), MADV_HUGEPAGE);
#endif
  return memory;
}

void hlort_arena_free(void *arena) { std::free(arena); }
