// SPDX-License-Identifier: Apache-2.0
// Attributes of operations as text: the inverse of the table in AttributeRules.cpp.
#include "compiler/hlo/HloDialect.h"
#include "compiler/text/PrintValues.h"
#include "compiler/text/Quote.h"
#include "compiler/text/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

static void printInts(ArrayRef<int64_t> values, raw_ostream &out) {
  out << '{';
  llvm::interleave(values, out, ",");
  out << '}';
}

static void printWindow(WindowAttr window, raw_ostream &out) {
  out << "{size=";
  llvm::interleave(window.getSizes(), out, "x");
  auto list = [&](StringRef name, ArrayRef<int64_t> values, int64_t usual) {
    if (llvm::all_of(values, [&](int64_t value) { return value == usual; }))
      return;
    out << ' ' << name << '=';
    llvm::interleave(values, out, "x");
  };
  list("stride", window.getStrides(), 1);
  auto padding = llvm::zip(window.getPaddingLow(), window.getPaddingHigh());
  if (llvm::any_of(padding, [](auto pair) { return std::get<0>(pair) || std::get<1>(pair); })) {
    out << " pad=";
    llvm::interleave(
        padding, out, [&](auto pair) { out << std::get<0>(pair) << '_' << std::get<1>(pair); },
        "x");
  }
  list("lhs_dilate", window.getBaseDilations(), 1);
  list("rhs_dilate", window.getWindowDilations(), 1);
  if (llvm::is_contained(window.getReversals(), true)) {
    out << " rhs_reversal=";
    llvm::interleave(window.getReversals(), out, [&](bool reversed) { out << int(reversed); }, "x");
  }
  out << '}';
}

static void printDimLabels(ConvDimensionsAttr dims, raw_ostream &out) {
  auto side = [&](char first, int64_t firstPlace, char second, int64_t secondPlace,
                  ArrayRef<int64_t> spatial) {
    int64_t size = std::max(firstPlace, secondPlace);
    for (int64_t place : spatial)
      size = std::max(size, place);
    std::string labels(size + 1, '?');
    labels[firstPlace] = first;
    labels[secondPlace] = second;
    for (auto [i, place] : llvm::enumerate(spatial))
      labels[place] = char('0' + i);
    out << labels;
  };
  side('b', dims.getInputBatch(), 'f', dims.getInputFeature(), dims.getInputSpatial());
  out << '_';
  side('i', dims.getKernelInputFeature(), 'o', dims.getKernelOutputFeature(),
       dims.getKernelSpatial());
  out << "->";
  side('b', dims.getOutputBatch(), 'f', dims.getOutputFeature(), dims.getOutputSpatial());
}

static void printReplicaGroups(ReplicaGroupsAttr groups, raw_ostream &out) {
  if (groups.getText()) {
    out << groups.getText().getValue();
    return;
  }
  ArrayRef<int64_t> ids = groups.getIds();
  out << '{';
  for (auto [i, size] : llvm::enumerate(groups.getSizes())) {
    if (i)
      out << ',';
    printInts(ids.take_front(size), out);
    ids = ids.drop_front(size);
  }
  out << '}';
}

static void printAccuracy(ResultAccuracyAttr accuracy, raw_ostream &out) {
  if (accuracy.getMode() != "tolerance") {
    out << "{mode=" << accuracy.getMode() << '}';
    return;
  }
  out << "{tolerance={atol=";
  printNumber(accuracy.getAtol().getValueAsDouble(), out);
  out << ", rtol=";
  printNumber(accuracy.getRtol().getValueAsDouble(), out);
  out << ", ulps=" << accuracy.getUlps() << "}}";
}

