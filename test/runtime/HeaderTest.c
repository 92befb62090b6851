/* SPDX-License-Identifier: Apache-2.0 */
/* The public headers must compile as C99; the sizes are what emitted code relies on. */
#include "hlort/async.h"
#include "hlort/collective.h"
#include "hlort/communicator.h"
#include "hlort/hlort.h"
#include "hlort/selftest.h"
#include "hlort/transfer.h"

int hlortHeaderCheck(void) {
  return sizeof(hlort_status) == 260 && sizeof(hlort_buffer) == 32 &&
         sizeof(hlort_attribute) == 48 && sizeof(hlort_custom_call_frame) == 80 &&
         sizeof(hlort_transfer) == 56 && offsetof(hlort_buffer, data) == 24 &&
         offsetof(hlort_custom_call_frame, results) == 40;
}
