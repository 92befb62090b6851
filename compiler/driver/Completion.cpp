// SPDX-License-Identifier: Apache-2.0
// Completion of options in shells.
#include "compiler/driver/Manual.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hloc {

namespace {

using Option = HelpText::Option;

/// All options except those of passes.
std::vector<const Option *> getOptions(const HelpText &help) {
  std::vector<const Option *> options;
  for (const HelpText::Section &section : help.sections)
    for (const Option &option : section.options)
      if (!option.isOfPass)
        options.push_back(&option);
  return options;
}

bool takesFile(const Option &option) {
  return StringRef(option.argument).contains("<file") ||
         StringRef(option.argument).contains("<folder");
}

/// The purpose of an option, without the colon before its values.
StringRef getHelp(const Option &option) { return StringRef(option.help).rtrim(':'); }

/// `text` with a backslash before each of `special`.
std::string escape(StringRef text, StringRef special) {
  std::string result;
  for (char c : text) {
    if (special.contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

/// `text` in single quotes, for bash and zsh.
std::string quote(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

/// A valid name of a shell function.
std::string getFunction(const HelpText &help) {
  std::string name = "_" + help.program;
  llvm::replace(name, '-', '_');
  return name;
}

/// `# What this is, and how it was made.`
std::string getTitle(const HelpText &help, StringRef shell) {
  return ("# Completion of " + help.program + "'s options, as `" + help.program +
          " --describe=" + shell + "` prints it.\n")
      .str();
}

} // namespace

std::string writeBashCompletion(const HelpText &help) {
  std::string text, names;
  raw_string_ostream out(text);
  out << getTitle(help, "bash") << getFunction(help) << "() {\n"
      << R"(  local word=${COMP_LINE:0:COMP_POINT} values before=
  word=${word##*[[:space:]]}
  # Where an equals sign does not divide words, what stands before it is a part of this one.
  [[ $word == *=* && $COMP_WORDBREAKS != *=* ]] && before=${word%%=*}=
  case $word in
)";
  for (const Option *option : getOptions(help)) {
    bool assigns = StringRef(option->argument).starts_with("=");
    names += (names.empty() ? "" : " ") + option->name + (assigns ? "=" : "");
    if (option->values.empty())
      continue;
    auto getName = [](const HelpText::Value &value) { return value.name; };
    out << "    " << option->name
        << "=*) values=" << quote(join(map_range(option->values, getName), " ")) << " ;;\n";
  }
  out << "    -*=*) ;;\n    -*) values=" << quote(names) << R"( ;;
  esac
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" -- "${word#*=}")
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F )"
      << getFunction(help) << ' ' << help.program << '\n';
  return text;
}

std::string writeZshCompletion(const HelpText &help) {
  std::string text;
  raw_string_ostream out(text);
  out << "#compdef " << help.program << '\n' << getTitle(help, "zsh") << "_arguments";
  for (const Option *option : getOptions(help)) {
    StringRef argument = option->argument;
    // An equals sign, or for -O nothing, separates an option from its value.
    std::string spec = option->name;
    if (argument.starts_with("["))
      spec += "=-";
    else if (argument.starts_with("="))
      spec += "=";
    else if (option->name == "-O")
      spec += "-";
    spec += "[" + escape(getHelp(*option), "[]:\\") + "]";
    if (!argument.empty()) {
      StringRef name = argument.trim("[]= ");
      spec += (argument.starts_with("[") ? "::" : ":") + escape(name.trim("<>"), ":[]\\") + ":";
      if (!option->values.empty()) {
        spec += "((";
        for (const HelpText::Value &value : option->values)
          spec += value.name + "\\:" + quote(escape(value.help, ":\\")) + " ";
        spec.back() = ')';
        spec += ")";
      } else if (takesFile(*option)) {
        spec += "_files";
      } else {
        spec += " ";
      }
    }
    out << " \\\n  " << quote(spec);
  }
  if (StringRef(help.usage).contains("<file"))
    out << " \\\n  '*:file:_files'";
  out << '\n';
  return text;
}

std::string writeFishCompletion(const HelpText &help) {
  std::string text;
  raw_string_ostream out(text);
  // In fish's single quotes a backslash hides a quote and itself.
  auto inQuotes = [](StringRef words) { return "'" + escape(words, "'\\") + "'"; };
  out << getTitle(help, "fish");
  for (const Option *option : getOptions(help)) {
    StringRef name = option->name;
    bool isLong = name.consume_front("--");
    out << "complete -c " << help.program << (isLong ? " -l " : " -s ") << name.ltrim('-');
    if (StringRef argument = option->argument; !argument.empty() && !argument.starts_with("["))
      out << (takesFile(*option) ? " -r" : " -x");
    out << " -d " << inQuotes(getHelp(*option));
    // The values, each with a tab and its meaning.
    std::string words;
    for (const HelpText::Value &value : option->values)
      words +=
          (words.empty() ? "" : " ") + value.name + "\\t\"" + escape(value.help, "\"$\\") + "\"";
    out << (words.empty() ? "" : " -a " + inQuotes(words)) << '\n';
  }
  return text;
}

} // namespace hloc