void printAliases(ArrayAttr aliases, raw_ostream &out) {
  out << '{';
  for (auto [i, attribute] : llvm::enumerate(aliases)) {
    auto alias = cast<BufferAliasAttr>(attribute);
    out << (i ? ", " : " ");
    printInts(alias.getOutputIndex(), out);
    out << ": (" << alias.getOperand() << ", ";
    printInts(alias.getOperandIndex(), out);
    if (!alias.getKind().empty())
      out << ", " << alias.getKind();
    out << ')';
  }
  out << " }";
}

static void printSparsity(ArrayAttr operands, raw_ostream &out) {
  out << '{';
  llvm::interleave(
      operands.getAsRange<SparsityAttr>(), out,
      [&](SparsityAttr sparsity) {
        out << (sparsity.getNumber() ? "rhs" : "lhs") << "={sparsity=" << sparsity.getNonZeros()
            << 'x' << sparsity.getBlockSize() << " dimension=" << sparsity.getDimension()
            << " stride=" << sparsity.getStride();
        if (sparsity.getIndices() >= 0)
          out << " idx=" << sparsity.getIndices();
        out << '}';
      },
      " ");
  out << '}';
}

/// The name of an enumeration's value; empty if `attribute` is not one.
static StringRef enumName(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, StringRef>(attribute)
      .Case<DirectionAttr, ComparisonTypeAttr, FftTypeAttr, DistributionAttr, RngAlgorithmAttr,
            TransposeAttr, FusionKindAttr, PrecisionAttr, CollectiveModeAttr, DotAlgorithmAttr,
            ConvolutionKindAttr, CustomCallApiAttr, CustomCallScheduleAttr, PaddingTypeAttr>(
          [](auto value) { return stringifyEnum(value.getValue()); })
      .Default([](Attribute) { return StringRef(); });
}

/// Prints an attribute of the kinds that always have the same form.
static bool printValue(Attribute attribute, raw_ostream &out) {
  if (StringRef name = enumName(attribute); !name.empty()) {
    out << name;
    return true;
  }
  return llvm::TypeSwitch<Attribute, bool>(attribute)
      .Case([&](BoolAttr value) { return out << (value.getValue() ? "true" : "false"), true; })
      .Case([&](IntegerAttr value) { return out << value.getInt(), true; })
      .Case([&](FloatAttr value) {
        // It is parsed as a double and then rounded: print the f32's own shortest decimal.
        auto bits = DenseElementsAttr::get(RankedTensorType::get({}, value.getType()), value);
        return printLiteral(bits, bits.getType(), false, out), true;
      })
      .Case([&](StringAttr value) { return out << quote(value), true; })
      .Case([&](DenseI64ArrayAttr value) { return printInts(value, out), true; })
      .Case([&](FlatSymbolRefAttr value) { return out << '%' << value.getValue(), true; })
      .Case([&](WindowAttr value) { return printWindow(value, out), true; })
      .Case([&](ConvDimensionsAttr value) { return printDimLabels(value, out), true; })
      .Case([&](ReplicaGroupsAttr value) { return printReplicaGroups(value, out), true; })
      .Case([&](ResultAccuracyAttr value) { return printAccuracy(value, out), true; })
      .Case([&](TypeAttr value) { return printShape(value.getValue(), out); })
      .Case([&](ArrayAttr values) {
        if (!values.empty() && isa<BufferAliasAttr>(values[0]))
          return printAliases(values, out), true;
        if (!values.empty() && isa<SparsityAttr>(values[0]))
          return printSparsity(values, out), true;
        out << '{';
        for (auto [i, value] : llvm::enumerate(values)) {
          if (i)
            out << ", ";
          if (!printValue(value, out))
            return false;
        }
        out << '}';
        return true;
      })
      .Default([](Attribute) { return false; });
}

/// `shape literal`, for custom-call's `literal` attribute.
static void printTypedLiteral(Attribute value, raw_ostream &out) {
  if (auto tuple = dyn_cast<ArrayAttr>(value)) {
    out << '(';
    llvm::interleave(tuple, out, [&](Attribute element) { printTypedLiteral(element, out); }, ", ");
    out << ')';
    return;
  }
  Type type = cast<ElementsAttr>(value).getType();
  printShape(type, out);
  out << ' ';
  printLiteral(value, type, false, out);
}

