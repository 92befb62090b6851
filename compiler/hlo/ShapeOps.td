// SPDX-License-Identifier: Apache-2.0
// Operations that make, move and select data without arithmetic on it.

include "compiler/hlo/HloBase.td"

def HLO_ConstantOp : HLO_CheckedOp<"constant", [Pure, ConstantLike, HLO_Costs<"Free">]> {
  let summary = "literal";
  let description = [{
    `value` is an ElementsAttr of the result's shape and element type (without encoding), or for a
    tuple an array of such values. See Literal.h for reading elements.
  }];
  let constraints = [{
    - C1: The literal has the result's shape and element type.
  }];
  let arguments = (ins AnyAttr:$value);
  let results = (outs HLO_Value:$result);
  let hasFolder = 1;
  let assemblyFormat = "`(` $value `)` attr-dict `:` type($result)";
}

def HLO_IotaOp : HLO_CheckedOp<"iota", [Pure]> {
  let summary = "each element's index along one dimension";
  let constraints = [{
    - C1: `iota_dimension` is a dimension of the result.
    - C2: The result has numbers.
  }];
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs HLO_Array:$result);
}

class HLO_CastOp<string mnemonic> : HLO_CheckedOp<mnemonic, [Pure]> {
  let arguments = (ins HLO_Array:$operand);
  let results = (outs HLO_Array:$result);
}
def HLO_BitcastOp : HLO_CastOp<"bitcast"> {
  let summary = "the same memory in another shape and layout";
  let constraints = [{
    - C1: The result is an array.
    - C2: Operand and result have the same number of bounded dimensions. In memory order, corresponding
      ones have the same number of elements before them, and the same number of bits at their bounds.
  }];
}
def HLO_BitcastConvertOp : HLO_CastOp<"bitcast_convert"> {
  let summary = "the same bits as another element type";
  let constraints = [{
    - C1: Operand and result are both complex or both real.
    - C2: The width of one element type divides the other's.
    - C3: For a wider type, the last dimension of `operand` contains the parts of an element; for a
      narrower one, the result has such an additional dimension.
  }];
}

def HLO_ReshapeOp : HLO_CheckedOp<"reshape", [Pure, HLO_Costs<"Free">]> {
  let summary = "the same elements in row-major order in another shape";
  let constraints = [{
    - C1: The result has the operand's element type
    - C2: and the same number of elements.
    - C3: `inferred_dimension` is a dimension of the result, or -1.
  }];
  let arguments = (ins HLO_Array:$operand, Opt<I64Attr>:$inferred_dimension);
  let results = (outs HLO_Array:$result);
}

def HLO_DynamicReshapeOp : HLO_CheckedOp<"dynamic_reshape", [Pure]> {
  let summary = "reshape to sizes known at run time, within the bounds of the result's type";
  let constraints = [{
    - C1: The result has the operand's element type
    - C2: and, at its bounds, the same number of elements.
    - C3: `sizes` has one entry per dimension of the result.
    - C4: Each is s32[].
  }];
  let arguments = (ins HLO_Array:$operand, Variadic<HLO_Array>:$sizes);
  let results = (outs HLO_Array:$result);
}

