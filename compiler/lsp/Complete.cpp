// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Complete.h"
#include "compiler/lsp/Manual.h"
#include "compiler/text/AttributeRules.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace hloc::lsp {

/// The maximum number of names offered at once; editors ask again as more is typed.
constexpr size_t kMaxItems = 200;

namespace {

class Completion {
public:
  Completion(const Document &document, size_t offset);
  CompletionList run();

private:
  void add(StringRef text, CompletionItemKind kind, StringRef detail, StringRef order = "");
  void addOutside();
  void addOpcodes();
  void addValues(const InstructionText &instruction);
  void addComputations();
  void addAttributes(const InstructionText &instruction);
  void addAttributeValue(const InstructionText &instruction, const AttributeText &attribute);
  /// The attribute whose value is being typed; null if there is none.
  const AttributeText *findAttribute(const InstructionText &instruction) const;

  const Document &document;
  const Index &index;
  StringRef text;
  /// The part of the word that has been typed, including `%`.
  Span word;
  /// The last character before the word that is not blank.
  char before = 0;
  CompletionList list;
};

} // namespace

Completion::Completion(const Document &document, size_t offset)
    : document(document), index(document.getIndex()), text(index.text), word{offset, offset} {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'; };
  while (word.begin > 0 && isPart(text[word.begin - 1]))
    --word.begin;
  if (word.begin > 0 && text[word.begin - 1] == '%')
    --word.begin;
  StringRef rest = text.take_front(word.begin).rtrim();
  before = rest.empty() ? 0 : rest.back();
}

void Completion::add(StringRef name, CompletionItemKind kind, StringRef detail, StringRef order) {
  StringRef typed = word.in(text);
  typed.consume_front("%");
  StringRef bare = name;
  bare.consume_front("%");
  if (!bare.contains_insensitive(typed))
    return;
  if (list.items.size() == kMaxItems) {
    list.isIncomplete = true;
    return;
  }
  // Editors sort by this: names that begin with the typed text come first.
  std::string sorted = (bare.starts_with(typed) ? "0" : "1") + order.str() + bare.str();
  CompletionItem &item = list.items.emplace_back(name, kind, sorted);
  item.detail = llvm::json::fixUTF8(detail);
  item.filterText = name.str();
  item.textEdit = TextEdit{document.getLines().getRange(word), name.str()};
}

void Completion::addOutside() {
  for (StringRef keyword : {"HloModule", "ENTRY"})
    add(keyword, CompletionItemKind::Keyword, "");
}

void Completion::addOpcodes() {
  for (const Manual::Operation &operation : Manual::get().getOperations())
    add(operation.opcode, CompletionItemKind::Function, operation.summary);
}

void Completion::addValues(const InstructionText &instruction) {
  // The last ones are the most likely.
  for (unsigned number = &instruction - index.instructions.data(); number-- > 0;) {
    const InstructionText &other = index.instructions[number];
    if (other.computation != instruction.computation || other.name.empty())
      continue;
    if (list.isIncomplete)
      return;
    bool hasSign = other.name.begin > 0 && text[other.name.begin - 1] == '%';
    std::string name = (hasSign ? "%" : "") + other.name.in(text).str();
    StringRef shape = document.getShape(other).take_front(kMaxListedShape);
    add(name, CompletionItemKind::Variable, shape, llvm::utohexstr(~uint32_t(number)));
  }
}

void Completion::addComputations() {
  for (const ComputationText &computation : index.computations)
    if (!computation.name.empty() && !computation.isEntry) {
      bool hasSign = computation.name.begin > 0 && text[computation.name.begin - 1] == '%';
      std::string name = (hasSign ? "%" : "") + computation.name.in(text).str();
      add(name, CompletionItemKind::Function, computation.signature.in(text));
    }
}

void Completion::addAttributes(const InstructionText &instruction) {
  const Manual::Operation *operation = Manual::get().find(instruction.opcode.in(text));
  auto offer = [&](const Manual::Attribute &attribute, StringRef order) {
    for (const AttributeText &there : instruction.attributes)
      if (there.name.in(text) == attribute.name)
        return;
    std::string detail = attribute.values.str();
    if (!attribute.need.empty())
      detail += (" (" + attribute.need + ")").str();
    add((attribute.name + "=").str(), CompletionItemKind::Property, detail, order);
  };
  if (operation)
    for (const Manual::Attribute &attribute : operation->attributes)
      offer(attribute, attribute.need == "required" ? "0" : "1");
  for (const Manual::Attribute &attribute : Manual::get().getSharedAttributes())
    offer(attribute, "2");
}

const AttributeText *Completion::findAttribute(const InstructionText &instruction) const {
  for (const AttributeText &attribute : llvm::reverse(instruction.attributes)) {
    if (attribute.value.begin > word.begin)
      continue;
    StringRef typed = text.slice(attribute.value.begin, word.begin);
    bool isOpen = typed.count('{') > typed.count('}');
    return isOpen || typed.trim().empty() ? &attribute : nullptr;
  }
  return nullptr;
}

void Completion::addAttributeValue(const InstructionText &instruction,
                                   const AttributeText &attribute) {
  StringRef name = attribute.name.in(text);
  llvm::ArrayRef<text::AttributeRule> rules = text::findAttributeRules(name);
  if (!rules.empty() && rules.front().namesComputations())
    return addComputations();
  if (name == "control-predecessors")
    return addValues(instruction);
  const Manual::Operation *operation = Manual::get().find(instruction.opcode.in(text));
  if (const Manual::Attribute *known = Manual::get().find(operation, name)) {
    for (StringRef value : known->getNames())
      add(value, CompletionItemKind::EnumMember, "");
    if (known->values == "true or false")
      for (StringRef value : {"true", "false"})
        add(value, CompletionItemKind::Keyword, "");
  }
}

CompletionList Completion::run() {
  const InstructionText *instruction = index.findUnfinished(word.begin);
  if (!instruction) {
    if (index.findComputation(word.begin) == kNone)
      addOutside();
    return std::move(list);
  }
  if (word.begin <= instruction->name.end)
    return std::move(list); // a new name
  if (instruction->opcode.empty() || word.begin <= instruction->opcode.begin) {
    if (before == '=' || before == ']' || before == '}' || before == ')')
      addOpcodes();
  } else if (instruction->operands.begin < word.begin && word.begin <= instruction->operands.end &&
             before != ')') {
    if (StringRef opcode = instruction->opcode.in(text);
        opcode != "constant" && opcode != "parameter")
      addValues(*instruction);
  } else if (const AttributeText *attribute = findAttribute(*instruction)) {
    addAttributeValue(*instruction, *attribute);
  } else if (before == ',') {
    addAttributes(*instruction);
  }
  return std::move(list);
}

CompletionList complete(const Document &document, Position position) {
  return Completion(document, document.getLines().getOffset(position)).run();
}

} // namespace hloc::lsp
