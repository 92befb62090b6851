// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Manual.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace hloc::lsp {

/// docs/operations.md.
static const unsigned char kPage[] = {
#include "compiler/lsp/operations.inc"
};

/// The rows of the tables in a section of the page: `| name | values | need |`, or without the
/// last.
static llvm::SmallVector<Manual::Attribute, 0> readAttributes(StringRef part) {
  llvm::SmallVector<Manual::Attribute, 0> rows;
  for (StringRef line : llvm::split(part, '\n')) {
    if (!line.consume_front("| `") || !line.consume_back(" |"))
      continue;
    auto [names, rest] = line.split(" | ");
    auto [values, need] = rest.split(" | ");
    // Several names with the same description: `a`, or `b` and `c`.
    while (!names.empty()) {
      auto [name, others] = names.split('`');
      rows.push_back({name, values, need});
      names = others.split('`').second;
    }
  }
  return rows;
}

llvm::SmallVector<StringRef> Manual::Attribute::getNames() const {
  llvm::SmallVector<StringRef> names;
  llvm::SplitString(values, names, ", ");
  for (StringRef &name : names)
    if (!name.consume_front("`") || !name.consume_back("`"))
      return {};
  return names;
}

Manual::Manual() {
  StringRef page(reinterpret_cast<const char *>(kPage), sizeof(kPage));
  auto [beginning, groups] = page.split("\n## ");
  shared = readAttributes(beginning);
  for (StringRef rest = groups; !rest.empty();) {
    auto [group, others] = rest.split("\n## ");
    rest = others;
    for (StringRef after = group.split("\n### ").second; !after.empty();) {
      auto [part, next] = after.split("\n### ");
      after = next;
      auto [opcode, text] = part.split('\n');
      text = text.trim();
      numbers[opcode] = operations.size();
      operations.push_back({opcode, text.split("\n").first, text, readAttributes(text)});
    }
  }
}

const Manual &Manual::get() {
  static const Manual manual;
  return manual;
}

const Manual::Operation *Manual::find(StringRef opcode) const {
  auto found = numbers.find(opcode);
  for (StringRef suffix : {"-start", "-update", "-done"})
    if (StringRef wrapped = opcode; found == numbers.end() && wrapped.consume_back(suffix))
      found = numbers.find(wrapped);
  return found == numbers.end() ? nullptr : &operations[found->second];
}

const Manual::Attribute *Manual::find(const Operation *operation, StringRef attribute) const {
  auto search = [&](llvm::ArrayRef<Attribute> list) {
    auto *found =
        llvm::find_if(list, [&](const Attribute &each) { return each.name == attribute; });
    return found == list.end() ? nullptr : found;
  };
  const Attribute *own = operation ? search(operation->attributes) : nullptr;
  return own ? own : search(shared);
}

} // namespace hloc::lsp
