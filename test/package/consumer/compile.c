/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a module in this process and runs it. */
#include "hloc/hloc.h"

#include <stdio.h>
#include <string.h>

static const char text[] = "HloModule twice, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n"
                           "ENTRY main {\n"
                           "  x = f32[2]{0} parameter(0)\n"
                           "  ROOT sum = f32[2]{0} add(x, x)\n"
                           "}\n";

int main(void) {
  hloc_options options;
  memset(&options, 0, sizeof options);
  options.file = "twice.hlo";
  options.text = text;
  options.text_size = sizeof text - 1;
  hloc_result *result = hloc_compile(&options);
  if (hloc_get_outcome(result) != HLOC_DONE) {
    fputs(hloc_get_printed_messages(result), stderr);
    return 1;
  }
  float x[2] = {1, 2}, y[2] = {0, 0};
  const void *arguments[] = {x};
  void *results[] = {y};
  hlort_status status = {0};
  hloc_get_module(result)->run(NULL, arguments, results, NULL, &status);
  printf("hloc %s: %g %g %s\n", hloc_version(), y[0], y[1], status.message);
  hloc_destroy(result);
  return status.code || y[0] != 2 || y[1] != 4;
}
