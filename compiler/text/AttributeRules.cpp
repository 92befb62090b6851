// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/AttributeRules.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

struct AttributeRules {
  using P = Parser;
  static ArrayRef<AttributeRule> get();
  static bool namesComputations(const AttributeRule &rule) {
    return llvm::is_contained({&P::parseComputationAttr, &P::parseComputationsAttr,
                               &P::parseOneComputationAttr, &P::parseFalseComputation},
                              rule.parse);
  }
};

ArrayRef<AttributeRule> AttributeRules::get() {
  static const AttributeRule rules[] = {
      {"algorithm", "algorithm", &P::parseEnumAttr<RngAlgorithmAttr>, "rng"},
      {"algorithm", "algorithm", &P::parseEnumAttr<DotAlgorithmAttr>},
      {"api_version", "api_version", &P::parseEnumAttr<CustomCallApiAttr>},
      {"async_execution_thread", "async_execution_thread", &P::parseStringAttr},
      {"batch_group_count", "batch_group_count", &P::parseIntAttr},
      {"body", "body", &P::parseComputationAttr},
      {"branch_computations", "branch_computations", &P::parseComputationsAttr},
      {"called_computations", "called_computations", &P::parseComputationsAttr},
      {"calls", "calls", &P::parseComputationAttr},
      {"channel_id", "channel_id", &P::parseIntAttr},
      {"collapsed_slice_dims", "collapsed_slice_dims", &P::parseIntsAttr},
      {"condition", "condition", &P::parseComputationAttr},
      {"constrain_layout", "constrain_layout", &P::parseBoolAttr},
      {"convolution_kind", "convolution_kind", &P::parseEnumAttr<ConvolutionKindAttr>},
      {"cross_program_prefetch_index", "cross_program_prefetch_index", &P::parseIntAttr},
      {"custom_call_has_side_effect", "custom_call_has_side_effect", &P::parseBoolAttr},
      {"custom_call_target", "custom_call_target", &P::parseStringAttr},
      {"delta", "delta", &P::parseIntAttr},
      {"dim_labels", "dim_labels", &P::parseDimLabelsAttr},
      {"dimensions", "dimensions", &P::parseOneIntAttr<DenseI64ArrayAttr>, "all-gather"},
      {"dimensions", "dimensions", &P::parseOneIntAttr<DenseI64ArrayAttr>, "reduce-scatter"},
      {"dimensions", "dimensions", &P::parseIntsAttr},
      {"dimensions", "dimension", &P::parseOneIntAttr<IntegerAttr>},
      {"direction", "direction", &P::parseEnumAttr<DirectionAttr>},
      {"distribution", "distribution", &P::parseEnumAttr<DistributionAttr>},
      {"domain", "domain", &P::parseDomainAttr},
      {"dynamic_slice_sizes", "dynamic_slice_sizes", &P::parseIntsAttr},
      {"epsilon", "epsilon", &P::parseFloatAttr},
      {"exponent_bits", "exponent_bits", &P::parseIntAttr},
      {"false_computation", "branch_computations", &P::parseFalseComputation},
      {"feature_group_count", "feature_group_count", &P::parseIntAttr},
      {"feature_index", "feature_index", &P::parseIntAttr},
      {"fft_length", "fft_length", &P::parseIntsAttr},
      {"fft_type", "fft_type", &P::parseEnumAttr<FftTypeAttr>},
      {"has_dynamic_root", "has_dynamic_root", &P::parseBoolAttr},
      {"index", "index", &P::parseIntAttr},
      {"index_vector_dim", "index_vector_dim", &P::parseIntAttr},
      {"indices_are_sorted", "indices_are_sorted", &P::parseBoolAttr},
      {"infeed_config", "infeed_config", &P::parseStringAttr},
      {"inferred_dimension", "inferred_dimension", &P::parseIntAttr},
      {"input_batching_dims", "input_batching_dims", &P::parseIntsAttr},
      {"inserted_window_dims", "inserted_window_dims", &P::parseIntsAttr},
      {"iota_dimension", "iota_dimension", &P::parseIntAttr},
      {"is_associative", "is_associative", &P::parseBoolAttr},
      {"is_composite", "is_composite", &P::parseBoolAttr},
      {"is_host_transfer", "is_host_transfer", &P::parseBoolAttr},
      {"is_reverse", "is_reverse", &P::parseBoolAttr},
      {"is_stable", "is_stable", &P::parseBoolAttr},
      {"k", "k", &P::parseIntAttr},
      {"kind", "kind", &P::parseEnumAttr<FusionKindAttr>},
      {"largest", "largest", &P::parseBoolAttr},
      {"left_side", "left_side", &P::parseBoolAttr},
      {"lhs_batch_dims", "lhs_batch_dims", &P::parseIntsAttr},
      {"lhs_contracting_dims", "lhs_contracting_dims", &P::parseIntsAttr},
      {"lhs_ragged_dims", "lhs_ragged_dims", &P::parseIntsAttr},
      {"literal", "literal", &P::parseLiteralAttr},
      {"lower", "lower", &P::parseBoolAttr},
      {"mantissa_bits", "mantissa_bits", &P::parseIntAttr},
      {"mode", "mode", &P::parseEnumAttr<CollectiveModeAttr>},
      {"num_carries", "num_carries", &P::parseIntAttr},
      {"offset_dims", "offset_dims", &P::parseIntsAttr},
      {"operand_batching_dims", "operand_batching_dims", &P::parseIntsAttr},
      {"operand_layout_constraints", "operand_layout_constraints", &P::parseShapesAttr},
      {"operand_precision", "operand_precision", &P::parsePrecisionAttr},
      {"outfeed_config", "outfeed_config", &P::parseStringAttr},
      {"outfeed_shape", "outfeed_shape", &P::parseShapeAttr},
      {"output_to_operand_aliasing", "output_to_operand_aliasing", &P::parseAliasingAttr},
      {"padding", "low", &P::parsePaddingAttr},
      {"padding_type", "padding_type", &P::parseEnumAttr<PaddingTypeAttr>},
      {"replica_groups", "replica_groups", &P::parseReplicaGroupsAttr},
      {"result_accuracy", "result_accuracy", &P::parseAccuracyAttr},
      {"rhs_batch_dims", "rhs_batch_dims", &P::parseIntsAttr},
      {"rhs_contracting_dims", "rhs_contracting_dims", &P::parseIntsAttr},
      {"rhs_group_dims", "rhs_group_dims", &P::parseIntsAttr},
      {"scatter", "scatter", &P::parseComputationAttr},
      {"scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims", &P::parseIntsAttr},
      {"scatter_indices_batching_dims", "scatter_indices_batching_dims", &P::parseIntsAttr},
      {"schedule", "schedule", &P::parseEnumAttr<CustomCallScheduleAttr>},
      {"select", "select", &P::parseComputationAttr},
      {"slice", "starts", &P::parseSliceAttr},
      {"slice_sizes", "slice_sizes", &P::parseIntListsAttr, "collective"},
      {"slice_sizes", "slice_sizes", &P::parseIntsAttr},
      {"source_target_pairs", "source_target_pairs", &P::parsePairsAttr},
      {"sparsity_config", "sparsity_config", &P::parseSparsityAttr},
      {"start_index_map", "start_index_map", &P::parseIntsAttr},
      {"start_indices_batching_dims", "start_indices_batching_dims", &P::parseIntsAttr},
      {"to_apply", "to_apply", &P::parseComputationAttr},
      {"to_apply", "called_computations", &P::parseOneComputationAttr},
      {"transpose_a", "transpose_a", &P::parseEnumAttr<TransposeAttr>},
      {"true_computation", "branch_computations", &P::parseOneComputationAttr},
      {"type", "type", &P::parseEnumAttr<ComparisonTypeAttr>},
      {"unique_indices", "unique_indices", &P::parseBoolAttr},
      {"unit_diagonal", "unit_diagonal", &P::parseBoolAttr},
      {"update_window_dims", "update_window_dims", &P::parseIntsAttr},
      {"use_global_device_ids", "use_global_device_ids", &P::parseBoolAttr},
      {"window", "window", &P::parseWindowAttr},

      // Attributes that every instruction may have.
      {"backend_config", "hlo.backend_config", &P::parseConfigAttr},
      {"control-predecessors", "hlo.control_predecessors", &P::parsePredecessorsAttr},
      {"frontend_attributes", "hlo.frontend_attributes", &P::parseFrontendAttributes},
      {"metadata", "", &P::parseMetadata},
      {"origin", "hlo.origin", &P::parseOriginAttr},
      {"parameter_replication", "hlo.parameter_replication", &P::parseReplicationAttr},
      {"sharding", "hlo.sharding", &P::parseShardingAttr},
      {"statistics", "hlo.statistics", &P::parseStatisticsAttr},
  };
  return rules;
}

bool AttributeRule::isShared() const { return target.empty() || target.starts_with("hlo."); }

bool AttributeRule::namesComputations() const { return AttributeRules::namesComputations(*this); }

bool AttributeRule::applies(const Opcode &opcode) const {
  return isShared() || (StringRef(opcode.text).starts_with(only) && opcode.hasAttribute(target));
}

ArrayRef<AttributeRule> getAttributeRules() { return AttributeRules::get(); }

ArrayRef<AttributeRule> findAttributeRules(StringRef name) {
  static const llvm::StringMap<ArrayRef<AttributeRule>> byName = [] {
    llvm::StringMap<ArrayRef<AttributeRule>> map;
    ArrayRef<AttributeRule> rules = getAttributeRules();
    for (size_t i = 0; i < rules.size();) { // rules of the same name are adjacent
      size_t end = i + 1;
      while (end < rules.size() && rules[end].text == rules[i].text)
        ++end;
      map[rules[i].text] = rules.slice(i, end - i);
      i = end;
    }
    return map;
  }();
  return byName.lookup(name);
}

} // namespace hloc::text
