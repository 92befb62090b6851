// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/AsyncStages.h"
#include "compiler/hlo/CollectiveStages.h"
#include "compiler/hlo/Movement.h"

using namespace mlir;
using namespace hloc::hlo;

#include "compiler/hlo/HloDialect.cpp.inc"
#include "compiler/hlo/HloInterfaces.cpp.inc"

void HLODialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOps();
  attachMovement(*getContext());
}

void HLODialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/hlo/ElementwiseOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "compiler/hlo/ShapeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "compiler/hlo/ComputeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "compiler/hlo/ControlOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "compiler/hlo/CollectiveOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "compiler/hlo/KernelOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "compiler/hlo/AsyncStages.cpp.inc"
      ,
#define GET_OP_LIST
#include "compiler/hlo/CollectiveStages.cpp.inc"
      >();
}

Operation *HLODialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  if (!isa<ElementsAttr>(value) || !isa<RankedTensorType>(type))
    return nullptr;
  return ConstantOp::create(builder, loc, type, value);
}
