" SPDX-License-Identifier: Apache-2.0
" HLO text. Written by tools/editors/generate.py.
if exists("b:current_syntax")
  finish
endif

syntax match hloNumber "[A-Za-z0-9_.%-]\@1<!-\?\d\+\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?"
syntax match hloDefinition "[A-Za-z0-9_.%-]\@1<![A-Za-z_][A-Za-z0-9_.-]*\ze\s\+=\s"
syntax match hloValue "%[A-Za-z_][A-Za-z0-9_.-]*"
syntax match hloField "[A-Za-z0-9_.%-]\@1<![A-Za-z_][A-Za-z0-9_.-]*\ze="
syntax match hloAttribute "[A-Za-z0-9_.%-]\@1<!\%(allow_spmd_sharding_propagation_to_parameters\|allow_spmd_sharding_propagation_to_output\|scatter_indices_batching_dims\|cross_program_prefetch_index\|scatter_dims_to_operand_dims\|custom_call_has_side_effect\|start_indices_batching_dims\|operand_layout_constraints\|output_to_operand_aliasing\|alias_passthrough_params\|entry_computation_layout\|async_execution_thread\|operand_batching_dims\|origin_recovery_table\|parameter_replication\|use_global_device_ids\|collapsed_slice_dims\|control-predecessors\|inserted_window_dims\|lhs_contracting_dims\|rhs_contracting_dims\|branch_computations\|called_computations\|dynamic_slice_sizes\|feature_group_count\|frontend_attributes\|input_batching_dims\|source_target_pairs\|custom_call_target\|indices_are_sorted\|inferred_dimension\|input_output_alias\|update_window_dims\|batch_group_count\|false_computation\|operand_precision\|constrain_layout\|convolution_kind\|debug_attributes\|execution_thread\|has_dynamic_root\|index_vector_dim\|is_host_transfer\|true_computation\|lhs_ragged_dims\|result_accuracy\|sparsity_config\|start_index_map\|backend_config\|iota_dimension\|is_associative\|lhs_batch_dims\|num_partitions\|outfeed_config\|replica_groups\|rhs_batch_dims\|rhs_group_dims\|unique_indices\|exponent_bits\|feature_index\|infeed_config\|mantissa_bits\|outfeed_shape\|replica_count\|unit_diagonal\|buffer_donor\|distribution\|is_composite\|is_scheduled\|padding_type\|api_version\|num_carries\|offset_dims\|slice_sizes\|transpose_a\|channel_id\|dim_labels\|dimensions\|fft_length\|is_reverse\|statistics\|algorithm\|condition\|direction\|is_stable\|left_side\|fft_type\|metadata\|schedule\|sharding\|to_apply\|epsilon\|largest\|literal\|padding\|scatter\|domain\|origin\|select\|window\|calls\|delta\|index\|lower\|slice\|body\|kind\|mode\|type\|k\)\ze="
syntax match hloType "[A-Za-z0-9_.%-]\@1<!\%(f8e4m3b11fnuz\|f8e4m3fnuz\|f8e5m2fnuz\|f8e8m0fnu\|f4e2m1fn\|f6e2m3fn\|f6e3m2fn\|f8e4m3fn\|f8e3m4\|f8e4m3\|f8e5m2\|opaque\|token\|bf16\|c128\|pred\|c64\|f16\|f32\|f64\|s16\|s32\|s64\|u16\|u32\|u64\|s1\|s2\|s4\|s8\|u1\|u2\|u4\|u8\)\%([A-Za-z0-9_.-]\)\@!"
syntax match hloConstant "[A-Za-z0-9_.%-]\@1<!-\?\%(false\|true\|inf\|nan\)\%([A-Za-z0-9_.-]\)\@!"
syntax match hloKeyword "[A-Za-z0-9_.%-]\@1<!\%(last_tile_dim_replicate\|FileLocations\|FunctionNames\|StackFrames\|replicated\|shard_like\|FileNames\|HloModule\|unreduced\|shard_as\|maximal\|unknown\|manual\|ENTRY\|ROOT\)\%([A-Za-z0-9_.-]\)\@!"
syntax match hloOpcode "[A-Za-z0-9_.%-]\@1<!\%(collective-permute-start\|rng-get-and-update-state\|collective-permute-done\|shift-right-arithmetic\|exponential-minus-one\|batch-norm-inference\|collective-broadcast\|dynamic-update-slice\|batch-norm-training\|count-leading-zeros\|shift-right-logical\|collective-permute\|get-dimension-size\|round-nearest-even\|select-and-scatter\|set-dimension-size\|stochastic-convert\|get-tuple-element\|ragged-all-to-all\|rng-bit-generator\|round-nearest-afz\|all-gather-start\|all-reduce-start\|reduce-precision\|triangular-solve\|all-gather-done\|all-reduce-done\|batch-norm-grad\|bitcast-convert\|dynamic-reshape\|kernel-function\|add-dependency\|reduce-scatter\|dynamic-slice\|host-transfer\|reduce-window\|async-update\|log-plus-one\|partition-id\|runtime-call\|async-start\|concatenate\|conditional\|convolution\|custom-call\|exponential\|opt-barrier\|all-gather\|all-reduce\|all-to-all\|async-done\|copy-start\|ragged-dot\|replica-id\|scaled-dot\|shift-left\|after-all\|broadcast\|copy-done\|is-finite\|parameter\|recv-done\|remainder\|send-done\|transpose\|cholesky\|constant\|logistic\|multiply\|subtract\|bitcast\|compare\|complex\|convert\|maximum\|minimum\|outfeed\|reshape\|reverse\|scatter\|cosine\|divide\|domain\|fusion\|gather\|infeed\|kernel\|launch\|negate\|popcnt\|reduce\|select\|acosh\|asinh\|atan2\|atanh\|clamp\|floor\|mulhi\|power\|rsqrt\|slice\|tuple\|while\|acos\|asin\|call\|cbrt\|ceil\|copy\|cosh\|imag\|iota\|real\|recv\|scan\|send\|sign\|sine\|sinh\|sort\|sqrt\|tanh\|topk\|abs\|add\|and\|dot\|erf\|fft\|log\|map\|not\|pad\|rng\|tan\|xor\|or\)\%(-start\|-update\|-done\)\?\ze("
syntax match hloEscape contained "\\."
syntax region hloString start=+"+ skip=+\\.+ end=+"+ contains=hloEscape
syntax match hloComment "//.*$" contains=@Spell
syntax region hloComment start="/\*" end="\*/" contains=@Spell

highlight default link hloNumber Number
highlight default link hloDefinition Identifier
highlight default link hloValue Identifier
highlight default link hloField PreProc
highlight default link hloAttribute PreProc
highlight default link hloType Type
highlight default link hloConstant Constant
highlight default link hloKeyword Keyword
highlight default link hloOpcode Function
highlight default link hloEscape SpecialChar
highlight default link hloString String
highlight default link hloComment Comment

let b:current_syntax = "hlo"
