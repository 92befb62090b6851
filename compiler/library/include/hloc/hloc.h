/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler as a shared library, libhloc.so: HLO text or an HloModuleProto in, a function of
 * this process out, which can be saved as a shared library with its header. The Python package is
 * made over it.
 *
 * Plain C99. The library has the runtime inside: programs that link it call the functions of
 * hlort/hlort.h there, not in libhlort.a. Nothing here prints, ends the process or leaves threads
 * behind. Every function may be called from any thread; several modules may be compiled at the same
 * time.
 *
 * Test: test/library/LibraryTest.cpp.
 */
#ifndef HLOC_HLOC_H
#define HLOC_HLOC_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array in memory that a parameter is bound to: it becomes a constant. */
typedef struct hloc_bound_array {
  const char *name;     /* the parameter's, as in `hloc --bind` (docs/weights.md) */
  int32_t element_type; /* an hlort_element_type */
  int32_t rank;
  const int64_t *dims;
  const void *data; /* row-major; elements of less than a byte one a byte */
} hloc_bound_array;

/* How a module is compiled. Zero-initialized but for `file` it is what `hloc FILE` does. */
typedef struct hloc_options {
  const char *file; /* the module's file; with `text` only its name in messages */
  const char *text; /* null, or the module, text or not: text_size bytes and a NUL */
  size_t text_size;
  const char *name;        /* prefix of the symbols; null: from the file's name */
  const char *cpu;         /* as `hloc --mcpu`; null: this machine's */
  int32_t level;           /* 0: the default, 3; else one more than the N of -ON: 1 is -O0 */
  int32_t threads;         /* 1: code that never needs a pool of threads; 0: any number */
  int32_t fast_math;       /* as `hloc --fast-math` */
  int32_t native_bf16_dot; /* as `hloc --bf16-dot=native` */
  int32_t reproducible;    /* as `hloc --reproducible`; not with the two above */

  const char *const *bind; /* NAME=FILE[:KEY] each, as `hloc --bind` */
  size_t bind_count;
  const char *const *bind_all; /* files and folders, as `hloc --bind-all` */
  size_t bind_all_count;
  const hloc_bound_array *arrays; /* read while the module is compiled, and not after */
  size_t array_count;

  const char *cache; /* a folder where what is compiled is kept, as `hloc --cache`; "": none; null:
                        the one that the environment names, HLOC_CACHE */
  uint64_t cache_size; /* bytes that may be kept there; 0: as many as hloc does */
  double time_budget;  /* as `hloc --time-budget`, seconds; 0: as long as it takes */
} hloc_options;

typedef enum hloc_severity {
  HLOC_ERROR = 0,
  HLOC_WARNING = 1,
  HLOC_REMARK = 2,
  HLOC_NOTE = 3 /* adds to the message before it */
} hloc_severity;

/* Something said about the module. No string is null. */
typedef struct hloc_message {
  int32_t severity;     /* an hloc_severity */
  int32_t line, column; /* from 1, for an HloModuleProto those of its text; 0: no place */
  const char *file;     /* the module's, or in a note the user's program that it was made from */
  const char *code;     /* as `H0100`, of which `hloc --explain` has a page; empty if it has none */
  const char *text;
} hloc_message;

/* What became of a module. */
typedef enum hloc_outcome {
  HLOC_DONE = 0,
  HLOC_REFUSED = 1,     /* something is wrong with it; messages say what */
  HLOC_WRONG_USAGE = 2, /* an option is wrong */
  HLOC_UNSUPPORTED = 3  /* it is right, but cannot be compiled */
} hloc_outcome;

/* A module that was compiled or opened, or why it was not. */
typedef struct hloc_result hloc_result;

/* Compiles a module and links it into this process. Null only if there is no memory. */
HLORT_API hloc_result *hloc_compile(const hloc_options *options);

/* Opens a shared library that hloc_save or `hloc --emit=shared` has written, by the system's
 * loader, which keeps it until the process ends. It has a runtime of its own inside. */
HLORT_API hloc_result *hloc_open(const char *file);

/* Makes a context for the result's module, as hlort_context_create does, with the threads that its
 * asynchronous computations name if it has more than one thread. */
HLORT_API hlort_context *hloc_create_context(const hloc_result *result,
                                             const hlort_context_options *options,
                                             hlort_status *status);

/* Destroys it; null is ignored. Before the result. */
HLORT_API void hloc_destroy_context(const hloc_result *result, hlort_context *context);

/* Frees the result and, unless it was opened, its code, which nothing may run any more; null is
 * ignored. */
HLORT_API void hloc_destroy(hloc_result *result);

/* An hloc_outcome. */
HLORT_API int32_t hloc_get_outcome(const hloc_result *result);

/* All messages in their order, the result's, and their number. */
HLORT_API const hloc_message *hloc_get_messages(const hloc_result *result, size_t *count);

/* The same as the tools print them, with lines of the module and carets. Never null. */
HLORT_API const char *hloc_get_printed_messages(const hloc_result *result);

/* What can be called; null unless the outcome is HLOC_DONE. It lives as long as the result. */
HLORT_API const hlort_module *hloc_get_module(const hloc_result *result);

/* The object's bytes and the text of its header, the result's; null and 0 of one that was opened.
 */
HLORT_API const char *hloc_get_object(const hloc_result *result, size_t *size);
HLORT_API const char *hloc_get_header(const hloc_result *result, size_t *size);

/* What is in the file of weights, the result's, which the object wants beside it under the name
 * that hlort_module.weights has; null and 0 if parameters were not bound. */
HLORT_API const char *hloc_get_weights(const hloc_result *result, size_t *size);

/* Maps the weights of a module that was opened from the file at path, as hlort_weights_load does.
 */
HLORT_API int32_t hloc_load_weights(const hloc_result *result, const char *path,
                                    hlort_status *status);

/* Writes the module as a shared library with what it needs of the runtime, beside it its header
 * with the ending .h and, if parameters were bound, the file of weights: all or, after a failure,
 * none. HLORT_UNSUPPORTED of one that was opened. */
HLORT_API int32_t hloc_save(const hloc_result *result, const char *file, hlort_status *status);

/* The version of hloc, such as "0.1.0". */
HLORT_API const char *hloc_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLOC_HLOC_H */
