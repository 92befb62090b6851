/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights: constants of a module in a separate file, model.weights, next to its code.
 *
 * The file is mapped into memory, once per process whatever the number of contexts and threads, and
 * processes that map the same file share its memory. It is never written to. The first run of the
 * module maps it, from the folder of the program or shared library that contains the module; a host
 * that has it elsewhere loads it before. A file that is missing, truncated or of another module or
 * build is refused with a code and a message, and the run that needed it does nothing.
 *
 * Tests: test/runtime/WeightsTest.cpp.
 */
#ifndef HLORT_WEIGHTS_H
#define HLORT_WEIGHTS_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A module's file of weights: hlort_module.weights. It is part of the module's object; only these
 * functions use its fields. */
struct hlort_weights {
  const void *data;   /* the file in memory; null until it is loaded */
  const void *mapped; /* the same, if it is to be unmapped */
  const char *file;   /* its name, without a folder */
  const char *module; /* the module's name */
  int64_t bytes;      /* of the file */
  uint64_t hash;      /* of what is in it */
};

/* An argument of the original module that was bound at compile time. */
struct hlort_bound {
  const char *name;
  int32_t element_type; /* an hlort_element_type */
  int32_t rank;
  const int64_t *dims;
  const char *source; /* the file and the array in it, `model.safetensors:layers.0.w` */
};

/* Maps the file at path; null: the file of its name next to the program or shared library that
 * contains the module, as the first run does. Does nothing if the module has its weights already,
 * or needs none (weights is null). HLORT_NOT_FOUND: there is no such file; HLORT_INVALID_ARGUMENT:
 * it does not belong to this module, or is not complete. The file must not be written to while it
 * is mapped; to replace it, rename another one. */
HLORT_API int32_t hlort_weights_load(hlort_weights *weights, const char *path,
                                     hlort_status *status);

/* Uses the contents of the file in the host's memory, aligned to 64 bytes, which must outlive all
 * runs: for example pages of another size, or weights that are in the program itself. */
HLORT_API int32_t hlort_weights_use(hlort_weights *weights, const void *memory, int64_t bytes,
                                    hlort_status *status);

/* Reads all weights and compares them with their hashes; loads them first if necessary. Loading
 * checks only the hashes themselves, which are at the start of the file. HLORT_CALL_FAILED:
 * something in the file has changed. */
HLORT_API int32_t hlort_weights_verify(hlort_weights *weights, hlort_status *status);

/* Forgets the weights, and unmaps them if hlort has mapped them; the next run maps them again. Must
 * not be called while the module runs. */
HLORT_API void hlort_weights_unload(hlort_weights *weights);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_WEIGHTS_H */
