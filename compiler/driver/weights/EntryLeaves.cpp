// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/weights/EntryLeaves.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Quote.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hloc {

/// The words of a path: JAX's `params['layers'][0].w`, PyTorch's `layers.0.w`, Flax's and Haiku's
/// `layers/0/w`.
static SmallVector<StringRef> splitWords(StringRef name) {
  SmallVector<StringRef> words;
  for (StringRef rest = name; !rest.empty();) {
    rest = rest.ltrim("[]'\"./");
    StringRef word = rest.take_front(rest.find_first_of("[]'\"./"));
    if (!word.empty())
      words.push_back(word);
    rest = rest.drop_front(word.size());
  }
  return words;
}

/// Letters and digits, with `_` for everything between them.
static std::string squeeze(StringRef name) {
  std::string squeezed;
  for (char c : name)
    if (llvm::isAlnum(c))
      squeezed += c;
    else if (!squeezed.empty() && squeezed.back() != '_')
      squeezed += '_';
  return StringRef(squeezed).rtrim('_').str();
}

/// The name of an instruction without the number that printers append.
static StringRef dropNumber(StringRef instruction) {
  StringRef stem = instruction.rtrim("0123456789");
  return stem.size() < instruction.size() && stem.consume_back(".") ? stem : instruction;
}

EntryLeaves::EntryLeaves(hlo::ComputationOp entry) {
  for (BlockArgument parameter : entry.getBody().getArguments()) {
    std::string path;
    StringRef written = hlo::getMetadataField(parameter.getLoc(), "op_name");
    if (!text::unescape(written, path))
      path = written.str();
    size_t position = 0;
    add(parameter, parameter.getType(), hlo::getInstructionName(parameter.getLoc()).str(), path,
        position);
  }
}

void EntryLeaves::add(BlockArgument parameter, Type type, std::string instruction, std::string path,
                      size_t &position) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (auto [i, element] : llvm::enumerate(tuple.getTypes())) {
      std::string ending = "." + std::to_string(i);
      add(parameter, element, instruction + ending, path.empty() ? path : path + ending, position);
    }
    return;
  }
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array)
    return;
  size_t number = leaves.size();
  auto remember = [&](auto &map, const Twine &key) {
    SmallVector<size_t, 1> &known = map[key.str()];
    if (!llvm::is_contained(known, number))
      known.push_back(number);
  };
  remember(byName, instruction);
  if (!path.empty())
    remember(byName, path);
  SmallVector<StringRef> words = splitWords(path.empty() ? instruction : path);
  remember(byWords, llvm::join(words, "/"));
  if (words.size() > 1 && !path.empty())
    remember(byLastWords, llvm::join(llvm::drop_begin(words), "/"));
  // Flax's variables are nodes of the tree, but not in files of weights.
  if (words.size() > 2 && StringRef(path).ends_with(".value"))
    remember(byLastWords, llvm::join(ArrayRef(words).drop_front().drop_back(), "/"));
  // If JAX did not print paths, the instruction's name is derived from the path:
  // `params__layers___0___w__.1` from `params['layers'][0]['w']`.
  if (path.empty()) {
    auto rememberSqueezed = [&](StringRef written) {
      remember(bySqueezed, squeeze(written));
      if (size_t argument = written.find("__"); argument != StringRef::npos)
        remember(byLastSqueezed, squeeze(written.drop_front(argument)));
    };
    StringRef written = dropNumber(instruction);
    rememberSqueezed(written);
    if (written.consume_back("__value"))
      rememberSqueezed(written);
  }
  leaves.push_back({parameter, array, position++, std::move(instruction), std::move(path)});
}

ArrayRef<size_t> EntryLeaves::find(StringRef name) const {
  if (auto found = byName.find(name); found != byName.end())
    return found->second;
  std::string words = llvm::join(splitWords(name), "/");
  for (auto *map : {&byWords, &byLastWords})
    if (auto found = map->find(words); found != map->end())
      return found->second;
  std::string squeezed = squeeze(name);
  for (auto *map : {&bySqueezed, &byLastSqueezed})
    if (auto found = map->find(squeezed); found != map->end())
      return found->second;
  return {};
}

std::optional<size_t> EntryLeaves::findOne(StringRef name, StringRef option, Location loc) const {
  ArrayRef<size_t> found = find(name);
  if (size_t number; found.empty() && !name.getAsInteger(10, number) && number < leaves.size())
    return number;
  if (found.size() == 1)
    return found.front();
  std::vector<std::string> names;
  if (found.empty()) {
    for (const EntryLeaf &leaf : leaves)
      names.push_back(leaf.getName().str());
    InFlightDiagnostic error = emitError(loc)
                               << option << ": the entry has no parameter '" << name << "'";
    if (!names.empty())
      error << ", only " << listNames(names);
    return std::nullopt;
  }
  for (size_t leaf : found)
    names.push_back(leaves[leaf].instruction);
  emitError(loc) << option << ": '" << name << "' matches several parameters: " << listNames(names);
  return std::nullopt;
}

/// True if `instruction`, a name that JAX has made from a path, is of a path that begins with the
/// words in `squeezed`: `params__layers___0___w__` is of `params['layers'][0]['w']`. A word that is
/// not a number follows at least two `_`.
static bool beginsWith(StringRef instruction, StringRef squeezed) {
  for (size_t end = 1; end + 1 < instruction.size(); ++end) {
    char next = instruction[end + 1];
    if (instruction[end] == '_' && instruction[end - 1] != '_' &&
        (next == '_' || llvm::isDigit(next)) && squeeze(instruction.take_front(end)) == squeezed)
      return true;
  }
  return false;
}

SmallVector<size_t> EntryLeaves::findBelow(StringRef name) const {
  SmallVector<size_t> found;
  SmallVector<StringRef> words = splitWords(name);
  if (words.empty() || !find(name).empty())
    return found;
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    SmallVector<StringRef> own = splitWords(leaf.path);
    bool isInTuple = isa<TupleType>(leaf.parameter.getType()) &&
                     StringRef(leaf.instruction).starts_with((name + ".").str());
    bool isBelow = leaf.path.empty()
                       ? beginsWith(dropNumber(leaf.instruction), squeeze(name))
                       : own.size() > words.size() &&
                             ArrayRef(own).take_front(words.size()) == ArrayRef(words);
    if (isInTuple || isBelow)
      found.push_back(i);
  }
  return found;
}

std::string listNames(ArrayRef<std::string> names) {
  constexpr size_t kShown = 8;
  std::string text;
  for (const std::string &name : names.take_front(kShown))
    text += (text.empty() ? "'" : ", '") + name + "'";
  if (names.size() > kShown)
    text += " and " + std::to_string(names.size() - kShown) + " others";
  return text;
}

} // namespace hloc
