// SPDX-License-Identifier: Apache-2.0
// Attributes that belong to some opcodes: one table says how the value of each is read and which
// attribute of the operation it becomes. What an opcode admits follows from its operation.
#include "compiler/text/AttributeRules.h"
#include "compiler/text/ParserImpl.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

//===- Plain values --------------------------------------------------------===//

ParseResult Parser::parseIntAttr(Instruction &instruction, StringRef target) {
  int64_t value;
  if (takeInt(value))
    return failure();
  instruction.attributes.set(target, builder.getI64IntegerAttr(value));
  return success();
}

ParseResult Parser::parseBoolAttr(Instruction &instruction, StringRef target) {
  bool value;
  if (takeBool(value))
    return failure();
  instruction.attributes.set(target, builder.getBoolAttr(value));
  return success();
}

ParseResult Parser::parseFloatAttr(Instruction &instruction, StringRef target) {
  double value;
  if ((!lexer.is(Token::Decimal) && !lexer.is(Token::Int)) || lexer.getValue().getAsDouble(value))
    return expected("a number");
  lexer.next();
  instruction.attributes.set(target, builder.getF32FloatAttr(value));
  return success();
}

ParseResult Parser::parseStringAttr(Instruction &instruction, StringRef target) {
  std::string value;
  if (takeString(value))
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(value));
  return success();
}

ParseResult Parser::parseIntsAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> values;
  if (takeInts(values))
    return failure();
  instruction.attributes.set(target, builder.getDenseI64ArrayAttr(values));
  return success();
}

ParseResult Parser::parseOneOfListAttr(Instruction &instruction, StringRef target) {
  const char *place = lexer.begin();
  SmallVector<int64_t> values;
  if (takeInts(values))
    return failure();
  if (values.size() != 1)
    return fail(place, "expected exactly one dimension but got " + Twine(values.size()));
  instruction.attributes.set(target, builder.getI64IntegerAttr(values[0]));
  return success();
}

template <typename Attr>
ParseResult Parser::parseEnumAttr(Instruction &instruction, StringRef target) {
  using Enum = decltype(std::declval<Attr>().getValue());
  auto value = lexer.is(Token::Ident) ? symbolizeEnum<Enum>(lexer.getValue()) : std::nullopt;
  if (!value && lexer.is(Token::Ident)) // some XLA reads in any case
    value = symbolizeEnum<Enum>(lexer.getValue().lower());
  if (!value) {
    std::string names;
    for (int i = 0; i < 32; ++i) // enumerations count from 0
      if (StringRef name = stringifyEnum(static_cast<Enum>(i)); !name.empty())
        names += (names.empty() ? "" : ", ") + name.str();
    return expected("one of " + names);
  }
  lexer.next();
  instruction.attributes.set(target, Attr::get(context, *value));
  return success();
}

ParseResult Parser::parseShapeAttr(Instruction &instruction, StringRef target) {
  Type type;
  if (parseShape(type))
    return failure();
  instruction.attributes.set(target, TypeAttr::get(type));
  return success();
}

ParseResult Parser::parseShapesAttr(Instruction &instruction, StringRef target) {
  const char *place = lexer.begin();
  SmallVector<Type> types;
  if (takeList(Token::LBrace, Token::RBrace, [&] { return parseShape(types.emplace_back()); }))
    return failure();
  if (types.size() != instruction.operands.size())
    return fail(place, "expected " + Twine(instruction.operands.size()) +
                           " layouts, one an operand, but got " + Twine(types.size()));
  for (auto [i, type] : llvm::enumerate(types))
    if (!areCompatible(type, instruction.operands[i].getType()))
      return fail(place, "expected a layout for operand " + Twine(i) + " of shape " +
                             shapeText(instruction.operands[i].getType()) + " but got " +
                             shapeText(type));
  instruction.attributes.set(target, builder.getTypeArrayAttr(types));
  return success();
}

