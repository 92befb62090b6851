// SPDX-License-Identifier: Apache-2.0
// Properties of element types.

#include "hlort/hlort.h"

int32_t hlort_element_bits(int32_t elementType) {
  switch (elementType) {
  case HLORT_S1:
  case HLORT_U1:
    return 1;
  case HLORT_S2:
  case HLORT_U2:
    return 2;
  case HLORT_S4:
  case HLORT_U4:
  case HLORT_F4E2M1FN:
    return 4;
  case HLORT_PRED:
  case HLORT_S8:
  case HLORT_U8:
  case HLORT_F8E5M2:
  case HLORT_F8E4M3FN:
  case HLORT_F8E4M3B11FNUZ:
  case HLORT_F8E5M2FNUZ:
  case HLORT_F8E4M3FNUZ:
  case HLORT_F8E4M3:
  case HLORT_F8E3M4:
  case HLORT_F8E8M0FNU:
    return 8;
  case HLORT_S16:
  case HLORT_U16:
  case HLORT_F16:
  case HLORT_BF16:
    return 16;
  case HLORT_S32:
  case HLORT_U32:
  case HLORT_F32:
    return 32;
  case HLORT_S64:
  case HLORT_U64:
  case HLORT_F64:
  case HLORT_C64:
    return 64;
  case HLORT_C128:
    return 128;
  default:
    return 0;
  }
}
