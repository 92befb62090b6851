/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous computations: what a module's async-start begins and its async-done waits for.
 *
 * HLO names a thread for them (async_execution_thread). Where the host has given the context a
 * thread of that name, they run on it, beside the rest of the module; elsewhere they run in order,
 * in the thread that runs the module. Results are the same. What fails in one, such as a custom
 * call or a transfer that is closed or late, is what async-done comes to, and so the run.
 *
 * Tests: test/runtime/AsyncTest.cpp.
 */
#ifndef HLORT_ASYNC_H
#define HLORT_ASYNC_H

#include "hlort/hlort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts a thread for computations that name it. It runs them one after the other, in the order in
 * which they are started, and ends with the context. Fails if the context has one of that name. */
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

/* A computation under way. */
typedef struct hlort_async hlort_async;

/* Begins body(pointers, ...) on the context's thread of that name, with a copy of the count
 * pointers; or runs it at once if there is no such thread, or if the caller is a thread of a
 * context itself: these never wait for each other. *ticket is to be given to hlort_async_wait; null
 * if there is nothing to wait for. *scope, null at first, keeps what a run has under way. */
HLORT_API int32_t hlort_async_start(hlort_context *context, const char *thread,
                                    hlort_async_body body, int64_t count, void *const *pointers,
                                    hlort_async **scope, hlort_async **ticket,
                                    hlort_status *status);

/* Waits for the end of a computation, and returns what it came to. Sets *ticket to null; if it is
 * null already, there is nothing to do. */
HLORT_API int32_t hlort_async_wait(hlort_async **scope, hlort_async **ticket, hlort_status *status);

/* Waits for everything that a run has under way, which has failed: its memory is used until then.
 */
HLORT_API void hlort_async_abandon(hlort_async **scope);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HLORT_ASYNC_H */