def HLO_BroadcastOp : HLO_InferredOp<"broadcast", [Pure, HLO_Costs<"Free">]> {
  let summary = "operand repeated: its dimension i is dimension dimensions[i] of the result";
  let constraints = [{
    - C1: `dimensions` has one entry per dimension of `operand`.
    - C2: They are distinct dimensions of the result.
    - C3: The result has the operand's element type.
    - C4: Dimension `dimensions[i]` of the result has the size of dimension i of `operand`.
  }];
  let arguments = (ins HLO_Array:$operand, I64Array:$dimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_TransposeOp : HLO_InferredOp<"transpose", [Pure]> {
  let summary = "dimensions permuted: dimension i of the result is dimensions[i] of the operand";
  let constraints = [{
    - C1: `dimensions` has one entry per dimension of `operand`.
    - C2: They are a permutation.
  }];
  let arguments = (ins HLO_Array:$operand, I64Array:$dimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_ReverseOp : HLO_InferredOp<"reverse", [Pure]> {
  let summary = "order of the elements reversed along dimensions";
  let constraints = [{
    - C1: `dimensions` are distinct dimensions of `operand`.
  }];
  let arguments = (ins HLO_Array:$operand, I64Array:$dimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_SliceOp : HLO_InferredOp<"slice", [Pure]> {
  let summary = "every strides[d]-th element of [starts[d], limits[d])";
  let constraints = [{
    - C1: `starts`, `limits` and `strides` have one entry per dimension.
    - C2: 0 <= start <= limit <= size.
    - C3: Strides are at least 1.
  }];
  let arguments = (ins HLO_Array:$operand, I64Array:$starts, I64Array:$limits, I64Array:$strides);
  let results = (outs HLO_Array:$result);
}

def HLO_PadOp : HLO_InferredOp<"pad", [Pure, HLO_Costs<"Steps">]> {
  let summary = "padding around (negative: cropping) and between elements";
  let constraints = [{
    - C1: `padding_value` is a scalar
    - C2: of the operand's element type.
    - C3: `low`, `high` and `interior` have one entry per dimension.
    - C4: `interior` is at least 0.
    - C5: Sizes of the result, and its indices, fit in 63 bits
    - C6: and are at least 0.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$padding_value, I64Array:$low, I64Array:$high,
                       I64Array:$interior);
  let results = (outs HLO_Array:$result);
}

def HLO_ConcatenateOp : HLO_InferredOp<"concatenate", [Pure]> {
  let summary = "operands one after the other along a dimension";
  let constraints = [{
    - C1: There is at least one operand.
    - C2: `dimension` is a dimension of the operands.
    - C3: Operands have the same number of dimensions,
    - C4: the same element type,
    - C5: a sum of sizes that fits in 63 bits
    - C6: and the same size in all other dimensions.
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, I64Attr:$dimension);
  let results = (outs HLO_Array:$result);
}

def HLO_DynamicSliceOp : HLO_InferredOp<"dynamic_slice", [Pure]> {
  let summary = "slice at indices known at run time, clamped into range";
  let description = "`start_indices` are scalars, one per dimension, or one vector of them.";
  let constraints = [{
    - C1: `start_indices` are integers,
    - C2: scalars of one type, one per dimension, or one vector of as many.
    - C3: `dynamic_slice_sizes` has one entry per dimension,
    - C4: from 0 to the size.
  }];
  let arguments = (ins HLO_Array:$operand, Variadic<HLO_Array>:$start_indices,
                       I64Array:$dynamic_slice_sizes);
  let results = (outs HLO_Array:$result);
}

def HLO_DynamicUpdateSliceOp : HLO_InferredOp<"dynamic_update_slice", [Pure]> {
  let summary = "operand with a slice replaced, at indices known at run time, clamped into range";
  let constraints = [{
    - C1: `start_indices` are integers,
    - C2: scalars of one type, one per dimension, or one vector of as many.
    - C3: `update` has the operand's element type and number of dimensions
    - C4: and no size larger than the operand's.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$update, Variadic<HLO_Array>:$start_indices);
  let results = (outs HLO_Array:$result);
}

def HLO_GatherOp : HLO_InferredOp<"gather", [Pure, HLO_Costs<"Gather">]> {
  let summary = "slices of the operand at indices known at run time, clamped into range";
  let constraints = [{
    - C1: `start_indices` has integers.
    - C2: `index_vector_dim` is from 0 to their number of dimensions; the latter means index vectors
      of one element.
    - C3: `offset_dims` are ascending dimensions of the result.
    - C4: `collapsed_slice_dims` are ascending dimensions of `operand`,
    - C5: as are `operand_batching_dims`.
    - C6: `start_index_map` has distinct dimensions of `operand`, `start_indices_batching_dims`
      of `start_indices`.
    - C7: An index vector has an element for each entry of `start_index_map`.
    - C8: No batching dimension is collapsed.
    - C9: Every dimension of `operand` is collapsed, batching, or corresponds to an offset dimension.
    - C10: Batching dimensions are paired, have one size, and do not name `index_vector_dim`.
    - C11: `slice_sizes` has one entry per dimension of `operand`,
    - C12: from 0 to its size,
    - C13: at most 1 where it is collapsed or batching.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$start_indices, I64Array:$offset_dims,
                       I64Array:$collapsed_slice_dims, DefaultValuedAttr<I64Array, "{}">:$operand_batching_dims,
                       DefaultValuedAttr<I64Array, "{}">:$start_indices_batching_dims,
                       I64Array:$start_index_map, I64Attr:$index_vector_dim, I64Array:$slice_sizes,
                       Flag<"false">:$indices_are_sorted);
  let results = (outs HLO_Array:$result);
}

def HLO_ScatterOp : HLO_InferredSymbolOp<"scatter", [Pure]> {
  let summary = "operands into which windows of updates are combined at indices; windows out of bounds are dropped";
  let description = "`inputs` are N operands, the indices, then N updates.";
  let constraints = [{
    - C1: The indices are integers.
    - C2: `index_vector_dim` is from 0 to their number of dimensions; the latter means index vectors
      of one element.
    - C3: `update_window_dims` are ascending dimensions of the updates.
    - C4: `inserted_window_dims` are ascending dimensions of the operands,
    - C5: as are `input_batching_dims`.
    - C6: `scatter_dims_to_operand_dims` has distinct dimensions of the operands,
      `scatter_indices_batching_dims` of the indices.
    - C7: An index vector has an element for each entry of `scatter_dims_to_operand_dims`.
    - C8: No batching dimension is inserted.
    - C9: Every dimension of an operand is inserted, batching, or corresponds to a window dimension.
    - C10: Batching dimensions are paired, have one size, and do not name `index_vector_dim`.
    - C11: `inputs` has an odd number of values, at least 3.
    - C12: Updates have the indices' batch dimensions and the window dimensions,
    - C13: windows no larger than the operand,
    - C14: batch dimensions of the indices' sizes.
    - C15: `to_apply` is a reducer (see `reduce` C5) of updates into operands.
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, I64Array:$update_window_dims,
                       I64Array:$inserted_window_dims, DefaultValuedAttr<I64Array, "{}">:$input_batching_dims,
                       DefaultValuedAttr<I64Array, "{}">:$scatter_indices_batching_dims,
                       I64Array:$scatter_dims_to_operand_dims, I64Attr:$index_vector_dim,
                       FlatSymbolRefAttr:$to_apply, Flag<"false">:$indices_are_sorted,
                       Flag<"false">:$unique_indices);
  let results = (outs Variadic<HLO_Value>:$results);
  let extraClassDeclaration = [{
    /// The number of operands.
    unsigned getCount() { return getInputs().size() / 2; }
    ::mlir::ValueRange getOperandArrays() { return getInputs().take_front(getCount()); }
    ::mlir::Value getIndices() { return getInputs()[getCount()]; }
    ::mlir::ValueRange getUpdates() { return getInputs().drop_front(getCount() + 1); }
  }];
}

def HLO_CopyOp : HLO_InferredOp<"copy", [Pure, HLO_Costs<"Free">]> {
  let summary = "the operand copied to separate memory, possibly in another layout";
  let arguments = (ins HLO_Value:$operand);
  let results = (outs HLO_Value:$result);
}

def HLO_TupleOp : HLO_InferredOp<"tuple", [Pure]> {
  let summary = "tuple of the operands";
  let arguments = (ins Variadic<HLO_Value>:$elements);
  let results = (outs HLO_Value:$result);
}

def HLO_GetTupleElementOp : HLO_InferredOp<"get_tuple_element", [Pure]> {
  let summary = "one element of a tuple";
  let constraints = [{
    - C1: `operand` is a tuple.
    - C2: `index` is one of its elements.
  }];
  let arguments = (ins HLO_Value:$operand, I64Attr:$index);
  let results = (outs HLO_Value:$result);
}

def HLO_GetDimensionSizeOp : HLO_InferredOp<"get_dimension_size", [Pure]> {
  let summary = "run-time size of a dimension, as s32[]";
  let constraints = [{
    - C1: `dimension` is a dimension of `operand`.
    - C2: Its size fits in s32.
  }];
  let arguments = (ins HLO_Array:$operand, I64Attr:$dimension);
  let results = (outs HLO_Array:$result);
}

def HLO_SetDimensionSizeOp : HLO_InferredOp<"set_dimension_size", [Pure]> {
  let summary = "operand with the run-time size of a dimension set";
  let constraints = [{
    - C1: `dimension` is a dimension of `operand`.
    - C2: Its size fits in s32.
    - C3: `size` is s32[].
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$size, I64Attr:$dimension);
  let results = (outs HLO_Array:$result);
}
