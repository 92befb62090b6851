// SPDX-License-Identifier: Apache-2.0
// The interface of data movement, in a separate file, so that only its users include it.

#ifndef HLOC_COMPILER_HLO_MOVEMENTINTERFACE
#define HLOC_COMPILER_HLO_MOVEMENTINTERFACE

include "mlir/IR/OpBase.td"

def HLO_MovementInterface : OpInterface<"MovementInterface"> {
  let cppNamespace = "::hloc::hlo";
  let description = [{
    Data movement with a known index map, one dimension at a time: an element of the result is the
    element of an operand at the index that `getIndexMap` gives (IndexMap.h), if that is valid: a
    whole number from 0 to the size along each dimension. It is valid everywhere for broadcast,
    transpose, reverse and slice. For pad and concatenate it is valid for at most one operand; where
    it is not valid for the operand of a pad, the result is the padding value.

    Not covered are reshape, which keeps the order of elements but not the dimensions
    (codegen/emit/ElementEmitter.h: reshapeIndex), and operations whose indices are values:
    dynamic_slice, dynamic_update_slice, gather and scatter.
  }];
  let methods = [InterfaceMethod<"the index map of this operand", "::hloc::hlo::IndexMap",
                                 "getIndexMap", (ins "unsigned":$operand)>];
}

#endif
