// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Describe.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Location.h"
#include "compiler/hlo/infer/Shape.h"
#include "compiler/lsp/Manual.h"
#include "compiler/text/Lexer.h"
#include "compiler/text/Parser.h"
#include "compiler/text/Quote.h"
#include "compiler/text/SourceNotes.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace hloc::lsp {

/// The maximum number of characters of a shape: tuples can have any number.
constexpr size_t kMaxHoverShape = 400;

//===- Shapes --------------------------------------------------------------===//

/// Parses a shape of the text; null if it is invalid.
static Type readShape(StringRef shape, MLIRContext &context) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  std::string text = ("ENTRY e { ROOT x = " + shape + " parameter(0) }").str();
  if (OwningOpRef<ModuleOp> module = parseHlo(text, "shape", &context))
    for (auto computation : module->getOps<hlo::ComputationOp>())
      if (computation.getBody().getNumArguments() == 1)
        return computation.getBody().getArgument(0).getType();
  return nullptr;
}

namespace {
struct Size {
  int64_t elements, bytes;
};
} // namespace

/// The size of an array, with bounds for dynamic sizes; nothing if it is not known, or overflows.
static std::optional<Size> measure(RankedTensorType array) {
  std::optional<int64_t> elements = hlo::countElements(hlo::getBounds(array));
  auto layout = dyn_cast_or_null<hlo::LayoutAttr>(array.getEncoding());
  int64_t bits = layout && layout.getElementBits() ? layout.getElementBits()
                                                   : hlo::getStorageBits(array.getElementType());
  auto all = elements ? llvm::checkedMul(*elements, bits) : std::nullopt;
  return all ? std::optional(Size{*elements, int64_t(llvm::divideCeil(*all, 8))}) : std::nullopt;
}

static std::string describeLayout(RankedTensorType array) {
  auto layout = dyn_cast_or_null<hlo::LayoutAttr>(array.getEncoding());
  SmallVector<int64_t> order;
  for (int64_t d = array.getRank(); d-- > 0;)
    order.push_back(d);
  bool isDefault = !layout || layout.getMinorToMajor() == ArrayRef<int64_t>(order);
  if (!isDefault)
    order.assign(layout.getMinorToMajor().begin(), layout.getMinorToMajor().end());
  return "`" + hlo::toText(hlo::Sizes(order)) + "`" + (isDefault ? ", row-major" : "") +
         (layout && !layout.getTiles().empty() ? ", in tiles" : "");
}

static std::string describeBytes(int64_t bytes) {
  std::string text = llvm::formatv("{0} bytes", bytes);
  double amount = bytes;
  for (StringRef unit : {"KiB", "MiB", "GiB", "TiB"}) {
    amount /= 1024;
    if (amount >= 1 && amount < 1024)
      text += llvm::formatv(" ({0:f1} {1})", amount, unit);
  }
  return text;
}

static void describeType(Type type, raw_ostream &out) {
  if (auto array = dyn_cast<RankedTensorType>(type)) {
    if (array.getRank() > 0)
      out << "- layout: " << describeLayout(array) << '\n';
    bool isBound = !array.hasStaticShape();
    if (std::optional<Size> size = measure(array))
      out << "- size: " << (isBound ? "at most " : "") << size->elements
          << (size->elements == 1 ? " element, " : " elements, ") << describeBytes(size->bytes)
          << '\n';
    return;
  }
  SmallVector<Type> leaves;
  hlo::flattenTypes(type, leaves);
  std::optional<int64_t> bytes = 0;
  unsigned arrays = 0;
  for (Type leaf : leaves)
    if (auto array = dyn_cast<RankedTensorType>(leaf)) {
      std::optional<Size> size = measure(array);
      bytes = bytes && size ? llvm::checkedAdd(*bytes, size->bytes) : std::nullopt;
      ++arrays;
    }
  if (arrays && bytes)
    out << "- size: " << arrays << (arrays == 1 ? " array, " : " arrays, ") << describeBytes(*bytes)
        << '\n';
}

//===- Values and computations ---------------------------------------------===//

/// The origin in the user's program: `op_name`, and the line from the metadata or the tables.
static void describeOrigin(const Document &document, const InstructionText &instruction,
                           MLIRContext &context, raw_ostream &out) {
  StringRef text = *document.getText(), metadata;
  for (const AttributeText &attribute : instruction.attributes)
    if (attribute.name.in(text) == "metadata")
      metadata = attribute.value.in(text).trim();
  metadata.consume_front("{");
  metadata.consume_back("}");
  Builder builder(&context);
  Location location =
      hlo::makeLocation(builder.getStringAttr(""), FileLineColLoc::get(&context, "", 0, 0),
                        builder.getStringAttr(metadata));
  if (StringRef name = hlo::getMetadataField(location, "op_name"); !name.empty())
    out << "- op_name: `" << name << "`\n";
  StringRef tables = document.getIndex().stackFrames.in(text);
  SourcePlace place =
      findSourcePlace(location, tables.empty() ? StringAttr() : builder.getStringAttr(tables));
  if (place.file.empty())
    return;
  out << "- from: `" << place.file << ':' << place.line << '`';
  if (!place.function.empty())
    out << " of `" << place.function << '`';
  out << '\n';
}

