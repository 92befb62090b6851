// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/Index.h"
#include "compiler/lsp/Scanner.h"

using llvm::StringRef;

namespace hloc::lsp {

Index::Index(StringRef text) : text(text) { Scanner(*this).scan(); }

const Mention *Index::findMention(size_t offset) const {
  auto after = llvm::upper_bound(
      mentions, offset, [](size_t place, const Mention &each) { return place < each.span.begin; });
  // Also at the `%` before a name.
  if (after != mentions.end() && after->span.begin == offset + 1 && offset < text.size() &&
      text[offset] == '%')
    return &*after;
  if (after == mentions.begin())
    return nullptr;
  --after;
  return after->span.touches(offset) ? &*after : nullptr;
}

/// The innermost element of `list` around a position: they begin in the order of the text, and are
/// nested.
template <typename T, typename Around>
static const T *findInnermost(const std::vector<T> &list, size_t offset, Around around) {
  auto after = llvm::upper_bound(
      list, offset, [](size_t place, const T &each) { return place < each.whole.begin; });
  while (after != list.begin())
    if (around(*--after))
      return &*after;
  return nullptr;
}

const InstructionText *Index::findInstruction(size_t offset) const {
  return findInnermost(instructions, offset,
                       [&](auto &each) { return each.whole.touches(offset); });
}

const InstructionText *Index::findUnfinished(size_t offset) const {
  return findInnermost(instructions, offset, [&](auto &each) { return offset <= each.reach; });
}

unsigned Index::findComputation(size_t offset) const {
  auto *found =
      findInnermost(computations, offset, [&](auto &each) { return each.whole.touches(offset); });
  return found ? found - computations.data() : kNone;
}

unsigned Index::findSymbol(unsigned scope, StringRef name) const {
  const llvm::StringMap<unsigned> &names = scope == kNone ? computationNames : valueNames[scope];
  auto found = names.find(name);
  return found == names.end() ? kNone : found->second;
}

const InstructionText *Index::getInstruction(const Symbol &symbol) const {
  bool isDefined = !symbol.isComputation() && symbol.definition != kNone;
  return isDefined ? &instructions[symbol.definition] : nullptr;
}

const ComputationText *Index::getComputation(const Symbol &symbol) const {
  bool isDefined = symbol.isComputation() && symbol.definition != kNone;
  return isDefined ? &computations[symbol.definition] : nullptr;
}

} // namespace hloc::lsp