ParseResult Parser::parseLiteralAttr(Instruction &instruction, StringRef target) {
  // `shape literal`, or `(shape literal, ...)` for a tuple.
  const char *place = lexer.begin();
  bool elided = false;
  Attribute value;
  if (lexer.is(Token::LParen)) {
    SmallVector<Attribute> elements;
    if (takeList(Token::LParen, Token::RParen, [&]() -> ParseResult {
          Type type;
          return failure(parseShape(type) || parseLiteral(type, elements.emplace_back(), elided));
        }))
      return failure();
    value = builder.getArrayAttr(elements);
  } else {
    Type type;
    if (parseShape(type) || parseLiteral(type, value, elided))
      return failure();
  }
  if (elided)
    return fail(place, "expected the literal's value but got `{...}`");
  instruction.attributes.set(target, value);
  return success();
}

ParseResult Parser::parseVerbatimAttr(Instruction &instruction, StringRef target) {
  std::string value;
  if (takeBraces(/*singleQuotes=*/true, value))
    return failure();
  instruction.attributes.set(target, builder.getStringAttr(value));
  return success();
}

//===- Computations --------------------------------------------------------===//

ParseResult Parser::takeComputation(Instruction &instruction, StringRef target,
                                    FlatSymbolRefAttr &symbol) {
  if (lexer.is(Token::LBrace)) {
    if (parseInlineComputation(symbol))
      return failure();
    if (!symbol) {
      instruction.poisoned = true;
      symbol = FlatSymbolRefAttr::get(context, "_");
    }
    return success();
  }
  const char *place = lexer.begin();
  StringRef name;
  if (takeName(name))
    return failure();
  auto found = computations.find(name);
  if (found == computations.end())
    forward.push_back({name, place});
  else if (!found->second)
    instruction.poisoned = true;
  symbol = FlatSymbolRefAttr::get(context, name);
  return success();
}

ParseResult Parser::parseComputationAttr(Instruction &instruction, StringRef target) {
  FlatSymbolRefAttr symbol;
  if (takeComputation(instruction, target, symbol))
    return failure();
  instruction.attributes.set(target, symbol);
  return success();
}

ParseResult Parser::parseComputationsAttr(Instruction &instruction, StringRef target) {
  SmallVector<Attribute> symbols;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        FlatSymbolRefAttr symbol;
        if (takeComputation(instruction, target, symbol))
          return failure();
        symbols.push_back(symbol);
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getArrayAttr(symbols));
  return success();
}

/// custom-call's `to_apply`, conditional's `true_computation`: the first of a list.
ParseResult Parser::parseOneComputationAttr(Instruction &instruction, StringRef target) {
  FlatSymbolRefAttr symbol;
  if (takeComputation(instruction, "computation", symbol))
    return failure();
  SmallVector<Attribute> symbols{symbol};
  if (auto other = instruction.attributes.get(target))
    llvm::append_range(symbols, cast<ArrayAttr>(other));
  instruction.attributes.set(target, builder.getArrayAttr(symbols));
  return success();
}

ParseResult Parser::parseFalseComputation(Instruction &instruction, StringRef target) {
  FlatSymbolRefAttr symbol;
  if (takeComputation(instruction, "computation", symbol))
    return failure();
  SmallVector<Attribute> symbols;
  if (auto other = instruction.attributes.get(target))
    llvm::append_range(symbols, cast<ArrayAttr>(other));
  symbols.push_back(symbol);
  instruction.attributes.set(target, builder.getArrayAttr(symbols));
  return success();
}

//===- Dimensions and windows ----------------------------------------------===//

/// `3`, `3x3`: the numbers between the `x`.
static bool readProduct(StringRef text, SmallVectorImpl<int64_t> &values) {
  while (!text.empty()) {
    auto [first, rest] = text.split('x');
    if (first.getAsInteger(10, values.emplace_back()))
      return false;
    text = rest;
  }
  return true;
}

