// SPDX-License-Identifier: Apache-2.0
// The manual page, for man.
#include "compiler/driver/Manual.h"
#include "compiler/text/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hloc {

/// `text` escaped for troff.
static std::string escape(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  bool isCommand = result.starts_with('.') || result.starts_with('\'');
  return isCommand ? "\\&" + result : result;
}

static void writeOption(raw_ostream &out, const HelpText::Option &option) {
  out << ".TP\n\\fB" << escape(option.name) << "\\fR\\fI" << escape(option.argument) << "\\fR\n"
      << escape(option.help) << '\n';
  if (option.values.empty())
    return;
  out << ".RS\n";
  for (const HelpText::Value &value : option.values)
    out << ".TP\n\\fB" << escape(value.name) << "\\fR\n" << escape(value.help) << '\n';
  out << ".RE\n";
}

static void writeSection(raw_ostream &out, const HelpText::Section &section) {
  out << ".SS \"" << escape(section.title) << "\"\n";
  bool isOfPass = false;
  for (const HelpText::Option &option : section.options) {
    if (option.isOfPass != isOfPass)
      out << (option.isOfPass ? ".RS\n" : ".RE\n");
    isOfPass = option.isOfPass;
    writeOption(out, option);
  }
  if (isOfPass)
    out << ".RE\n";
}

std::string writeManual(const HelpText &help) {
  std::string text;
  raw_string_ostream out(text);
  out << ".TH " << StringRef(help.program).upper() << " 1 \"\" \"hloc " << getVersion()
      << "\" \"User Commands\"\n"
      << ".SH NAME\n"
      << help.program << " \\- " << escape(help.summary) << "\n.SH SYNOPSIS\n\\fB"
      << escape(help.program) << "\\fR " << escape(help.usage) << "\n.SH OPTIONS\n";
  // The generic options of all LLVM programs come last.
  auto isGeneric = [](const HelpText::Section &each) { return each.title == "Generic Options"; };
  for (bool generic : {false, true})
    for (const HelpText::Section &section : help.sections)
      if (isGeneric(section) == generic)
        writeSection(out, section);
  out << ".SH EXIT STATUS\n";
  for (auto [code, meaning] : {std::pair("0", "Done."),
                               {"1", "The input was refused, or results differ."},
                               {"2", "The command line was wrong."},
                               {"3", "The input is right, but not supported."}})
    out << ".TP\n" << code << '\n' << meaning << '\n';
  out << ".SH SEE ALSO\n";
  SmallVector<std::string> others;
  for (StringRef program : {"hloc", "hlo-lsp", "hlo-opt", "hlo-reduce", "hlo-run"})
    if (program != help.program)
      others.push_back("\\fB" + escape(program) + "\\fR(1)");
  out << join(others, ",\n") << '\n';
  return text;
}

} // namespace hloc
