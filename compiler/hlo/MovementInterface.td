// SPDX-License-Identifier: Apache-2.0
// The interface of data movement, apart from the others, so that only those who ask for it read it.

#ifndef HLOC_COMPILER_HLO_MOVEMENTINTERFACE
#define HLOC_COMPILER_HLO_MOVEMENTINTERFACE

include "mlir/IR/OpBase.td"

def HLO_MovementInterface : OpInterface<"MovementInterface"> {
  let cppNamespace = "::hloc::hlo";
  let description = [{
    Data movement whose index is known, one dimension at a time: an element of the result is the
    element of an operand at the index that `getIndexMap` gives (IndexMap.h), where that is one: along
    each dimension a whole number from 0 to the dimension's size. That is so everywhere for broadcast,
    transpose, reverse and slice. Of pad and concatenate one operand has it at most; where the operand of
    a pad has not, the padding value stands.

    Not covered are reshape, which keeps the order of elements and no dimension
    (codegen/emit/ElementEmitter.h: reshapeIndex), and what begins where values say: dynamic_slice,
    dynamic_update_slice, gather and scatter.
  }];
  let methods = [InterfaceMethod<"where elements of this operand stand", "::hloc::hlo::IndexMap",
                                 "getIndexMap", (ins "unsigned":$operand)>];
}

#endif