/// `0_1`, `0_1x2_3_1`: low, high and, if asked for, interior padding.
static bool readPadding(StringRef text, SmallVectorImpl<int64_t> &low, SmallVectorImpl<int64_t> &high,
                        SmallVectorImpl<int64_t> *interior) {
  while (!text.empty()) {
    auto [first, rest] = text.split('x');
    SmallVector<StringRef, 3> parts;
    first.split(parts, '_');
    if (parts.size() < 2 || parts.size() > (interior ? 3 : 2) ||
        parts[0].getAsInteger(10, low.emplace_back()) ||
        parts[1].getAsInteger(10, high.emplace_back()))
      return false;
    if (interior && parts.size() == 3 && parts[2].getAsInteger(10, interior->emplace_back()))
      return false;
    if (interior && parts.size() == 2)
      interior->push_back(0);
    text = rest;
  }
  return true;
}

ParseResult Parser::parseWindowAttr(Instruction &instruction, StringRef target) {
  const char *place = lexer.begin();
  SmallVector<int64_t> sizes, strides, low, high, base, dilations, reversals;
  if (take(Token::LBrace, "`{` at the start of the window"))
    return failure();
  SmallVector<StringRef> seen;
  while (!takeIf(Token::RBrace)) {
    takeIf(Token::Comma);
    if (!lexer.is(Token::Attribute))
      return expected("size=, stride=, pad=, lhs_dilate=, rhs_dilate=, rhs_reversal= or `}`");
    StringRef name = lexer.getValue();
    const char *namePlace = lexer.begin();
    if (llvm::is_contained(seen, name))
      return fail(namePlace, "expected `" + name + "` once in a window");
    seen.push_back(name);
    lexer.next();
    if (name == "pad") {
      if (!lexer.is(Token::Pad) || !readPadding(lexer.getValue(), low, high, nullptr))
        return expected("padding such as 0_1x2_3");
    } else {
      SmallVectorImpl<int64_t> *list = name == "size"           ? &sizes
                                       : name == "stride"       ? &strides
                                       : name == "lhs_dilate"   ? &base
                                       : name == "rhs_dilate"   ? &dilations
                                       : name == "rhs_reversal" ? &reversals
                                                                : nullptr;
      if (!list)
        return fail(namePlace, "expected size, stride, pad, lhs_dilate, rhs_dilate or "
                               "rhs_reversal in a window but got `" + name + "`");
      if ((!lexer.is(Token::Int) && !lexer.is(Token::DxD)) || !readProduct(lexer.getValue(), *list))
        return expected("numbers such as 2x3");
    }
    lexer.next();
  }
  size_t rank = sizes.size();
  if (rank == 0 && !seen.empty())
    return fail(place, "expected the window to have a size");
  auto complete = [&](SmallVectorImpl<int64_t> &list, StringRef name, int64_t value) -> ParseResult {
    if (list.empty())
      list.assign(rank, value);
    if (list.size() != rank)
      return fail(place, "expected " + Twine(rank) + " dimensions in the window's " + name +
                             " but got " + Twine(list.size()));
    return success();
  };
  if (complete(strides, "stride", 1) || complete(low, "pad", 0) || complete(high, "pad", 0) ||
      complete(base, "lhs_dilate", 1) || complete(dilations, "rhs_dilate", 1) ||
      complete(reversals, "rhs_reversal", 0))
    return failure();
  SmallVector<bool> reverse;
  for (int64_t flag : reversals)
    reverse.push_back(flag != 0);
  instruction.attributes.set(
      target, WindowAttr::get(context, sizes, strides, low, high, base, dilations, reverse));
  return success();
}

