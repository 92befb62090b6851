// SPDX-License-Identifier: Apache-2.0
// The part of XLA's interface for custom calls (its "FFI", version 0.x) that hloc uses: the memory
// layout of a call's frame, and how a call fails. Only fields that all of these versions have, in
// their order; each structure begins with its size, so that later versions may be longer. Test:
// test/python/test_ffi.py.

#ifndef HLOC_PYTHON_NATIVE_XLAFFI_H
#define HLOC_PYTHON_NATIVE_XLAFFI_H

#include <cstddef>
#include <cstdint>

namespace hloc::python::xla {

struct Error;

/// An element of a chain of extensions of a frame. XLA asks a handler for its version with one.
struct Extension {
  size_t size;
  int32_t kind;
  Extension *next;
};
constexpr int32_t kMetadata = 1;

struct Version {
  size_t size;
  Extension *extensions;
  int32_t major, minor;
};

struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

struct ErrorArguments {
  size_t size;
  Extension *extensions;
  const char *message;
  int32_t code;
};
constexpr int32_t kInvalidArgument = 3, kInternal = 13;

struct Functions {
  size_t size;
  Extension *extensions;
  Version version;
  const void *internal;
  Error *(*createError)(ErrorArguments *arguments);
};

/// An array. Its element type is a number of hlort.h.
struct Buffer {
  size_t size;
  Extension *extensions;
  int32_t elementType;
  void *data;
  int64_t rank;
  int64_t *dims;
};

/// Arguments and results: each is a Buffer if its kind is 1.
struct Buffers {
  size_t size;
  Extension *extensions;
  int64_t count;
  int32_t *kinds;
  Buffer **values;
};
constexpr int32_t kBuffer = 1;

struct Text {
  const char *data;
  size_t size;
};

struct Scalar {
  int32_t elementType;
  void *value;
};

struct Attributes {
  size_t size;
  Extension *extensions;
  int64_t count;
  int32_t *kinds;
  Text **names;
  void **values;
};
constexpr int32_t kScalar = 3;

struct CallFrame {
  size_t size;
  Extension *extensions;
  const Functions *functions;
  void *context;
  int32_t stage;
  Buffers arguments, results;
  Attributes attributes;
};
constexpr int32_t kExecute = 3;

} // namespace hloc::python::xla

#endif
