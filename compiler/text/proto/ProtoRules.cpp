// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/proto/ProtoRules.h"
#include "compiler/text/proto/KeptText.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

/// Helpers of the rules, with access to the reader.
struct ProtoRules {
  using R = const Reading &;

  static Builder &make(R r) { return r.reader.builder; }

  static Attribute number(R r, int64_t value) { return make(r).getI64IntegerAttr(value); }
  static Attribute ints(R r, const ProtoInts &values) {
    return make(r).getDenseI64ArrayAttr({values.data(), size_t(values.size())});
  }
  /// Omitted if empty, as in the text.
  static Attribute someInts(R r, const ProtoInts &values) {
    return values.empty() ? Attribute() : ints(r, values);
  }
  static Attribute flag(R r, bool value, bool usual = false) {
    return value == usual ? Attribute() : make(r).getBoolAttr(value);
  }
  static Attribute text(R r, StringRef value) {
    return value.empty() ? Attribute() : make(r).getStringAttr(value);
  }
  static Attribute thread(R r, StringRef name) {
    return name == "main" ? Attribute() : text(r, name);
  }

  /// The only entry of `dimensions`.
  static Attribute oneDimension(R r) {
    if (r.proto.dimensions_size() == 1)
      return number(r, r.proto.dimensions(0));
    (void)r.reader.fail("expected exactly one dimension of " + r.instruction.opcode->text +
                        " but got " + Twine(r.proto.dimensions_size()));
    return {};
  }

  /// The value of the enumeration with this name, in any case.
  template <typename Attr> static Attribute symbol(R r, StringRef name) {
    using Enum = decltype(std::declval<Attr>().getValue());
    auto value = symbolizeEnum<Enum>(name);
    if (!value)
      value = symbolizeEnum<Enum>(name.lower());
    if (value)
      return Attr::get(r.reader.context, *value);
    std::string names;
    for (int i = 0; i < 32; ++i) // enumerations count from 0
      if (StringRef known = stringifyEnum(static_cast<Enum>(i)); !known.empty())
        names += (names.empty() ? "" : ", ") + known.str();
    (void)r.reader.fail("expected one of " + names + " but got `" + name + "`");
    return {};
  }

  static Attribute computation(R r, int index) {
    return r.reader.readComputationName(r.proto.called_computation_ids(), index);
  }

  /// Omitted if it is the default for the elements' type.
  static Attribute comparison(R r) {
    auto array = dyn_cast<RankedTensorType>(r.instruction.operands[0].getType());
    Type element = array ? array.getElementType() : Type();
    auto integer = dyn_cast_or_null<IntegerType>(element);
    bool isUnsigned = integer && (integer.isUnsigned() || integer.getWidth() == 1);
    StringRef usual = !integer ? "FLOAT" : isUnsigned ? "UNSIGNED" : "SIGNED";
    StringRef name = r.proto.comparison_type();
    return name.empty() || name == usual ? Attribute() : symbol<ComparisonTypeAttr>(r, name);
  }

  static Attribute dotAlgorithm(R r) {
    proto::PrecisionConfig::Algorithm algorithm = r.proto.precision_config().algorithm();
    if (algorithm == proto::PrecisionConfig::ALG_UNSET)
      return {};
    StringRef name = proto::PrecisionConfig::Algorithm_Name(algorithm);
    name.consume_front("ALG_");
    return symbol<DotAlgorithmAttr>(r, name);
  }

  static Attribute precision(R r) {
    const auto &list = r.proto.precision_config().operand_precision();
    if (llvm::all_of(list, [](int value) { return value == proto::PrecisionConfig::DEFAULT; }))
      return {};
    SmallVector<Attribute> values;
    for (int value : list) {
      auto known = proto::PrecisionConfig::Precision(value);
      values.push_back(symbol<PrecisionAttr>(r, proto::PrecisionConfig::Precision_Name(known)));
      if (!values.back())
        return {};
    }
    return make(r).getArrayAttr(values);
  }

  static Attribute accuracy(R r) {
    const proto::ResultAccuracy &proto = r.proto.result_accuracy();
    bool isTolerance = proto.has_tolerance();
    if (!isTolerance && proto.mode() == proto::ResultAccuracy::DEFAULT)
      return {};
    const proto::ResultAccuracy::Tolerance &tolerance = proto.tolerance();
    if (!(tolerance.atol() >= 0 && tolerance.rtol() >= 0)) {
      (void)r.reader.fail("expected a tolerance of at least 0");
      return {};
    }
    return ResultAccuracyAttr::get(r.reader.context, isTolerance ? "tolerance" : "highest",
                                   make(r).getF64FloatAttr(tolerance.atol()),
                                   make(r).getF64FloatAttr(tolerance.rtol()), tolerance.ulps());
  }

