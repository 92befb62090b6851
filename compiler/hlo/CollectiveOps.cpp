// SPDX-License-Identifier: Apache-2.0
// Definitions that ODS makes of CollectiveOps.td.
#include "compiler/hlo/infer/Infer.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc::hlo;

#define GET_OP_CLASSES
#include "compiler/hlo/CollectiveOps.cpp.inc"
