/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the module `model` that it is linked with on in0.npy, in1.npy, ... of one folder and writes
 * out0.npy, ... to another. Needs the C library alone: what a host on another machine may be. */
#include "hlort/hlort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const hlort_module model_module;

static void fail(const char *what, const char *which) {
  fprintf(stderr, "host: %s: %s\n", which, what);
  exit(1);
}

/* Memory of the module's alignment. */
static void *allocate(int64_t bytes) {
  size_t alignment = 64, size = ((size_t)bytes / alignment + 1) * alignment;
  void *memory = aligned_alloc(alignment, size);
  if (!memory)
    fail("no memory", "array");
  return memset(memory, 0, size);
}

/* Elements of an array. */
static int64_t count(const hlort_port *port) {
  int64_t elements = 1;
  for (int32_t d = 0; d < port->rank; ++d)
    elements *= port->dims[d];
  return elements;
}

/* How .npy files name an element type; types below one byte are a byte there. */
static const char *describe(int32_t type) {
  switch (type) {
  case HLORT_PRED: return "|b1";
  case HLORT_S2: case HLORT_S4: case HLORT_S8: return "|i1";
  case HLORT_S16: return "<i2";
  case HLORT_S32: return "<i4";
  case HLORT_S64: return "<i8";
  case HLORT_U16: case HLORT_BF16: return "<u2";
  case HLORT_U32: return "<u4";
  case HLORT_U64: return "<u8";
  case HLORT_F16: return "<f2";
  case HLORT_F32: return "<f4";
  case HLORT_F64: return "<f8";
  case HLORT_C64: return "<c8";
  case HLORT_C128: return "<c16";
  default: return "|u1";
  }
}

/* Bits of an element in the module's memory. */
static int64_t bits(const hlort_port *port) {
  switch (port->element_type) {
  case HLORT_S1: case HLORT_U1: return 1;
  case HLORT_S2: case HLORT_U2: return 2;
  case HLORT_S4: case HLORT_U4: case HLORT_F4E2M1FN: return 4;
  default: return count(port) ? port->bytes / count(port) * 8 : 8;
  }
}

/* Where the element that is number `index` in row-major order lies in memory. */
static int64_t place(const hlort_port *port, int64_t index) {
  int64_t at[32], position = 0, step = 1;
  for (int32_t d = port->rank - 1; d >= 0; --d) {
    at[d] = index % port->dims[d];
    index /= port->dims[d];
  }
  for (int32_t i = 0; i < port->rank; ++i) {
    int64_t dimension = port->minor_to_major[i];
    position += at[dimension] * step;
    step *= port->dims[dimension];
  }
  return position;
}

/* Copies between row-major elements of whole bytes, as .npy files have them, and the module's memory. */
static void copy(const hlort_port *port, char *file, char *memory, int to_memory) {
  int64_t width = bits(port), bytes = width < 8 ? 1 : width / 8;
  int is_signed = port->element_type == HLORT_S1 || port->element_type == HLORT_S2 ||
                  port->element_type == HLORT_S4;
  for (int64_t i = 0; i < count(port); ++i) {
    int64_t at = place(port, i);
    if (width >= 8) {
      char *element = memory + at * bytes, *stored = file + i * bytes;
      memcpy(to_memory ? element : stored, to_memory ? stored : element, (size_t)bytes);
      continue;
    }
    unsigned char *byte = (unsigned char *)memory + at * width / 8;
    int shift = (int)(at * width % 8), mask = (1 << width) - 1;
    if (to_memory) {
      *byte = (unsigned char)((*byte & ~(mask << shift)) | ((file[i] & mask) << shift));
    } else {
      int value = *byte >> shift & mask;
      file[i] = (char)(is_signed && value >> (width - 1) ? value - (mask + 1) : value);
    }
  }
}

static int64_t file_bytes(const hlort_port *port) {
  return bits(port) < 8 ? count(port) : port->bytes;
}

static void read_array(const char *folder, int64_t number, const hlort_port *port, char *memory) {
  char name[4096];
  unsigned char head[10];
  snprintf(name, sizeof name, "%s/in%lld.npy", folder, (long long)number);
  FILE *file = fopen(name, "rb");
  if (!file || fread(head, 1, 10, file) != 10)
    fail("cannot be read", name);
  if (head[6] > 1)
    fail("has a long header", name);
  fseek(file, 10 + (head[8] | head[9] << 8), SEEK_SET);
  char *data = allocate(file_bytes(port));
  if (fread(data, 1, (size_t)file_bytes(port), file) != (size_t)file_bytes(port))
    fail("is too short", name);
  fclose(file);
  copy(port, data, memory, 1);
  free(data);
}

static void write_array(const char *folder, int64_t number, const hlort_port *port, char *memory) {
  char name[4096], header[1024];
  snprintf(name, sizeof name, "%s/out%lld.npy", folder, (long long)number);
  int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                        describe(port->element_type));
  for (int32_t d = 0; d < port->rank; ++d)
    length += snprintf(header + length, sizeof header - (size_t)length, "%lld,",
                       (long long)port->dims[d]);
  length += snprintf(header + length, sizeof header - (size_t)length, ")}");
  while ((10 + length + 1) % 64 != 0)
    header[length++] = ' ';
  header[length++] = '\n';
  unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(length & 255),
                            (unsigned char)(length >> 8)};
  char *data = allocate(file_bytes(port));
  copy(port, data, memory, 0);
  FILE *file = fopen(name, "wb");
  if (!file)
    fail("cannot be written", name);
  fwrite(head, 1, 10, file);
  fwrite(header, 1, (size_t)length, file);
  fwrite(data, 1, (size_t)file_bytes(port), file);
  if (fclose(file) != 0)
    fail("cannot be written", name);
  free(data);
}

int main(int argc, char **argv) {
  const hlort_module *module = &model_module;
  if (argc != 3)
    fail("expected two folders", "command line");
  const void **arguments = calloc((size_t)module->argument_count + 1, sizeof(void *));
  void **results = calloc((size_t)module->result_count + 1, sizeof(void *));
  for (int64_t i = 0; i < module->argument_count; ++i) {
    char *data = allocate(module->arguments[i].bytes);
    read_array(argv[1], i, &module->arguments[i], data);
    arguments[i] = data;
  }
  for (int64_t i = 0; i < module->result_count; ++i)
    results[i] = allocate(module->results[i].bytes);
  hlort_status status = {0, ""};
  void *arena = allocate(module->arena_bytes);
  if (module->run(NULL, arguments, results, arena, &status) != 0)
    fail(status.message, "run");
  for (int64_t i = 0; i < module->result_count; ++i)
    write_array(argv[2], i, &module->results[i], results[i]);
  return 0;
}
