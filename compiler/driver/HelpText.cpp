// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/HelpText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace hloc {

/// Parses `--name=<argument>   - help`, without leading spaces. False if the line is something
/// else.
static bool parseOption(StringRef line, HelpText::Option &option) {
  auto [left, help] = line.split(" -");
  size_t end = left.find_first_of("=[ ");
  StringRef name = left.take_front(end);
  if (!name.starts_with("-") || name.ltrim("-").empty() || left.size() == line.size())
    return false;
  option.name = name.str();
  option.argument = left.drop_front(name.size()).rtrim().str();
  option.help = help.trim().str();
  return true;
}

/// Parses `=name   -   help`, without leading spaces.
static bool parseValue(StringRef line, HelpText::Value &value) {
  auto [name, help] = line.split(" -");
  if (!name.consume_front("="))
    return false;
  value = {name.trim().str(), help.trim().str()};
  return true;
}

HelpText parseHelp(StringRef text) {
  HelpText result;
  HelpText::Option *last = nullptr;
  // LLVM indents options by two characters, passes by six and their own options by eight.
  constexpr size_t optionOfPass = 8;
  for (StringRef line : split(text, '\n')) {
    StringRef words = line.ltrim();
    size_t indent = line.size() - words.size();
    HelpText::Option option;
    HelpText::Value value;
    if (line.consume_front("OVERVIEW: ")) {
      auto [program, summary] = line.split(": ");
      result.program = program.str();
      result.summary = summary.str();
    } else if (line.consume_front("USAGE: ")) {
      result.usage = line.split(' ').second.str();
    } else if (words.ends_with(":") && !words.starts_with("-") && words != "OPTIONS:") {
      result.sections.push_back({words.drop_back().str(), {}});
      last = nullptr;
    } else if (result.sections.empty() || words.empty()) {
      continue;
    } else if (last && parseValue(words, value)) {
      if (!value.name.empty())
        last->values.push_back(std::move(value));
    } else if (indent && parseOption(words, option)) {
      option.isOfPass = indent == optionOfPass;
      result.sections.back().options.push_back(std::move(option));
      last = &result.sections.back().options.back();
    } else if (last && indent > optionOfPass) { // the help of some options has several lines
      last->help += (" " + words).str();
    }
  }
  llvm::erase_if(result.sections,
                 [](const HelpText::Section &each) { return each.options.empty(); });
  return result;
}

} // namespace hloc