ParseResult Parser::parseDimLabelsAttr(Instruction &instruction, StringRef target) {
  if (!lexer.is(Token::DimLabels))
    return expected("labels such as b01f_01io->b01f");
  const char *place = lexer.begin();
  StringRef text = lexer.getValue();
  auto [lhs, rest] = text.split('_');
  auto [rhs, out] = rest.split("->");
  unsigned spatialRank = lhs.size() - lhs.count('?') - 2;
  // Places of the two letters, then of the digits 0, 1, ...
  auto read = [&](StringRef labels, char first, char second,
                  SmallVectorImpl<int64_t> &places) -> ParseResult {
    places.assign(spatialRank + 2, -1);
    size_t count = 0;
    for (auto [i, c] : llvm::enumerate(labels)) {
      if (c == '?')
        continue;
      ++count;
      size_t slot = c == first ? 0 : c == second ? 1 : size_t(c - '0') + 2;
      if (slot >= places.size() || places[slot] >= 0)
        return fail(place, "expected the labels " + Twine(first) + ", " + Twine(second) +
                               " and each digit from 0 to " + Twine(int(spatialRank) - 1) +
                               " once in `" + labels + "`");
      places[slot] = i;
    }
    if (count != places.size())
      return fail(place, "expected " + Twine(places.size()) + " labels in `" + labels +
                             "`, as many as in `" + lhs + "`");
    return success();
  };
  SmallVector<int64_t> input, kernel, output;
  if (lhs.size() - lhs.count('?') < 2)
    return fail(place, "expected the labels b and f in `" + lhs + "`");
  if (read(lhs, 'b', 'f', input) || read(rhs, 'i', 'o', kernel) || read(out, 'b', 'f', output))
    return failure();
  lexer.next();
  auto spatial = [](ArrayRef<int64_t> places) { return places.drop_front(2); };
  instruction.attributes.set(
      target, ConvDimensionsAttr::get(context, input[0], input[1], spatial(input), kernel[0],
                                      kernel[1], spatial(kernel), output[0], output[1],
                                      spatial(output)));
  return success();
}

static bool isScalar(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && array.getRank() == 0;
}

ParseResult Parser::parsePaddingAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> low, high, interior;
  if (lexer.is(Token::Pad)) {
    if (!readPadding(lexer.getValue(), low, high, &interior))
      return expected("padding such as 0_1x2_3_1");
    lexer.next();
  } else if (instruction.operands.empty() ||
             !isScalar(instruction.operands[0].getType())) {
    return expected("padding such as 0_1x2_3_1");
  }
  instruction.attributes.set("low", builder.getDenseI64ArrayAttr(low));
  instruction.attributes.set("high", builder.getDenseI64ArrayAttr(high));
  instruction.attributes.set("interior", builder.getDenseI64ArrayAttr(interior));
  return success();
}

ParseResult Parser::parseSliceAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> starts, limits, strides;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        if (take(Token::LSquare, "`[` at the start of a range") || takeInt(starts.emplace_back()) ||
            take(Token::Colon, "`:` after the start of a range") || takeInt(limits.emplace_back()))
          return failure();
        strides.push_back(1);
        if (takeIf(Token::Colon) && takeInt(strides.back()))
          return failure();
        return take(Token::RSquare, "`]` at the end of a range");
      }))
    return failure();
  instruction.attributes.set("starts", builder.getDenseI64ArrayAttr(starts));
  instruction.attributes.set("limits", builder.getDenseI64ArrayAttr(limits));
  instruction.attributes.set("strides", builder.getDenseI64ArrayAttr(strides));
  return success();
}

ParseResult Parser::parsePairsAttr(Instruction &instruction, StringRef target) {
  SmallVector<int64_t> flat;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        const char *place = lexer.begin();
        SmallVector<int64_t> pair;
        if (takeInts(pair))
          return failure();
        if (pair.size() != 2)
          return fail(place, "expected a pair of participants but got " + Twine(pair.size()));
        flat.append(pair);
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getDenseI64ArrayAttr(flat));
  return success();
}

ParseResult Parser::parseIntListsAttr(Instruction &instruction, StringRef target) {
  SmallVector<Attribute> lists;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        SmallVector<int64_t> values;
        if (takeInts(values))
          return failure();
        lists.push_back(builder.getDenseI64ArrayAttr(values));
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getArrayAttr(lists));
  return success();
}

//===- Precision, accuracy, aliasing ---------------------------------------===//

ParseResult Parser::parsePrecisionAttr(Instruction &instruction, StringRef target) {
  SmallVector<Attribute> values;
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        auto value = lexer.is(Token::Ident) ? symbolizePrecision(lexer.getValue().lower())
                                            : std::nullopt;
        if (!value)
          return expected("default, high or highest");
        lexer.next();
        values.push_back(PrecisionAttr::get(context, *value));
        return success();
      }))
    return failure();
  instruction.attributes.set(target, builder.getArrayAttr(values));
  return success();
}

