/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous computations: what a module's async-start begins and its async-done waits for.
 *
 * HLO names a thread for them (async_execution_thread). If the host has added a thread of that name
 * to the context, they run on it, concurrently with the rest of the module; otherwise they run in
 * order, on the thread that runs the module. Results are the same. If a computation fails, because
 * of a custom call or of a transfer that is closed or late, so does async-done, and with it the
 * run.
 *
 * Tests: test/runtime/AsyncTest.cpp.
 */
#ifndef HLORT_ASYNC_H
#define HLORT_ASYNC_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts a thread for computations that name it. It runs them one at a time, in the order in which
 * they are started, and ends with the context. Fails if the context has a thread of that name. */
HLORT_API int32_t hlort_context_add_thread(hlort_context *context, const char *name,
                                           hlort_status *status);

/* Starts all threads that a module names and the context does not have yet. */
HLORT_API int32_t hlort_context_add_threads(hlort_context *context, const hlort_module *module,
                                            hlort_status *status);

/* 1 if the context has a thread of that name, else 0. */
HLORT_API int32_t hlort_context_has_thread(const hlort_context *context, const char *name);

/* ---------------------------------------------------------------------------------------------
 * What compiled modules call
 * ------------------------------------------------------------------------------------------- */

/* A computation: compiled code. Returns 0, or a code after it has written the status. */
typedef int32_t (*hlort_async_body)(void *const *pointers, hlort_status *status);

/* A computation in flight. */
typedef struct hlort_async hlort_async;

/* Begins body(pointers, ...) on the context's thread of that name, with a copy of the count
 * pointers; or runs it at once if there is no such thread, or if the caller is a thread of a
 * context itself, since these must never wait for each other. *ticket has to be passed to
 * hlort_async_wait; null if there is nothing to wait for. *scope, null at first, lists the
 * computations of a run in flight. */
HLORT_API int32_t hlort_async_start(hlort_context *context, const char *thread,
                                    hlort_async_body body, int64_t count, void *const *pointers,
                                    hlort_async **scope, hlort_async **ticket,
                                    hlort_status *status);

/* Waits for the end of a computation, and returns its code. Sets *ticket to null; if it is null
 * already, does nothing. */
HLORT_API int32_t hlort_async_wait(hlort_async **scope, hlort_async **ticket, hlort_status *status);

/* Waits for all computations of a failed run that are in flight: they use its memory until then. */
HLORT_API void hlort_async_abandon(hlort_async **scope);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_ASYNC_H */
