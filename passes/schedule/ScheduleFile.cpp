// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/ScheduleFile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace hloc {

static constexpr llvm::StringLiteral kFormat = "hloc schedules ", kVersion = "1",
                                     kMachine = "machine ", kComment = "//";
static constexpr size_t kDigits = 16;

namespace {

class Parser {
public:
  Parser(StringRef name, MLIRContext *context)
      : name(StringAttr::get(context, name)), context(context) {}

  FailureOr<ScheduleFile> parse(StringRef text) {
    SmallVector<StringRef> lines;
    text.split(lines, '\n');
    bool hasHeader = false;
    for (StringRef whole : lines) {
      ++number;
      line = whole.rtrim("\r");
      auto [content, comment] = line.split(kComment);
      content = content.rtrim();
      if (content.trim().empty())
        continue;
      if (!hasHeader ? failed(parseHeader(content))
          : content.starts_with(kMachine)
              ? failed(parseMachine(content.drop_front(kMachine.size()).trim()))
              : failed(parseSchedule(content, comment.trim())))
        return failure();
      hasHeader = true;
    }
    if (!hasHeader)
      return emitError(place(0)) << "expected `" << kFormat << kVersion << "`, the first line";
    return std::move(file);
  }

private:
  /// Location of a column, counted from 0, of the current line.
  FileLineColLoc place(size_t column) const {
    return FileLineColLoc::get(name, std::max(1u, number), unsigned(column) + 1);
  }
  size_t columnOf(StringRef part) const { return size_t(part.data() - line.data()); }

  LogicalResult parseHeader(StringRef content) {
    if (!content.consume_front(kFormat))
      return emitError(place(0)) << "expected `" << kFormat << kVersion << "`, the first line";
    if (content.trim() != kVersion)
      return emitError(place(columnOf(content)))
             << "expected version " << kVersion << " of the format but got `" << content.trim()
             << "`";
    return success();
  }

  LogicalResult parseMachine(StringRef machine) {
    for (const ScheduleFile::Section &section : file.sections)
      if (section.machine == machine)
        return emitError(place(columnOf(machine))) << "the machine already has a section";
    file.sections.push_back({machine.str(), {}});
    problems.clear();
    return success();
  }

  LogicalResult parseSchedule(StringRef content, StringRef comment) {
    auto [key, schedule] = content.split('=');
    key = key.trim();
    schedule = schedule.trim();
    auto [kernel, problem] = key.rsplit('@');
    if (schedule.empty() || kernel.empty() || problem.size() != kDigits ||
        !llvm::all_of(problem, llvm::isHexDigit))
      return emitError(place(content.find_first_not_of(" \t")))
             << "expected `machine ...`, or a kernel's schedule: NAME@PROBLEM = "
                "#hlo.schedule<...>, PROBLEM being "
             << kDigits << " hexadecimal digits";
    if (file.sections.empty())
      return emitError(place(columnOf(key))) << "expected `machine ...` before the first schedule";
    if (!problems.insert(problem).second)
      return emitError(place(columnOf(problem)))
             << "this kernel already has a schedule in this section";
    hlo::ScheduleAttr attribute = parseAttribute(schedule);
    if (!attribute)
      return failure();
    file.sections.back().lines.push_back(
        {{kernel.str(), problem.str(), attribute, place(columnOf(key))}, comment.str()});
    return success();
  }

  /// Returns null after an error, which is reported at its place in the file.
  hlo::ScheduleAttr parseAttribute(StringRef text) {
    size_t start = columnOf(text), read = 0;
    Attribute attribute;
    std::string message;
    {
      ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
        if (!message.empty())
          return success();
        message = diagnostic.str();
        if (auto at = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
          start += at.getColumn() - 1;
        return success();
      });
      attribute = mlir::parseAttribute(text, context, Type(), &read);
    }
    auto schedule = dyn_cast_if_present<hlo::ScheduleAttr>(attribute);
    if (!message.empty())
      emitError(place(std::min(start, line.size()))) << message;
    else if (!schedule)
      emitError(place(start)) << "expected #hlo.schedule<...>";
    else if (read < text.size()) {
      emitError(place(start + read)) << "expected the end of the line, or a comment";
      return {};
    }
    return schedule;
  }

  StringAttr name;
  MLIRContext *context;
  ScheduleFile file;
  /// Fingerprints in the current section.
  llvm::StringSet<> problems;
  StringRef line;
  unsigned number = 0;
};

} // namespace

FailureOr<ScheduleFile> parseScheduleFile(StringRef text, StringRef name, MLIRContext *context) {
  return Parser(name, context).parse(text);
}

std::string printScheduleFile(const ScheduleFile &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << kFormat << kVersion << '\n'
      << "// The fastest schedules that `hloc --tune` found; `hloc --schedules=FILE` reads it.\n";
  for (const ScheduleFile::Section &section : file.sections) {
    out << '\n' << kMachine << section.machine << '\n';
    for (const auto &[tuned, comment] : section.lines) {
      out << tuned.name << '@' << tuned.problem << " = " << Attribute(tuned.schedule);
      if (!comment.empty())
        out << "  // " << comment;
      out << '\n';
    }
  }
  return text;
}

void setTunedSchedules(ModuleOp module, const ScheduleFile &file, StringRef name,
                       ArrayRef<Target> machines) {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> entries;
  bool isKnown = false;
  for (const ScheduleFile::Section &section : file.sections) {
    isKnown |= llvm::any_of(
        machines, [&](const Target &target) { return getMachineName(target) == section.machine; });
    for (const ScheduleFile::Line &line : section.lines)
      entries.push_back(toAttribute(line.tuned, section.machine, context));
  }
  if (!isKnown && !machines.empty())
    emitRemark(FileLineColLoc::get(StringAttr::get(context, name), 1, 1))
        << "the file has no schedules for this machine: " << getMachineName(machines.back());
  module->setAttr(kTunedSchedules, ArrayAttr::get(context, entries));
}

} // namespace hloc
