// SPDX-License-Identifier: Apache-2.0
// Contractions, convolutions, reductions, windows, sorting, linear algebra, random numbers.

include "compiler/hlo/HloBase.td"

// The dimension numbers that all dots share.
defvar DotDimensions = (ins DefaultValuedAttr<I64Array, "{}">:$lhs_batch_dims,
                            DefaultValuedAttr<I64Array, "{}">:$rhs_batch_dims,
                            DefaultValuedAttr<I64Array, "{}">:$lhs_contracting_dims,
                            DefaultValuedAttr<I64Array, "{}">:$rhs_contracting_dims,
                            Opt<HLO_PrecisionArray>:$operand_precision,
                            Opt<HLO_DotAlgorithmAttr>:$algorithm);

def HLO_DotOp : HLO_InferredOp<"dot", [Pure]> {
  let summary = "sums of products over the contracting dimensions";
  let description = [{
    The result's dimensions are the batch dimensions, then the other ones of lhs, then those of rhs. Its
    element type, if the text states none, is the one of higher precision of the operands'.
  }];
  let constraints = [{
    - C1: Batch and contracting dimensions of each side are distinct dimensions of it.
    - C2: Both sides have the same number of each kind,
    - C3: of the same sizes.
  }];
  let arguments = !con((ins HLO_Array:$lhs, HLO_Array:$rhs), DotDimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_RaggedDotOp : HLO_InferredOp<"ragged_dot", [Pure]> {
  let summary = "dot of groups of rows, each with its own right operand";
  let constraints = [{
    - C1: As C1 of `dot`;
    - C2: as C2;
    - C3: as C3.
    - C4: `group_sizes` has integers.
    - C5: `lhs_ragged_dims` is one dimension of `lhs`.
    - C6: `rhs_group_dims` is one dimension of `rhs`, neither batch nor contracting; none if the
      ragged dimension is batch or contracting.
    - C7: `group_sizes` has at least one dimension.
    - C8: There are as many groups as `rhs` has.
  }];
  let arguments = !con((ins HLO_Array:$lhs, HLO_Array:$rhs, HLO_Array:$group_sizes), DotDimensions,
                       (ins I64Array:$lhs_ragged_dims,
                            DefaultValuedAttr<I64Array, "{}">:$rhs_group_dims));
  let results = (outs HLO_Array:$result);
}

def HLO_ScaledDotOp : HLO_InferredOp<"scaled_dot", [Pure]> {
  let summary = "dot of block-scaled operands";
  let constraints = [{
    - C1: As C1 of `dot`;
    - C2: as C2;
    - C3: as C3.
    - C4: If the operands' element types are not floats, the result's is no narrower than the one of
      higher precision.
    - C5: Each scale is a scalar, or has as many dimensions as its operand, of sizes that divide
      the operand's.
  }];
  let arguments = !con((ins HLO_Array:$lhs, HLO_Array:$rhs, HLO_Array:$lhs_scale,
                            HLO_Array:$rhs_scale), DotDimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_ConvolutionOp : HLO_InferredOp<"convolution", [Pure]> {
  let summary = "sums of products over windows of the input";
  let constraints = [{
    - C1: `window` has one entry per spatial dimension.
    - C2: Its sizes, strides and dilations are at least 1.
    - C3: Sizes fit in 63 bits.
    - C4: Padding leaves at least 0 elements.
    - C5: `lhs`, `rhs` and the result have n spatial dimensions and two more.
    - C6: `dim_labels` names each dimension once.
    - C7: Group counts are at least 1, and one of them is 1.
    - C8: `lhs` has feature_group_count times the input features of `rhs`.
    - C9: feature_group_count divides the output features.
    - C10: batch_group_count divides the input batch
    - C11: and the output features.
    - C12: The window has the spatial sizes of `rhs`.
    - C13: The output features of `rhs` are static.
    - C14: `sparsity_config` describes `lhs` and `rhs`, each at most once, along their input features:
      at least 1 non-zero element per block, and no more than the block has,
    - C15: with input features that fill whole blocks.
    - C16: The operands that it names follow `lhs` and `rhs`: integers, one for each element.
  }];
  let arguments = (ins HLO_Array:$lhs, HLO_Array:$rhs, Variadic<HLO_Array>:$sparsity_indices,
                       HLO_WindowAttr:$window,
                       HLO_ConvDimensionsAttr:$dim_labels, Count<"1">:$feature_group_count,
                       Count<"1">:$batch_group_count, Opt<HLO_ConvolutionKindAttr>:$convolution_kind,
                       Opt<HLO_PrecisionArray>:$operand_precision,
                       Opt<HLO_DotAlgorithmAttr>:$algorithm, Opt<HLO_SparsityArray>:$sparsity_config);
  let results = (outs HLO_Array:$result);
}

def HLO_FftOp : HLO_InferredOp<"fft", [Pure]> {
  let summary = "discrete Fourier transform over the last dimensions";
  let constraints = [{
    - C1: `fft_length` has 1 to 3 entries,
    - C2: at least 0.
    - C3: RFFT takes f32 or f64, the others complex numbers.
    - C4: `operand` has at least as many dimensions.
    - C5: RFFT: the last dimensions have the sizes of `fft_length`; IRFFT: likewise, the last one
      half of it plus 1.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_FftTypeAttr:$fft_type, I64Array:$fft_length);
  let results = (outs HLO_Array:$result);
}

def HLO_CholeskyOp : HLO_InferredOp<"cholesky", [Pure]> {
  let summary = "Cholesky factor of positive definite matrices";
  let constraints = [{
    - C1: `operand` has floats or complex numbers,
    - C2: and is square in its last two dimensions.
  }];
  let arguments = (ins HLO_Array:$operand, Flag<"false">:$lower);
  let results = (outs HLO_Array:$result);
}

def HLO_TriangularSolveOp : HLO_InferredOp<"triangular_solve", [Pure]> {
  let summary = "solutions of systems with a triangular matrix";
  let constraints = [{
    - C1: `a` has floats or complex numbers, `b` the same.
    - C2: `a` is square in its last two dimensions.
    - C3: The rows (left_side) or columns of `b` have its size.
    - C4: All other dimensions agree.
  }];
  let arguments = (ins HLO_Array:$a, HLO_Array:$b, Flag<"false">:$left_side, Flag<"false">:$lower,
                       Flag<"false">:$unit_diagonal, HLO_TransposeAttr:$transpose_a);
  let results = (outs HLO_Array:$result);
}

// Inputs followed by as many initial values.
class HLO_ReducingOp<string mnemonic> : HLO_InferredSymbolOp<mnemonic, [Pure]> {
  let results = (outs Variadic<HLO_Value>:$results);
  let extraClassDeclaration = [{
    unsigned getCount() { return getOperands().size() / 2; }
    ::mlir::ValueRange getInputs() { return getArrays().take_front(getCount()); }
    ::mlir::ValueRange getInitialValues() { return getArrays().drop_front(getCount()); }
  }];
}

def HLO_ReduceOp : HLO_ReducingOp<"reduce"> {
  let summary = "reduction of dimensions by a computation, in any order";
  let constraints = [{
    - C1: `arrays` are inputs followed by as many initial values.
    - C2: Initial values are scalars.
    - C3: Inputs have one shape.
    - C4: `dimensions` are distinct dimensions of it.
    - C5: `to_apply` takes scalars: the accumulators, of the element types of the initial values, then
      elements, of the element types of the inputs; it returns the accumulators.
  }];
  let arguments = (ins Variadic<HLO_Array>:$arrays, I64Array:$dimensions, FlatSymbolRefAttr:$to_apply);
}

def HLO_ReduceWindowOp : HLO_ReducingOp<"reduce_window"> {
  let summary = "reduction of windows by a computation; padding counts as the initial value";
  let constraints = [{
    - C1: As C1 of `reduce`; `window` has one entry per dimension.
    - C2: Sizes, strides and dilations are at least 1.
    - C3: Sizes fit in 63 bits.
    - C4: Padding leaves at least 0 elements.
    - C5: As C5 of `reduce`.
  }];
  let arguments = (ins Variadic<HLO_Array>:$arrays, HLO_WindowAttr:$window, FlatSymbolRefAttr:$to_apply);
}

def HLO_SelectAndScatterOp : HLO_InferredSymbolOp<"select_and_scatter", [Pure]> {
  let summary = "each source element combined into the element that its window selects";
  let constraints = [{
    - C1: `window` has one entry per dimension.
    - C2: Sizes, strides and dilations are at least 1.
    - C3: Sizes fit in 63 bits.
    - C4: Padding leaves at least 0 elements.
    - C5: `source` has the operand's element type and an element per window; `init` is a scalar.
    - C6: `select` takes two elements and returns pred[].
    - C7: `scatter` is a reducer (see `reduce` C5) of `source` into `init`.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$source, HLO_Array:$init, HLO_WindowAttr:$window,
                       FlatSymbolRefAttr:$select, FlatSymbolRefAttr:$scatter);
  let results = (outs HLO_Array:$result);
}

def HLO_ScanOp : HLO_InferredSymbolOp<"scan", [Pure]> {
  let summary = "a computation that is applied along a dimension and carries values from step to step";
  let description = [{
    `arrays` are the scanned inputs, then `num_carries` initial carries. Results: the stacked
    outputs, then the final carries.
  }];
  let constraints = [{
    - C1: `num_carries` is at most the number of arrays.
    - C2: `dimensions` has one entry,
    - C3: a dimension of each input.
    - C4: Inputs have the same size in it.
    - C5: `to_apply` takes the inputs without that dimension, then the carries,
    - C6: and returns outputs, then the carries.
    - C7: Outputs are arrays.
  }];
  let arguments = (ins Variadic<HLO_Array>:$arrays, I64Array:$dimensions, I64Attr:$num_carries,
                       Flag<"false">:$is_reverse, Opt<BoolAttr>:$is_associative,
                       FlatSymbolRefAttr:$to_apply);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_SortOp : HLO_InferredSymbolOp<"sort", [Pure]> {
  let summary = "operands sorted together along a dimension by a comparator";
  let constraints = [{
    - C1: There is at least one operand.
    - C2: Operands have one shape.
    - C3: `dimension` is a dimension of the operands.
    - C4: `to_apply` takes two scalars of each operand in turn and returns pred[].
  }];
  let arguments = (ins Variadic<HLO_Array>:$inputs, I64Attr:$dimension, Flag<"false">:$is_stable,
                       FlatSymbolRefAttr:$to_apply);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_TopkOp : HLO_InferredOp<"topk", [Pure]> {
  let summary = "the k largest (or smallest) elements of the last dimension, and their indices";
  let constraints = [{
    - C1: `operand` has at least one dimension.
    - C2: `k` is from 0 to the size of the last.
    - C3: Its elements have an order: they are not complex.
  }];
  let arguments = (ins HLO_Array:$operand, I64Attr:$k, Flag<"true">:$largest, Flag<"true">:$is_stable);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_BatchNormTrainingOp : HLO_InferredOp<"batch_norm_training", [Pure]> {
  let summary = "normalization by the mean and variance of the batch; returns result, mean, variance";
  let constraints = [{
    - C1: `operand` has floats.
    - C2: `feature_index` is one of its dimensions.
    - C3: `scale` and `offset` have one element per feature, of the operand's type.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$scale, HLO_Array:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_BatchNormInferenceOp : HLO_InferredOp<"batch_norm_inference", [Pure]> {
  let summary = "normalization by a given mean and variance";
  let constraints = [{
    - C1: `operand` has floats.
    - C2: `feature_index` is one of its dimensions.
    - C3: `scale`, `offset`, `mean` and `variance` have one element per feature, of the operand's
      type.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$scale, HLO_Array:$offset, HLO_Array:$mean,
                       HLO_Array:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs HLO_Array:$result);
}

def HLO_BatchNormGradOp : HLO_InferredOp<"batch_norm_grad", [Pure]> {
  let summary = "gradients of batch_norm_training with respect to operand, scale, offset";
  let constraints = [{
    - C1: `operand` has floats.
    - C2: `feature_index` is one of its dimensions.
    - C3: `scale`, `mean` and `variance` have one element per feature, of the operand's type.
    - C4: `grad_output` has the operand's type.
  }];
  let arguments = (ins HLO_Array:$operand, HLO_Array:$scale, HLO_Array:$mean, HLO_Array:$variance,
                       HLO_Array:$grad_output, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_RngOp : HLO_CheckedOp<"rng"> {
  let summary = "random numbers of a distribution with parameters a and b; the generator is unspecified";
  let constraints = [{
    - C1: `a` and `b` are scalars
    - C2: of the result's element type:
    - C3: floats, or for rng_uniform also integers and pred.
  }];
  let arguments = (ins HLO_Array:$a, HLO_Array:$b, HLO_DistributionAttr:$distribution);
  let results = (outs HLO_Array:$result);
}

def HLO_RngBitGeneratorOp : HLO_CheckedOp<"rng_bit_generator", [Pure]> {
  let summary = "random bits from a state; returns the new state, then the bits";
  let constraints = [{
    - C1: The result is the new state, of the type of `state`, and an array; or the array alone.
    - C2: `state` is u64[2], or u64[3] unless the algorithm is `rng_three_fry`.
    - C3: The array has integers (not pred) or floats, whose representations are the bits.
  }];
  let arguments = (ins HLO_Array:$state, HLO_RngAlgorithmAttr:$algorithm);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_RngGetAndUpdateStateOp : HLO_CheckedOp<"rng_get_and_update_state"> {
  let summary = "the generator's global 128-bit state before delta is added to it";
  let arguments = (ins I64Attr:$delta);
  let results = (outs HLO_Array:$result);
}
