/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hlort: what compiled HLO modules and their host programs call at run time.
 *
 * Plain C99. Nothing here aborts the process or starts a thread that was not asked for. There is no
 * state outside a context, except the table of built-in custom calls, which never changes, and the
 * addresses of modules' weights. A function that can fail returns a code and, if the caller gave a
 * status, writes the same code and a message there. Every function may be called from any thread;
 * an object must outlive the calls that use it.
 *
 * Tests: test/runtime.
 */
#ifndef HLORT_HLORT_H
#define HLORT_HLORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HLORT_API __attribute__((visibility("default")))
#define HLORT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define HLORT_API
#define HLORT_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------
 * Status
 * ------------------------------------------------------------------------------------------- */

/* What a function that can fail returns. */
typedef enum hlort_code {
  HLORT_OK = 0,
  HLORT_INVALID_ARGUMENT = 1, /* the caller passed an argument that is not valid */
  HLORT_NOT_FOUND = 2,        /* no such custom call, or a library it needs is not installed */
  HLORT_OUT_OF_MEMORY = 3,
  HLORT_UNSUPPORTED = 4,       /* well formed, but this build or machine cannot do it */
  HLORT_DEADLINE_EXCEEDED = 5, /* a participant or a datum did not arrive in time */
  HLORT_CANCELLED = 6,         /* another participant failed, or the host closed the queue */
  HLORT_CALL_FAILED = 7,       /* a custom call failed without its own code */
  HLORT_INTERNAL = 8           /* a fault of hlort itself */
} hlort_code;

/* The outcome of a call. Zero-initialized means success. */
typedef struct hlort_status {
  int32_t code;      /* an hlort_code, or a code of the host's custom call */
  char message[256]; /* NUL-terminated, cut to fit; empty on success */
} hlort_status;

/* Writes code and a printf-style message to status, which may be null. Returns code. */
HLORT_API int32_t hlort_status_set(hlort_status *status, int32_t code, const char *format, ...)
    HLORT_PRINTF(3, 4);

/* HLORT_OK if `holds` is not 0, else HLORT_INVALID_ARGUMENT with this message. Compiled modules
 * call it where the validity of an operation depends on data. */
HLORT_API int32_t hlort_require(int32_t holds, const char *message, hlort_status *status);

/* The name of an hlort_code, "unknown code" for any other number. Never null. */
HLORT_API const char *hlort_code_name(int32_t code);

/* The version of this interface. A module's descriptor holds the version it was compiled for; the
 * two must be equal. */
#define HLORT_ABI_VERSION 5
HLORT_API int32_t hlort_abi_version(void);

/* ---------------------------------------------------------------------------------------------
 * Context
 * ------------------------------------------------------------------------------------------- */

/* What modules run with: threads, custom calls, plans. Every function that takes a context also
 * accepts null: no threads and built-in custom calls only. Several host threads may run modules
 * through one context at the same time; they share its threads. */
typedef struct hlort_context hlort_context;

/* Zero-initialized options are the defaults. */
typedef struct hlort_context_options {
  int32_t threads;  /* threads that one run may use, the caller's included; 0 and 1: no others */
  int32_t reserved; /* must be 0 */
} hlort_context_options;

/* Makes a context; null options are the defaults. Null on failure. Threads start with the first
 * loop that needs them. */
HLORT_API hlort_context *hlort_context_create(const hlort_context_options *options,
                                              hlort_status *status);

/* Destroys a context that no call uses any more; null is ignored. */
HLORT_API void hlort_context_destroy(hlort_context *context);

/* How many threads one run may use; 1 for a null context. */
HLORT_API int32_t hlort_context_threads(const hlort_context *context);

/* ---------------------------------------------------------------------------------------------
 * Parallel loops
 * ------------------------------------------------------------------------------------------- */

/* Runs tasks begin <= i < end. */
typedef void (*hlort_loop_body)(void *frame, int64_t begin, int64_t end);

/* Calls body on consecutive ranges that cover 0 <= i < tasks exactly once, and returns when all
 * have returned. The ranges depend only on tasks and the number of threads; which thread runs which
 * is not fixed. Tasks must not depend on one another, nor their results on how they are grouped.
 * The body runs in the caller if the context is null, if there is one thread or one task, and
 * inside the body of a loop that runs in parallel. */
HLORT_API void hlort_parallel_for(hlort_context *context, int64_t tasks, hlort_loop_body body,
                                  void *frame);

/* ---------------------------------------------------------------------------------------------
 * Matrix registers
 * ------------------------------------------------------------------------------------------- */

/* Asks the system to permit the process the use of matrix registers (AMX); HLORT_UNSUPPORTED if
 * there are none or it refuses. Modules that use them call it at each run. */
