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
  let description = "The result's dimensions: batch, then the rest of lhs, then the rest of rhs.";
  let arguments = !con((ins HLO_Array:$lhs, HLO_Array:$rhs), DotDimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_RaggedDotOp : HLO_InferredOp<"ragged_dot", [Pure]> {
  let summary = "dot of groups of rows, each with its own right operand";
  let arguments = !con((ins HLO_Array:$lhs, HLO_Array:$rhs, HLO_Array:$group_sizes), DotDimensions,
                       (ins I64Array:$lhs_ragged_dims,
                            DefaultValuedAttr<I64Array, "{}">:$rhs_group_dims));
  let results = (outs HLO_Array:$result);
}

def HLO_ScaledDotOp : HLO_InferredOp<"scaled_dot", [Pure]> {
  let summary = "dot of block-scaled operands";
  let arguments = !con((ins HLO_Array:$lhs, HLO_Array:$rhs, HLO_Array:$lhs_scale,
                            HLO_Array:$rhs_scale), DotDimensions);
  let results = (outs HLO_Array:$result);
}

def HLO_ConvolutionOp : HLO_InferredOp<"convolution", [Pure]> {
  let summary = "sums of products over windows of the input";
  let arguments = (ins HLO_Array:$lhs, HLO_Array:$rhs, HLO_WindowAttr:$window,
                       HLO_ConvDimensionsAttr:$dim_labels, Count<"1">:$feature_group_count,
                       Count<"1">:$batch_group_count, Opt<HLO_ConvolutionKindAttr>:$convolution_kind,
                       Opt<HLO_PrecisionArray>:$operand_precision,
                       Opt<HLO_DotAlgorithmAttr>:$algorithm, Opt<StrAttr>:$sparsity_config);
  let results = (outs HLO_Array:$result);
}

def HLO_FftOp : HLO_InferredOp<"fft", [Pure]> {
  let summary = "discrete Fourier transform over the last dimensions";
  let arguments = (ins HLO_Array:$operand, HLO_FftTypeAttr:$fft_type, I64Array:$fft_length);
  let results = (outs HLO_Array:$result);
}

def HLO_CholeskyOp : HLO_InferredOp<"cholesky", [Pure]> {
  let summary = "Cholesky factor of positive definite matrices";
  let arguments = (ins HLO_Array:$operand, Flag<"false">:$lower);
  let results = (outs HLO_Array:$result);
}

def HLO_TriangularSolveOp : HLO_InferredOp<"triangular_solve", [Pure]> {
  let summary = "solutions of systems with a triangular matrix";
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
  let summary = "dimensions folded by a computation, in any order";
  let arguments = (ins Variadic<HLO_Array>:$arrays, I64Array:$dimensions, FlatSymbolRefAttr:$to_apply);
}

def HLO_ReduceWindowOp : HLO_ReducingOp<"reduce_window"> {
  let summary = "windows folded by a computation; padding counts as the initial value";
  let arguments = (ins Variadic<HLO_Array>:$arrays, HLO_WindowAttr:$window, FlatSymbolRefAttr:$to_apply);
}

def HLO_SelectAndScatterOp : HLO_InferredSymbolOp<"select_and_scatter", [Pure]> {
  let summary = "each source element combined into the element that its window selects";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$source, HLO_Array:$init, HLO_WindowAttr:$window,
                       FlatSymbolRefAttr:$select, FlatSymbolRefAttr:$scatter);
  let results = (outs HLO_Array:$result);
}

def HLO_ScanOp : HLO_InferredSymbolOp<"scan", [Pure]> {
  let summary = "a computation along a dimension that carries values from step to step";
  let description = [{
    `arrays` are the scanned inputs, then `num_carries` initial carries. Results: the stacked
    outputs, then the final carries.
  }];
  let arguments = (ins Variadic<HLO_Array>:$arrays, I64Array:$dimensions, I64Attr:$num_carries,
                       Flag<"false">:$is_reverse, Opt<BoolAttr>:$is_associative,
                       FlatSymbolRefAttr:$to_apply);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_SortOp : HLO_InferredSymbolOp<"sort", [Pure]> {
  let summary = "operands sorted together along a dimension by a comparator";
  let arguments = (ins Variadic<HLO_Array>:$inputs, I64Attr:$dimension, Flag<"false">:$is_stable,
                       FlatSymbolRefAttr:$to_apply);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_TopkOp : HLO_InferredOp<"topk", [Pure]> {
  let summary = "the k largest (or smallest) elements of the last dimension, and their indices";
  let arguments = (ins HLO_Array:$operand, I64Attr:$k, Flag<"true">:$largest, Flag<"true">:$is_stable);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_BatchNormTrainingOp : HLO_InferredOp<"batch_norm_training", [Pure]> {
  let summary = "normalization by the batch's own mean and variance; result, mean, variance";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$scale, HLO_Array:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_BatchNormInferenceOp : HLO_InferredOp<"batch_norm_inference", [Pure]> {
  let summary = "normalization by a given mean and variance";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$scale, HLO_Array:$offset, HLO_Array:$mean,
                       HLO_Array:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs HLO_Array:$result);
}

def HLO_BatchNormGradOp : HLO_InferredOp<"batch_norm_grad", [Pure]> {
  let summary = "gradients of batch_norm_training; of operand, scale, offset";
  let arguments = (ins HLO_Array:$operand, HLO_Array:$scale, HLO_Array:$mean, HLO_Array:$variance,
                       HLO_Array:$grad_output, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_RngOp : HLO_CheckedOp<"rng"> {
  let summary = "random numbers of a distribution with parameters a and b; the generator is unspecified";
  let arguments = (ins HLO_Array:$a, HLO_Array:$b, HLO_DistributionAttr:$distribution);
  let results = (outs HLO_Array:$result);
}

def HLO_RngBitGeneratorOp : HLO_CheckedOp<"rng_bit_generator", [Pure]> {
  let summary = "random bits from a state; the new state, then the bits";
  let arguments = (ins HLO_Array:$state, HLO_RngAlgorithmAttr:$algorithm);
  let results = (outs Variadic<HLO_Value>:$results);
}

def HLO_RngGetAndUpdateStateOp : HLO_CheckedOp<"rng_get_and_update_state"> {
  let summary = "the generator's global 128-bit state before delta is added to it";
  let arguments = (ins I64Attr:$delta);
  let results = (outs HLO_Array:$result);
}
