/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-tests: programs that contain a compiled module, the results that the reference evaluator
 * computed when it was compiled, and how far the module's results may be from these. Run on another
 * machine, they check whether the module computes correctly there. `hloc --emit=selftest` makes
 * them.
 *
 * Test: test/tools/selftest.test.
 */
#ifndef HLORT_SELFTEST_H
#define HLORT_SELFTEST_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a result of the module is compared with. */
typedef struct hlort_expected {
  const int64_t *dims;  /* its sizes, including those of bounded dimensions; null for rank 0 */
  const void *elements; /* the expected elements, row-major in the form of .npy files: at least a
                           byte each */
  int64_t count;        /* how many: all, or a sample (runtime/program/Sample.h) */
  double absolute;      /* how far each may be from the expected one, */
  int64_t ulp;          /* or by how many representable values; both 0: it must be equal */
  const char *bound;    /* that in words; null: it must be exact */
} hlort_expected;

typedef struct hlort_selftest {
  const char *compiler; /* with its version */
  const char *const
      *features; /* of the processor that the code needs, by LLVM's names; terminated by null */
  int32_t participants;          /* number of participants that run the module */
  int32_t has_bits;              /* whether the last field is known */
  uint64_t seed;                 /* of the inputs and of the module's generators */
  const int64_t *index_bounds;   /* for each argument the exclusive bound of random integers, 0 for
                                    none; null if there are no arguments */
  uint64_t inputs;               /* the inputs' fingerprint (runtime/program/Sample.h) */
  const hlort_expected *results; /* for each participant all of the module's results; those that are
                                    sizes of others have no elements */
  uint64_t bits;                 /* the fingerprint of all results where the module was compiled */
} hlort_selftest;

/* The main function of such a program. --help describes its command line; its exit codes are 0 the
 * module computes correctly, 1 it does not, 2 wrong command line. */
HLORT_API int32_t hlort_selftest_main(int32_t argc, char **argv, const hlort_module *module,
                                      const hlort_selftest *test);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_SELFTEST_H */