HLORT_API int32_t hlort_matrices_request(hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * Memory
 * ------------------------------------------------------------------------------------------- */

/* Memory for a module's temporaries: size bytes at a multiple of alignment (a power of two; 0
 * means 64). The contents are undefined. Null only on failure: a size of 0 has an address too. */
HLORT_API void *hlort_arena_allocate(int64_t size, int64_t alignment, hlort_status *status);

/* Frees what hlort_arena_allocate returned; null is ignored. */
HLORT_API void hlort_arena_free(void *arena);

/* ---------------------------------------------------------------------------------------------
 * Buffers
 * ------------------------------------------------------------------------------------------- */

/* HLO's element types, with the numbers that XLA gives them. */
typedef enum hlort_element_type {
  HLORT_PRED = 1, /* one byte, 0 or 1 */
  HLORT_S8 = 2,
  HLORT_S16 = 3,
  HLORT_S32 = 4,
  HLORT_S64 = 5,
  HLORT_U8 = 6,
  HLORT_U16 = 7,
  HLORT_U32 = 8,
  HLORT_U64 = 9,
  HLORT_F16 = 10,
  HLORT_F32 = 11,
  HLORT_F64 = 12,
  HLORT_OPAQUE = 14,
  HLORT_C64 = 15, /* two F32: real, imaginary */
  HLORT_BF16 = 16,
  HLORT_TOKEN = 17, /* no bytes */
  HLORT_C128 = 18,  /* two F64: real, imaginary */
  HLORT_F8E5M2 = 19,
  HLORT_F8E4M3FN = 20,
  HLORT_S4 = 21, /* types below one byte are packed, the first element in the low bits */
  HLORT_U4 = 22,
  HLORT_F8E4M3B11FNUZ = 23,
  HLORT_F8E5M2FNUZ = 24,
  HLORT_F8E4M3FNUZ = 25,
  HLORT_S2 = 26,
  HLORT_U2 = 27,
  HLORT_F8E4M3 = 28,
  HLORT_F8E3M4 = 29,
  HLORT_S1 = 30,
  HLORT_U1 = 31,
  HLORT_F4E2M1FN = 32,
  HLORT_F8E8M0FNU = 33
} hlort_element_type;

/* Bits of one element; complex types count both parts. 0 for opaque, token and unknown types. */
HLORT_API int32_t hlort_element_bits(int32_t element_type);

/* A dense array in memory. */
typedef struct hlort_buffer {
  int32_t element_type;          /* an hlort_element_type */
  int32_t rank;                  /* number of dimensions */
  const int64_t *dims;           /* rank sizes; may be null for rank 0 */
  const int64_t *minor_to_major; /* rank dimension numbers, the fastest-varying first; null means
                                    row-major: rank - 1, ..., 1, 0 */
  void *data;                    /* never written through when the buffer is an operand */
} hlort_buffer;

/* ---------------------------------------------------------------------------------------------
 * Compiled modules
 * ------------------------------------------------------------------------------------------- */

/* The entry function of a compiled module: 0, or the code of a failure. arguments and results
 * contain a pointer for each of the module's; arena is null (memory is allocated for this call) or
 * memory with the module's arena_bytes and arena_alignment, which two calls at a time must not
 * share. */
typedef int32_t (*hlort_entry)(hlort_context *context, const void *const *arguments,
                               void *const *results, void *arena, hlort_status *status);

/* Properties of a module with collectives that its participants share: hlort/collective.h. */
typedef struct hlort_program hlort_program;

/* An argument or a result of a compiled module. */
typedef struct hlort_port {
  const char *name;
  int32_t element_type;          /* an hlort_element_type */
  int32_t rank;                  /* number of dimensions */
  const int64_t *dims;           /* rank sizes; null for rank 0 */
  const int64_t *minor_to_major; /* its layout: rank dimension numbers, the fastest-varying first */
  int64_t bytes;                 /* in memory */
  int64_t alias;                 /* of a result: the argument whose memory it may use, else -1 */
  const int64_t
      *sizes;      /* null if dims are the sizes. Else rank numbers: dims[d] is a bound, and the
                      argument (of a result: the result) of that number, an s32, is the size;
                      -1 where dims[d] is. Elements lie where those of the bound would. */
  int64_t size_of; /* of such a size: the number of the array, else -1 */
} hlort_port;

/* Constants of a module in a separate file, and parameters that became constants:
 * hlort/weights.h. */
typedef struct hlort_weights hlort_weights;
typedef struct hlort_bound hlort_bound;

/* Fills the block of prepared arrays (hlort_preparation), which nothing else may use meanwhile.
 * Returns 0, or the code of a failure, after which the block is not valid. arguments has a pointer
 * for each argument of the module; only those are read that `uses` marks HLORT_READ_BY_PREPARE, and
 * the others may be null. arena is null or the preparation's arena_bytes of memory, at a multiple
 * of the module's arena_alignment. */
typedef int32_t (*hlort_prepare)(hlort_context *context, const void *const *arguments,
                                 void *prepared, void *arena, hlort_status *status);

/* Which functions read an argument, and whether it is a prepared parameter: one that stays the same
 * over many runs. */
enum { HLORT_READ_BY_RUN = 1, HLORT_READ_BY_PREPARE = 2, HLORT_PREPARED_PARAMETER = 4 };

/* How parameters that stay the same over many runs (`hloc --prepare`) are prepared. */
typedef struct hlort_preparation {
  hlort_prepare prepare;
  int64_t argument; /* the number of the module's argument that is the block; it is the last */
  int64_t bytes;    /* of the block */
  int64_t alignment;
  int64_t arena_bytes;
  const int64_t *uses; /* for each argument before the block a combination of the bits above. An
                          argument that runs do not read may be null. */
} hlort_preparation;

/* The descriptor of a module. Constant data of its object, symbol NAME_module. */
typedef struct hlort_module {
  int32_t abi_version; /* HLORT_ABI_VERSION of the compiler */
  int32_t reserved;
  const char *name;
  const char *target; /* the machine it was compiled for: LLVM triple and CPU */
  hlort_entry run;
  int64_t argument_count;
  const hlort_port *arguments;
  int64_t result_count;
  const hlort_port *results;
  int64_t arena_bytes;
  int64_t arena_alignment;
  const hlort_program *program; /* its participants; null: it is for one */
  int64_t thread_count;         /* threads that its asynchronous computations name */
  const char *const *threads;   /* their names: hlort/async.h; null if there are none */
  hlort_weights *weights;       /* the file that it needs; null if all constants are in its code */
  int64_t bound_count; /* parameters that were bound at compile time and are no arguments */
  const hlort_bound *bound;
  const hlort_preparation *preparation; /* null if no parameter is prepared */
} hlort_module;

/* Whether this runtime can run the module: HLORT_OK, or HLORT_INVALID_ARGUMENT if it was compiled
 * for another version of this interface. A host checks once, before the first call. */
HLORT_API int32_t hlort_module_check(const hlort_module *module, hlort_status *status);

/* The main function of a program that runs a module on files: what `hloc --emit=exe` links. --help
 * describes its command line; its exit codes are 0 success, 1 failure, 2 wrong command line.
 * index_bounds, null or a number for each argument, are exclusive bounds of random integers; 0
 * means no bound. */
HLORT_API int32_t hlort_main(int32_t argc, char **argv, const hlort_module *module,
                             const int64_t *index_bounds);

/* ---------------------------------------------------------------------------------------------
 * Traces
 *
 * Only for modules compiled with tracing (`hlo-run --trace`); others contain no code for it.
 * ------------------------------------------------------------------------------------------- */

/* The subject of an event. Constant data of the module. */
typedef struct hlort_trace_label {
  const char *name;     /* the instruction */
  const char *category; /* kernel, task (a part of a kernel on one thread), call, copy, loop */
  const char *detail;   /* the instruction's op_name, or empty */
  const char
      *kernel; /* of kernels and tasks: the kernel's name in `hloc --report`; of kernels that run
                  together, tile by tile, all of their names, joined by "+"; else empty */
} hlort_trace_label;

typedef struct hlort_trace_event {
  const hlort_trace_label *label;
  int64_t begin, end; /* nanoseconds since the start of the trace */
  int32_t thread;     /* 0 for the first that reported an event, 1 for the next, ... */
  int32_t reserved;
} hlort_trace_event;

/* Begins a trace: events of runs with this context are recorded from now on, older ones dropped. */
HLORT_API int32_t hlort_trace_start(hlort_context *context, hlort_status *status);

/* Ends it and returns its events in the order in which they ended, and their number in count. They
 * belong to the context and are valid until the next start. Must not be called during a run. */
HLORT_API const hlort_trace_event *hlort_trace_stop(hlort_context *context, int64_t *count);

/* The name of an event's thread, if it is one that the host has added to the context
 * (hlort/async.h); else empty. Never null. */
HLORT_API const char *hlort_trace_thread_name(const hlort_context *context, int32_t thread);

/* Traced modules call these around everything that they do. The context may be null. */
HLORT_API int64_t hlort_trace_begin(hlort_context *context);
HLORT_API void hlort_trace_end(hlort_context *context, const hlort_trace_label *label,
                               int64_t begin);

/* ---------------------------------------------------------------------------------------------
 * Custom calls
 * ------------------------------------------------------------------------------------------- */

typedef enum hlort_attribute_kind {
  HLORT_ATTRIBUTE_INTEGER = 0,  /* integer */
  HLORT_ATTRIBUTE_FLOAT = 1,    /* real */
  HLORT_ATTRIBUTE_BOOL = 2,     /* integer, 0 or 1 */
  HLORT_ATTRIBUTE_STRING = 3,   /* data: count characters and a NUL */
  HLORT_ATTRIBUTE_INTEGERS = 4, /* data: count int64_t */
  HLORT_ATTRIBUTE_FLOATS = 5    /* data: count double */
} hlort_attribute_kind;

/* One attribute of a custom call. Fields that the kind does not use are 0. The name of an attribute
 * of a nested dictionary is the path to it, joined by dots. */
typedef struct hlort_attribute {
  const char *name;
  int32_t kind; /* an hlort_attribute_kind */
  int32_t reserved;
  int64_t integer;
  double real;
  const void *data;
  int64_t count;
} hlort_attribute;

/* The arguments of a custom call. Tuples are flattened; token operands and results have no data.
 * Arrays of bounded dynamic size have the memory of the bound, and their sizes, an int32_t for each
 * bounded dimension, are operands and results after all others; elements past the sizes are
 * unspecified. The call writes every result and nothing else. A result shares the memory of an
 * operand only where the instruction's output_operand_aliasing says so. */
typedef struct hlort_custom_call_frame {
  const char *target;     /* custom_call_target */
  hlort_context *context; /* of the run, may be null; hlort_custom_call sets it */
  int64_t operand_count;
  const hlort_buffer *operands;
  int64_t result_count;
  const hlort_buffer *results;
  int64_t attribute_count;
  const hlort_attribute *attributes; /* parsed from backend_config if that is a dictionary */
  const char *backend_config;        /* the text as in the module, never null; NUL-terminated */
  int64_t backend_config_size;       /* characters before the NUL */
} hlort_custom_call_frame;

/* Returns 0, or a code after it has written the status (hlort_status_set does both); if it does not
 * write the status, hlort_custom_call writes one that names the target. status is never null. */
typedef int32_t (*hlort_custom_call_function)(void *user, const hlort_custom_call_frame *frame,
                                              hlort_status *status);

/* Registers a target with a context; it takes precedence over a built-in of the same name.
 * Registering a name again replaces the function. user is passed on to it. */
HLORT_API int32_t hlort_register_custom_call(hlort_context *context, const char *target,
                                             hlort_custom_call_function function, void *user,
                                             hlort_status *status);

/* 1 if the target is registered with the context or built in, else 0. */
HLORT_API int32_t hlort_has_custom_call(const hlort_context *context, const char *target);

/* Calls a target, as compiled modules do. context and status may be null. */
HLORT_API int32_t hlort_custom_call(hlort_context *context, const hlort_custom_call_frame *frame,
                                    hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * Random numbers
 *
 * For rng and rng-get-and-update-state, whose generators continue from one run to the next. To get
 * the same numbers again, a program seeds its context again.
 * ------------------------------------------------------------------------------------------- */

/* Restarts all generators of the context with this seed; a new context has seed 0. */
HLORT_API int32_t hlort_random_seed(hlort_context *context, uint64_t seed, hlort_status *status);

/* Writes the two words, low one first, of a generator's 128-bit state, and then adds delta to it,
 * as compiled modules do. A generator is an instruction of a module; modules of the same name share
 * generators. It starts at 0x7012395 in the low word and the seed in the high one. The context must
 * not be null. */
HLORT_API int32_t hlort_random_state(hlort_context *context, const char *generator, uint64_t delta,
                                     uint64_t *state, hlort_status *status);

/* ---------------------------------------------------------------------------------------------
 * Fourier transforms
 * ------------------------------------------------------------------------------------------- */

/* As HLO's fft_type. */
typedef enum hlort_fft_kind {
  HLORT_FFT = 0,  /* complex to complex, exponent -2 pi i */
  HLORT_IFFT = 1, /* complex to complex, exponent +2 pi i, divided by the product of lengths */
  HLORT_RFFT = 2, /* real to the first n / 2 + 1 complex coefficients */
  HLORT_IRFFT = 3 /* the inverse of that; ignores imaginary parts that must be 0 */
} hlort_fft_kind;

/* Transforms the fft_rank (1 to 3) last dimensions of a dense row-major array, like HLO's fft.
 * real_type is HLORT_F32 or HLORT_F64, the type of a real number or of one part of a complex one.
 * dims are the input's rank dimensions; the last ones must be equal to fft_length, except that the
 * very last one of HLORT_IRFFT must be fft_length / 2 + 1. in and out may be the same memory for
 * complex to complex, and must not overlap otherwise. */
HLORT_API int32_t hlort_fft(hlort_context *context, int32_t kind, int32_t real_type, int32_t rank,
                            const int64_t *dims, int32_t fft_rank, const int64_t *fft_length,
                            const void *in, void *out, hlort_status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_HLORT_H */