/// Lists that are printed only if they have elements.
static bool mayBeAbsent(StringRef name) {
  return name.starts_with("lhs_") || name.starts_with("rhs_") || name.ends_with("batching_dims");
}

/// True if omitting the attribute means the same.
static bool isDefault(Operation *operation, StringRef name, Attribute value) {
  if (auto flag = dyn_cast<BoolAttr>(value)) {
    bool usual = isa<TopkOp>(operation);
    return name != "is_associative" && flag.getValue() == usual;
  }
  if (name == "feature_group_count" || name == "batch_group_count")
    return cast<IntegerAttr>(value).getInt() == 1;
  if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
    return list.empty() && mayBeAbsent(name);
  if (auto window = dyn_cast<WindowAttr>(value))
    return window.getSizes().empty();
  if (auto list = dyn_cast<ArrayAttr>(value))
    return list.empty() && (name == "output_to_operand_aliasing" || name == "sparsity_config");
  return false;
}

static void printSlice(SliceOp slice, raw_ostream &out) {
  out << ", slice={";
  llvm::interleave(
      llvm::zip(slice.getStarts(), slice.getLimits(), slice.getStrides()), out,
      [&](auto range) {
        auto [start, limit, stride] = range;
        out << '[' << start << ':' << limit;
        if (stride != 1)
          out << ':' << stride;
        out << ']';
      },
      ", ");
  out << '}';
}

static void printPadding(PadOp pad, raw_ostream &out) {
  out << ", padding=";
  llvm::interleave(
      llvm::zip(pad.getLow(), pad.getHigh(), pad.getInterior()), out,
      [&](auto padding) {
        auto [low, high, interior] = padding;
        out << low << '_' << high;
        if (interior)
          out << '_' << interior;
      },
      "x");
}

/// True if a conditional has two branches by name; its operands need not be verified yet.
static bool isBranchedByPred(ConditionalOp conditional) {
  auto index = dyn_cast<RankedTensorType>(conditional->getOperand(0).getType());
  return index && index.getElementType().isSignlessInteger(1);
}

bool printOwnAttributes(Operation *operation, raw_ostream &out) {
  if (auto slice = dyn_cast<SliceOp>(operation))
    return printSlice(slice, out), true;
  if (auto pad = dyn_cast<PadOp>(operation))
    return printPadding(pad, out), true;
  for (StringAttr name : operation->getName().getAttributeNames()) {
    Attribute value = operation->getInherentAttr(name).value_or(Attribute());
    if (!value || isDefault(operation, name, value))
      continue;
    if (name == "dimension") {
      out << ", dimensions={" << cast<IntegerAttr>(value).getInt() << '}';
      continue;
    }
    if (auto conditional = dyn_cast<ConditionalOp>(operation);
        conditional && name == "branch_computations" && isBranchedByPred(conditional)) {
      for (auto [i, branch] : llvm::enumerate(conditional.getBranchComputations()))
        out << (i ? ", false" : ", true") << "_computation=%"
            << cast<FlatSymbolRefAttr>(branch).getValue();
      continue;
    }
    out << ", " << name.getValue() << '=';
    if (name == "source_target_pairs") {
      ArrayRef<int64_t> pairs = cast<DenseI64ArrayAttr>(value);
      out << '{';
      for (size_t i = 0; i + 1 < pairs.size(); i += 2)
        out << (i ? "," : "") << '{' << pairs[i] << ',' << pairs[i + 1] << '}';
      out << '}';
    } else if (name == "literal") {
      printTypedLiteral(value, out);
    } else if (name == "domain") {
      out << cast<StringAttr>(value).getValue();
    } else if (!printValue(value, out)) {
      return false;
    }
  }
  return true;
}

} // namespace hloc::text