  static Attribute sparsity(R r) {
    SmallVector<Attribute> operands;
    auto add = [&](int number, const proto::SparsityConfig::TensorSparsityConfig &config) {
      operands.push_back(SparsityAttr::get(r.reader.context, number, config.num_non_zero(),
                                           config.block_size(), config.dimension(), config.stride(),
                                           -1));
    };
    if (r.proto.sparsity_config().has_lhs())
      add(0, r.proto.sparsity_config().lhs());
    if (r.proto.sparsity_config().has_rhs())
      add(1, r.proto.sparsity_config().rhs());
    return operands.empty() ? Attribute() : make(r).getArrayAttr(operands);
  }

  static Attribute aliasing(R r) {
    SmallVector<Attribute> aliases;
    auto indices = [](const ProtoInts &values) {
      return ArrayRef<int64_t>(values.data(), size_t(values.size()));
    };
    for (const proto::OutputOperandAliasing &alias : r.proto.output_operand_aliasing())
      aliases.push_back(BufferAliasAttr::get(r.reader.context, indices(alias.output_shape_index()),
                                             alias.operand_index(),
                                             indices(alias.operand_shape_index()), ""));
    return aliases.empty() ? Attribute() : make(r).getArrayAttr(aliases);
  }

  /// A list with one number of each entry of a list of messages.
  template <typename List, typename Field>
  static Attribute each(R r, const List &list, Field field) {
    SmallVector<int64_t> values;
    for (const auto &entry : list)
      values.push_back(field(entry));
    return make(r).getDenseI64ArrayAttr(values);
  }

  static Attribute pairs(R r) {
    SmallVector<int64_t> flat;
    for (const proto::SourceTarget &pair : r.proto.source_target_pairs())
      flat.append({pair.source(), pair.target()});
    return make(r).getDenseI64ArrayAttr(flat);
  }

  static Attribute associative(R r) {
    proto::TriState state = r.proto.is_associative();
    if (state == proto::TRI_STATE_UNSPECIFIED)
      return {};
    return make(r).getBoolAttr(state == proto::TRI_STATE_TRUE);
  }

  static Attribute convolutionKind(R r) {
    StringRef name = proto::ConvolutionKind_Name(r.proto.conv_kind());
    name.consume_front("CONVOLUTION_KIND_");
    return r.proto.conv_kind() ? symbol<ConvolutionKindAttr>(r, name) : Attribute();
  }

  static Attribute apiVersion(R r) {
    proto::CustomCallApiVersion version = r.proto.custom_call_api_version();
    if (version <= proto::API_VERSION_ORIGINAL && version >= 0)
      return {};
    return symbol<CustomCallApiAttr>(r, proto::CustomCallApiVersion_Name(version));
  }

  static Attribute channel(R r) {
    int64_t id = r.proto.channel_id() > 0 ? r.proto.channel_id() : r.proto.all_reduce_id();
    return id > 0 ? number(r, id) : Attribute();
  }

  static Attribute typeOf(R r, const proto::ShapeProto &shape) {
    Type type;
    return r.reader.readShape(shape, type) ? Attribute() : TypeAttr::get(type);
  }

  static Attribute literal(R r) {
    Type type;
    Attribute value;
    if (!r.proto.has_literal() || r.reader.readShape(r.proto.literal().shape(), type) ||
        r.reader.readLiteral(r.proto.literal(), type, value))
      return {};
    return value;
  }

  /// The dimension numbers of a dot, which may be inside those of a ragged dot.
  static const proto::DotDimensionNumbers &dot(R r) {
    return r.proto.has_ragged_dot_dimension_numbers()
               ? r.proto.ragged_dot_dimension_numbers().dot_dimension_numbers()
               : r.proto.dot_dimension_numbers();
  }

  static ArrayRef<ProtoRule> get();
};

#define RULE(expression) [](const Reading &r) -> Attribute { return expression; }

ArrayRef<ProtoRule> ProtoRules::get() {
  static const ProtoRule rules[] = {
#include "compiler/text/proto/ProtoRules.def"
  };
  return rules;
}

#undef RULE

const ProtoRule *findProtoRule(StringRef target, StringRef opcode) {
  static const llvm::StringMap<SmallVector<const ProtoRule *, 1>> byTarget = [] {
    llvm::StringMap<SmallVector<const ProtoRule *, 1>> map;
    for (const ProtoRule &rule : ProtoRules::get())
      map[rule.target].push_back(&rule);
    return map;
  }();
  auto found = byTarget.find(target);
  if (found != byTarget.end())
    for (const ProtoRule *rule : found->second)
      if (opcode.starts_with(rule->only))
        return rule;
  return nullptr;
}

} // namespace hloc::text
