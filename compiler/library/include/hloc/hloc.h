/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler as a shared library, libhloc.so: it compiles HLO text or an HloModuleProto to a
 * function of this process, which can be saved as a shared library with its header. The Python
 * package uses it.
 *
 * Plain C99. The library contains the runtime: programs that link it call the functions of
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
  const char *name;     /* the parameter's name, as for `hloc --bind` (docs/weights.md) */
  int32_t element_type; /* an hlort_element_type */
  int32_t rank;
  const int64_t *dims;
  const void *data; /* row-major; elements of less than a byte have one each */
} hloc_bound_array;

/* How to compile a module. Zero-initialized except for `file`, it means `hloc FILE`. */
typedef struct hloc_options {
  const char *file; /* the module's file; with `text` only its name for messages */
  const char *text; /* null, or the contents of the module, which may be binary: text_size bytes and
                       a NUL */
  size_t text_size;
  const char *name;     /* prefix of the symbols; null: from the file's name */
  const char *cpu;      /* as for `hloc --mcpu`; null: this machine's */
  int32_t level;        /* 0: the default, 3; else N + 1 for -ON: 1 is -O0 */
  int32_t threads;      /* 1: code that never needs a thread pool; 0: any number */
  int32_t fast_math;    /* as for `hloc --fast-math` */
  int32_t bf16_dot;     /* as for `hloc --bf16-dot`: 0: checked, 1: native, 2: exact */
  int32_t reproducible; /* as for `hloc --reproducible`; excludes fast_math and a bf16_dot of 1 */

  const char *const *bind; /* NAME=FILE[:KEY] each, as for `hloc --bind` */
  size_t bind_count;
  const char *const *bind_all; /* files and folders, as for `hloc --bind-all` */
  size_t bind_all_count;
  const hloc_bound_array *arrays; /* read only while the module is compiled */
  size_t array_count;

  const char *cache; /* the folder of the cache, as for `hloc --cache`; "": none; null: that of the
                        environment variable HLOC_CACHE */
  uint64_t cache_size; /* its maximum size in bytes; 0: hloc's default */
  double time_budget;  /* as for `hloc --time-budget`, seconds; 0: no limit */

  const char *const *prepare; /* names of parameters, as in `hloc --prepare` */
  size_t prepare_count;

  int32_t flush_subnormals; /* as for `hloc --flush-subnormals`; excludes `reproducible` */
  int32_t excess_precision; /* as for `hloc --excess-precision`; excludes `reproducible` */
} hloc_options;

typedef enum hloc_severity {
  HLOC_ERROR = 0,
  HLOC_WARNING = 1,
  HLOC_REMARK = 2,
  HLOC_NOTE = 3 /* adds to the message before it */
} hloc_severity;

/* A diagnostic. No string is null. */
typedef struct hloc_message {
  int32_t severity;     /* an hloc_severity */
  int32_t line, column; /* from 1, for an HloModuleProto those of its text; 0: unknown */
  const char *file;     /* the module's, or in a note that of the program that it was made from */
  const char *code;     /* such as `H0100`, explained by `hloc --explain`; empty if it has none */
  const char *text;
} hloc_message;

/* The outcome of a compilation. */
typedef enum hloc_outcome {
  HLOC_DONE = 0,
  HLOC_REFUSED = 1,     /* the module is invalid; messages say why */
  HLOC_WRONG_USAGE = 2, /* an option is wrong */
  HLOC_UNSUPPORTED = 3  /* the module is valid, but cannot be compiled */
} hloc_outcome;

/* A module that was compiled or opened, or why it was not. */
typedef struct hloc_result hloc_result;

/* Compiles a module and links it into this process. Returns null only if there is no memory. */
HLORT_API hloc_result *hloc_compile(const hloc_options *options);

/* Opens a shared library that hloc_save or `hloc --emit=shared` has written, with the system's
 * loader, which keeps it until the process ends. It contains its own runtime. */
HLORT_API hloc_result *hloc_open(const char *file);

/* Makes a context for the result's module, like hlort_context_create. If it has more than one
 * thread, it also has the threads that the module's asynchronous computations name. */
HLORT_API hlort_context *hloc_create_context(const hloc_result *result,
                                             const hlort_context_options *options,
                                             hlort_status *status);

/* Destroys it; null is ignored. Must be called before the result is destroyed. */
HLORT_API void hloc_destroy_context(const hloc_result *result, hlort_context *context);

/* Frees the result and, unless it was opened, its code, which must not be running; null is
 * ignored. */
HLORT_API void hloc_destroy(hloc_result *result);

/* An hloc_outcome. */
HLORT_API int32_t hloc_get_outcome(const hloc_result *result);

/* All messages in order, and their number. They belong to the result. */
HLORT_API const hloc_message *hloc_get_messages(const hloc_result *result, size_t *count);

/* The same in the form that the tools print, with lines of the module and carets. Never null. */
HLORT_API const char *hloc_get_printed_messages(const hloc_result *result);

/* The compiled module; null unless the outcome is HLOC_DONE. It lives as long as the result. */
HLORT_API const hlort_module *hloc_get_module(const hloc_result *result);

/* The object's bytes and the text of its header, which belong to the result; null and 0 for one
 * that was opened. */
HLORT_API const char *hloc_get_object(const hloc_result *result, size_t *size);
HLORT_API const char *hloc_get_header(const hloc_result *result, size_t *size);

/* The contents of the file of weights, which belong to the result. The object needs the file next
 * to it under the name in hlort_module.weights; null and 0 if no parameters were bound. */
HLORT_API const char *hloc_get_weights(const hloc_result *result, size_t *size);

/* Maps the weights of a module that was opened from the file at path, as hlort_weights_load does.
 */
HLORT_API int32_t hloc_load_weights(const hloc_result *result, const char *path,
                                    hlort_status *status);

/* Writes the module as a shared library with the parts of the runtime that it needs, its header
 * with the extension .h next to it, and, if parameters were bound, the file of weights: all or,
 * after a failure, none. HLORT_UNSUPPORTED for one that was opened. */
HLORT_API int32_t hloc_save(const hloc_result *result, const char *file, hlort_status *status);

/* The version of hloc, such as "0.1.0". */
HLORT_API const char *hloc_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLOC_HLOC_H */
