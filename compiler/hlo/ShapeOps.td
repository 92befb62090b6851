// SPDX-License-Identifier: Apache-2.0
// Operations that make, move and select data without arithmetic on it.

include "compiler/hlo/HloBase.td"

def HLO_ConstantOp : HLO_CheckedOp<"constant", [Pure, ConstantLike]> {
  let summary = "literal";
  let description = [{
    `value` is an ElementsAttr of the result's shape and element type (without encoding), or for a
    tuple an array of such values. See Literal.h for reading elements.
  }];
  let arguments = (ins AnyAttr:$value);
  let results = (outs HLO_Value:$result);
  let hasFolder = 1;
  let assemblyFormat = "`(` $value `)` attr-dict `:` type($result)";
}

def HLO_IotaOp : HLO_CheckedOp<"iota", [Pure]> {
  let summary = "each element's index along one dimension";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs HLO_Array:$result);
}

class HLO_CastOp<string mnemonic> : HLO_CheckedOp<mnemonic, [Pure]> {
  let arguments = (ins HLO_Array:$operand);
  let results = (outs HLO_Array:$result);
}
def HLO_BitcastOp : HLO_CastOp<"bitcast"> { let summary = "the same memory in another shape and layout"; }
def HLO_BitcastConvertOp : HLO_CastOp<"bitcast_convert"> { let summary = "the same bits as another element type"; }

def HLO_ReshapeOp : HLO_CheckedOp<"reshape", [Pure]> {
  let summary = "the same elements in row-major order in another shape";
  let arguments = (ins HLO_Array:$operand, Opt<I64Attr>:$inferred_dimension);
  let results = (outs HLO_Array:$result);
}

def HLO_DynamicReshapeOp : HLO_CheckedOp<"dynamic_reshape", [Pure]> {
  let summary = "reshape to sizes known at run time, within the bounds of the result's type";
  let arguments = (ins HLO_Array:$operand, Variadic<HLO_Array>:$sizes);
  let results = (outs HLO_Array:$result);
}

def HLO_BroadcastOp : HLO_InferredOp<"broadcast", [Pure]> {
  let summary = "operand repeated: its dimension i is dimension dimensions[i] of the result";
  let arguments = (ins HLO_Array:$operand, I64Array:$dimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_TransposeOp : HLO_InferredOp<"transpose", [Pure]> {
  let summary = "dimensions permuted: dimension i of the result is dimensions[i] of the operand";
  let arguments = (ins HLO_Array:$operand, I64Array:$dimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_ReverseOp : HLO_InferredOp<"reverse", [Pure]> {
  let summary = "order of the elements turned round along dimensions";
  let arguments = (ins HLO_Array:$operand, I64Array:$dimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_SliceOp : HLO_InferredOp<"slice", [Pure]> {
  let summary = "every strides[d]-th element of [starts[d], limits[d])";
  let arguments = (ins HLO_Array:$operand, I64Array:$starts, I64Array:$limits, I64Array:$strides);
  let results = (outs HLO_Array:$result);
}

def HLO_PadOp : HLO_InferredOp<"pad", [Pure]> {
  let summary = "padding around (negative: cropping) and between elements";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$padding_value, I64Array:$low, I64Array:$high,
                       I64Array:$interior);
  let results = (outs HLO_Array:$result);
}

def HLO_ConcatenateOp : HLO_InferredOp<"concatenate", [Pure]> {
  let summary = "operands one after the other along a dimension";
  let arguments = (ins Variadic<HLO_Array>:$inputs, I64Attr:$dimension);
  let results = (outs HLO_Array:$result);
}

def HLO_DynamicSliceOp : HLO_InferredOp<"dynamic_slice", [Pure]> {
  let summary = "slice at indices known at run time, clamped into range";
  let description = "`start_indices` are scalars, one a dimension, or one vector of them.";
  let arguments = (ins HLO_Array:$operand, Variadic<HLO_Array>:$start_indices,
                       I64Array:$dynamic_slice_sizes);
  let results = (outs HLO_Array:$result);
}

def HLO_DynamicUpdateSliceOp : HLO_InferredOp<"dynamic_update_slice", [Pure]> {
  let summary = "operand with a slice replaced, at indices known at run time, clamped into range";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$update, Variadic<HLO_Array>:$start_indices);
  let results = (outs HLO_Array:$result);
}

def HLO_GatherOp : HLO_InferredOp<"gather", [Pure]> {
  let summary = "slices of the operand at indices known at run time, clamped into range";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$start_indices, I64Array:$offset_dims,
                       I64Array:$collapsed_slice_dims, DefaultValuedAttr<I64Array, "{}">:$operand_batching_dims,
                       DefaultValuedAttr<I64Array, "{}">:$start_indices_batching_dims,
                       I64Array:$start_index_map, I64Attr:$index_vector_dim, I64Array:$slice_sizes,
                       Flag<"false">:$indices_are_sorted);
  let results = (outs HLO_Array:$result);
}

def HLO_ScatterOp : HLO_InferredSymbolOp<"scatter", [Pure]> {
  let summary = "operands with windows of updates combined in at indices; those out of bounds dropped";
  let description = "`inputs` are N operands, the indices, then N updates.";
  let arguments = (ins Variadic<HLO_Array>:$inputs, I64Array:$update_window_dims,
                       I64Array:$inserted_window_dims, DefaultValuedAttr<I64Array, "{}">:$input_batching_dims,
                       DefaultValuedAttr<I64Array, "{}">:$scatter_indices_batching_dims,
                       I64Array:$scatter_dims_to_operand_dims, I64Attr:$index_vector_dim,
                       FlatSymbolRefAttr:$to_apply, Flag<"false">:$indices_are_sorted,
                       Flag<"false">:$unique_indices);
  let results = (outs Variadic<HLO_Value>:$results);
  let extraClassDeclaration = [{
    /// How many arrays are scattered into.
    unsigned getCount() { return getInputs().size() / 2; }
    ::mlir::ValueRange getOperandArrays() { return getInputs().take_front(getCount()); }
    ::mlir::Value getIndices() { return getInputs()[getCount()]; }
    ::mlir::ValueRange getUpdates() { return getInputs().drop_front(getCount() + 1); }
  }];
}

def HLO_CopyOp : HLO_InferredOp<"copy", [Pure]> {
  let summary = "the operand in memory of its own, perhaps in another layout";
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
  let arguments = (ins HLO_Value:$operand, I64Attr:$index);
  let results = (outs HLO_Value:$result);
}

def HLO_GetDimensionSizeOp : HLO_InferredOp<"get_dimension_size", [Pure]> {
  let summary = "run-time size of a dimension, as s32[]";
  let arguments = (ins HLO_Array:$operand, I64Attr:$dimension);
  let results = (outs HLO_Array:$result);
}

def HLO_SetDimensionSizeOp : HLO_InferredOp<"set_dimension_size", [Pure]> {
  let summary = "operand with the run-time size of a dimension set";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$size, I64Attr:$dimension);
  let results = (outs HLO_Array:$result);
}