static void describeValue(const Document &document, const Symbol &symbol, raw_ostream &out) {
  out << "`" << symbol.name << "`";
  const InstructionText *instruction = document.getIndex().getInstruction(symbol);
  if (!instruction) { // signatures may have other names than the parameters
    out << ": no instruction has this name\n";
    return;
  }
  StringRef text = *document.getText();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string shape = text::squeeze(document.getShape(*instruction));
  out << (instruction->isRoot ? ", the root: " : ": ") << '`'
      << (shape.empty() ? "?" : StringRef(shape).take_front(kMaxHoverShape))
      << (shape.size() > kMaxHoverShape ? "...`\n\n" : "`\n\n");
  if (StringRef opcode = instruction->opcode.in(text); !opcode.empty())
    out << "- opcode: `" << opcode << "`\n";
  if (Type type = shape.empty() ? Type() : readShape(shape, context))
    describeType(type, out);
  describeOrigin(document, *instruction, context, out);
  out << "- uses: " << llvm::count_if(symbol.mentions, [&](unsigned mention) {
    size_t at = document.getIndex().mentions[mention].span.begin;
    return at > instruction->name.end;
  }) << '\n';
}

static void describeComputation(const Document &document, const Symbol &symbol, raw_ostream &out) {
  const Index &index = document.getIndex();
  out << "computation `" << symbol.name << '`';
  const ComputationText *computation = index.getComputation(symbol);
  if (!computation) {
    out << ": not defined\n";
    return;
  }
  unsigned instructions = 0;
  for (const InstructionText &instruction : index.instructions)
    instructions += instruction.computation == symbol.definition;
  if (computation->isEntry)
    out << ", the entry";
  out << "\n\n";
  if (!computation->signature.empty())
    out << "```hlo\n" << computation->signature.in(index.text) << "\n```\n\n";
  out << "- instructions: " << instructions << "\n- calls: "
      << llvm::count_if(symbol.mentions,
                        [&](unsigned m) { return !index.mentions[m].isDefinition; })
      << '\n';
}

//===- Opcodes and attributes ----------------------------------------------===//

static void describeAttribute(const Manual::Attribute &attribute, StringRef opcode, bool isShared,
                              raw_ostream &out) {
  out << '`' << attribute.name << "=` of "
      << (isShared ? "every instruction" : ("`" + opcode + "`").str()) << ": " << attribute.values;
  if (!attribute.need.empty())
    out << " (" << attribute.need << ')';
  out << '\n';
}

/// The manual's text for the word at a position.
static Span describeWord(const Document &document, size_t offset, raw_ostream &out) {
  const Index &index = document.getIndex();
  const InstructionText *instruction = index.findInstruction(offset);
  if (!instruction)
    return {};
  const Manual::Operation *operation = Manual::get().find(instruction->opcode.in(index.text));
  for (const AttributeText &each : instruction->attributes) {
    if (!each.name.touches(offset))
      continue;
    const auto *attribute = Manual::get().find(operation, each.name.in(index.text));
    if (attribute)
      describeAttribute(*attribute, instruction->opcode.in(index.text), attribute->need.empty(),
                        out);
    return each.name;
  }
  // An opcode: the instruction's, or that of a nested instruction among its operands.
  text::Lexer lexer(index.text);
  lexer.reset(index.text.data() + std::min(instruction->name.end, instruction->whole.end));
  while (!lexer.is(text::Token::Eof) && lexer.end() < index.text.data() + offset)
    lexer.next();
  Span word{size_t(lexer.begin() - index.text.data()), size_t(lexer.end() - index.text.data())};
  bool isOpcode = lexer.is(text::Token::Ident) && word.touches(offset) && *lexer.end() == '(';
  operation = isOpcode ? Manual::get().find(lexer.getValue()) : nullptr;
  if (!operation)
    return {};
  out << "**" << lexer.getValue() << "**\n\n" << operation->page << '\n';
  return word;
}

std::optional<Hover> describePlace(const Document &document, Position position) {
  const Index &index = document.getIndex();
  size_t offset = document.getLines().getOffset(position);
  Hover hover{Range()};
  llvm::raw_string_ostream out(hover.contents.value);
  Span span;
  if (const Mention *mention = index.findMention(offset)) {
    span = mention->span;
    const Symbol &symbol = index.symbols[mention->symbol];
    if (symbol.isComputation())
      describeComputation(document, symbol, out);
    else
      describeValue(document, symbol, out);
  } else {
    span = describeWord(document, offset, out);
  }
  if (hover.contents.value.empty())
    return std::nullopt;
  // for truncated or damaged characters
  hover.contents.value = llvm::json::fixUTF8(hover.contents.value);
  hover.range = document.getLines().getRange(span);
  return hover;
}

} // namespace hloc::lsp