ParseResult Parser::parseAccuracyAttr(Instruction &instruction, StringRef target) {
  std::string mode = "tolerance";
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  auto parseTolerance = [&]() -> ParseResult {
    return takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
      if (!lexer.is(Token::Attribute))
        return expected("atol=, rtol= or ulps=");
      StringRef name = lexer.getValue();
      if (name != "atol" && name != "rtol" && name != "ulps")
        return expected("atol=, rtol= or ulps=");
      lexer.next();
      if (name == "ulps")
        return takeInt(ulps);
      double &value = name == "atol" ? atol : rtol;
      if ((!lexer.is(Token::Decimal) && !lexer.is(Token::Int)) || lexer.getValue().getAsDouble(value))
        return expected("a number");
      lexer.next();
      return success();
    });
  };
  if (takeList(Token::LBrace, Token::RBrace, [&]() -> ParseResult {
        if (lexer.is(Token::Attribute) && lexer.getValue() == "tolerance") {
          lexer.next();
          return parseTolerance();
        }
        if (!lexer.is(Token::Attribute) || lexer.getValue() != "mode")
          return expected("mode= or tolerance=");
        lexer.next();
        mode = lexer.getValue().str();
        if (!lexer.is(Token::Ident) || (mode != "default" && mode != "highest"))
          return expected("default or highest");
        lexer.next();
        return success();
      }))
    return failure();
  instruction.attributes.set(
      target, ResultAccuracyAttr::get(context, mode, builder.getF64FloatAttr(atol),
                                      builder.getF64FloatAttr(rtol), ulps));
  return success();
}

ParseResult Parser::parseAliasingAttr(Instruction &instruction, StringRef target) {
  Attribute value;
  if (parseAliases(value, /*moduleLevel=*/false))
    return failure();
  instruction.attributes.set(target, value);
  return success();
}

//===- The table -----------------------------------------------------------===//

struct AttributeRules {
  using P = Parser;
  static ArrayRef<AttributeRule> get();
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
      {"convolution_kind", "convolution_kind",
       &P::parseEnumAttr<ConvolutionKindAttr>},
      {"cross_program_prefetch_index", "cross_program_prefetch_index", &P::parseIntAttr},
      {"custom_call_has_side_effect", "custom_call_has_side_effect", &P::parseBoolAttr},
      {"custom_call_target", "custom_call_target", &P::parseStringAttr},
      {"delta", "delta", &P::parseIntAttr},
      {"dim_labels", "dim_labels", &P::parseDimLabelsAttr},
      {"dimensions", "dimensions", &P::parseIntsAttr},
      {"dimensions", "dimension", &P::parseOneOfListAttr},
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
      {"schedule", "schedule",
       &P::parseEnumAttr<CustomCallScheduleAttr>},
      {"select", "select", &P::parseComputationAttr},
      {"slice", "starts", &P::parseSliceAttr},
      {"slice_sizes", "slice_sizes", &P::parseIntListsAttr, "collective"},
      {"slice_sizes", "slice_sizes", &P::parseIntsAttr},
      {"source_target_pairs", "source_target_pairs", &P::parsePairsAttr},
      {"sparsity_config", "sparsity_config", &P::parseVerbatimAttr},
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

      // Every instruction may carry these.
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

bool AttributeRule::applies(const Opcode &opcode) const {
  return isShared() || (StringRef(opcode.text).starts_with(only) && opcode.hasAttribute(target));
}

ArrayRef<AttributeRule> getAttributeRules() { return AttributeRules::get(); }

ArrayRef<AttributeRule> findAttributeRules(StringRef name) {
  static const llvm::StringMap<ArrayRef<AttributeRule>> byName = [] {
    llvm::StringMap<ArrayRef<AttributeRule>> map;
    ArrayRef<AttributeRule> rules = getAttributeRules();
    for (size_t i = 0; i < rules.size();) { // rules of one name stand together
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
