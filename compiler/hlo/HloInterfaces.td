// SPDX-License-Identifier: Apache-2.0
// Interfaces of operations of the hlo dialect.

#ifndef HLOC_COMPILER_HLO_HLOINTERFACES
#define HLOC_COMPILER_HLO_HLOINTERFACES

include "mlir/IR/OpBase.td"

def HLO_CostInterface : OpInterface<"CostInterface"> {
  let cppNamespace = "::hloc::hlo";
  let description = [{
    The cost class of one element of a result; a machine gives the time of each class
    (compiler/target/Machine.h). `HLO_Costs` in the operation's definition implements it.
  }];
  let methods = [InterfaceMethod<"the class of the operation", "::hloc::hlo::CostClass",
                                 "getCostClass", (ins), [{}], [{
    return ConcreteOp::costClass;
  }]>];
}

#endif
