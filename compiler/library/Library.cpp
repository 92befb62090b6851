// SPDX-License-Identifier: Apache-2.0
// Accessors of results.
#include "compiler/driver/LinkRuntime.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/library/Result.h"
#include "hlort/async.h"
#include "llvm/Support/Path.h"

using namespace llvm;

void hloc_destroy(hloc_result *result) { delete result; }

int32_t hloc_get_outcome(const hloc_result *result) { return result->outcome; }

const hloc_message *hloc_get_messages(const hloc_result *result, size_t *count) {
  *count = result->messages.size();
  return result->messages.data();
}

const char *hloc_get_printed_messages(const hloc_result *result) { return result->printed.c_str(); }

hlort_context *hloc_create_context(const hloc_result *result, const hlort_context_options *options,
                                   hlort_status *status) {
  const Runtime &runtime = result->runtime;
  hlort_context *context = runtime.createContext(options, status);
  if (!context || result->module->thread_count == 0 || runtime.getThreads(context) < 2)
    return context;
  if (runtime.addThreads(context, result->module, status) == HLORT_OK)
    return context;
  runtime.destroyContext(context);
  return nullptr;
}

void hloc_destroy_context(const hloc_result *result, hlort_context *context) {
  if (context)
    result->runtime.destroyContext(context);
}

const hlort_module *hloc_get_module(const hloc_result *result) { return result->module; }

const char *hloc_get_object(const hloc_result *result, size_t *size) {
  *size = result->object.size();
  return result->object.empty() ? nullptr : result->object.data();
}

const char *hloc_get_header(const hloc_result *result, size_t *size) {
  *size = result->header.size();
  return result->header.empty() ? nullptr : result->header.c_str();
}

const char *hloc_get_weights(const hloc_result *result, size_t *size) {
  *size = size_t(result->weights.bytes);
  return result->weights.data.get();
}

int32_t hloc_load_weights(const hloc_result *result, const char *path, hlort_status *status) {
  return result->runtime.loadWeights(result->module->weights, path, status);
}

static Error save(const hloc_result &result, StringRef file) {
  SmallVector<char, 0> library;
  if (Error error = hloc::linkShared(result.object, library))
    return error;
  SmallString<128> header(file);
  sys::path::replace_extension(header, "h");
  if (header == file)
    return createStringError(file + ": error: expected another ending, as this is the header's");
  hloc::OutputFiles files;
  if (Error error = files.add(file, StringRef(library.data(), library.size())))
    return error;
  if (Error error = files.add(header, result.header))
    return error;
  if (hlort_weights *weights = result.module->weights) {
    SmallString<128> path(sys::path::parent_path(file));
    sys::path::append(path, weights->file);
    if (Error error = files.add(path, StringRef(result.weights.data.get(), result.weights.bytes)))
      return error;
  }
  return files.commit();
}

int32_t hloc_save(const hloc_result *result, const char *file, hlort_status *status) {
  if (result->object.empty())
    return hlort_status_set(status, HLORT_UNSUPPORTED,
                            "only what was compiled in this process can be saved");
  if (Error error = save(*result, file))
    return hlort_status_set(status, HLORT_CALL_FAILED, "%s", toString(std::move(error)).c_str());
  return HLORT_OK;
}

const char *hloc_version() { return HLOC_VERSION; }
