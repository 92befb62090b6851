/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-tests: programs that hold a compiled module, what the reference evaluator computed of it
 * when it was compiled, and how far from that the module's results may be; run on another machine,
 * they say whether the module computes right there. `hloc --emit=selftest` makes them.
 *
 * Test: test/tools/selftest.test.
 */
#ifndef HLORT_SELFTEST_H
#define HLORT_SELFTEST_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a result of the module is held to. */
typedef struct hlort_expected {
  const int64_t *dims; /* the sizes that it has, those of bounded dimensions too; null for rank 0 */
  const void *elements; /* those that are expected, row-major in the form of .npy files: at least a
                           byte each */
  int64_t count;        /* how many: all, or a sample (runtime/program/Sample.h) */
  double absolute;      /* how far each may be off, */
  int64_t ulp;          /* or by how many representable values; both 0: not at all */
  const char *bound;    /* that in words; null: it must be exact */
} hlort_expected;

typedef struct hlort_selftest {
  const char *compiler; /* that made it, with its version */
  const char *const
      *features;        /* of the processor that the code needs, by LLVM's names; then null */
  int32_t participants; /* how many run the module */
  int32_t has_bits;     /* whether the last field is known */
  uint64_t seed;        /* of the inputs and of the module's generators */
  const int64_t *index_bounds; /* for each argument what random integers have to be less than, 0 if
                                  it does not matter; null if there are no arguments */
  uint64_t inputs;             /* the inputs' fingerprint (runtime/program/Sample.h) */
  const hlort_expected *results; /* of each participant all of the module's results; those that are
                                    sizes of others have no elements */
  uint64_t bits;                 /* the fingerprint of all results where the module was compiled */
} hlort_selftest;

/* The main function of such a program. Its command line is described by --help; its exit codes are
 * 0 the module computes right, 1 it does not, 2 the command line was wrong. */
HLORT_API int32_t hlort_selftest_main(int32_t argc, char **argv, const hlort_module *module,
                                      const hlort_selftest *test);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_SELFTEST_H */
