// SPDX-License-Identifier: Apache-2.0
// The definitions that ODS generates from CollectiveOps.td.
#include "compiler/hlo/infer/Infer.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc::hlo;

#define GET_OP_CLASSES
#include "compiler/hlo/CollectiveOps.cpp.inc"
