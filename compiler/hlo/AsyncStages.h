// SPDX-License-Identifier: Apache-2.0
// The operations of AsyncStages.td. Separate from HloDialect.h, since few files need them.
// Test: test/codegen/async-threads.hlo.

#ifndef HLOC_COMPILER_HLO_ASYNCSTAGES_H
#define HLOC_COMPILER_HLO_ASYNCSTAGES_H

#include "compiler/hlo/HloDialect.h"

#define GET_OP_CLASSES
#include "compiler/hlo/AsyncStages.h.inc"

#endif
