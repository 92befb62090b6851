// SPDX-License-Identifier: Apache-2.0
// What the programs' command lines share.

#ifndef HLOC_COMPILER_DRIVER_COMMANDLINE_H
#define HLOC_COMPILER_DRIVER_COMMANDLINE_H

#include "codegen/object/TargetMachine.h"
#include "compiler/driver/weights/Prepared.h"
#include "compiler/text/InputFile.h"
#include "llvm/Support/CommandLine.h"

namespace hloc {

/// Removes the options of LLVM's own passes, some of which have the names of ours. A program that
/// has parsed its options must call llvm::cl::ResetCommandLineParser() at its end, because the
/// linker registers and resets options as if it were alone.
inline void removeOptionsOfLlvm() {
  configureLlvm();
  llvm::SmallVector<llvm::cl::Option *> removed;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      removed.push_back(option);
  for (llvm::cl::Option *option : removed)
    option->removeArgument();
}

/// The largest value of --threads: the most that the runtime creates.
inline constexpr int64_t kMaxThreads = 4096;

/// An option that writes to a field, whose initial value is the default.
template <typename T> struct FieldOption : llvm::cl::opt<T, true> {
  FieldOption(llvm::StringRef name, T &field, llvm::StringRef help, llvm::StringRef value,
              llvm::cl::OptionCategory &category)
      : llvm::cl::opt<T, true>(name, llvm::cl::desc(help), llvm::cl::location(field),
                               llvm::cl::value_desc(value), llvm::cl::init(field),
                               llvm::cl::cat(category)) {}
};

/// An option without a value, which sets a field to true.
struct FieldSwitch : llvm::cl::opt<bool, true> {
  FieldSwitch(llvm::StringRef name, bool &field, llvm::StringRef help,
              llvm::cl::OptionCategory &category)
      : llvm::cl::opt<bool, true>(name, llvm::cl::desc(help), llvm::cl::location(field),
                                  llvm::cl::cat(category)) {}
};

/// --bf16-dot.
struct Bf16DotOption : llvm::cl::opt<Bf16Dot, true> {
  Bf16DotOption(Bf16Dot &field, llvm::cl::OptionCategory &category)
      : llvm::cl::opt<Bf16Dot, true>(
            "bf16-dot", llvm::cl::desc("Products of bf16 matrices:"), llvm::cl::location(field),
            llvm::cl::init(field), llvm::cl::cat(category),
            llvm::cl::values(
                clEnumValN(Bf16Dot::Exact, "exact", "multiply and add in f32"),
                clEnumValN(Bf16Dot::Checked, "checked",
                           "use the processor's instruction, if it has one, where no number is "
                           "subnormal (default)"),
                clEnumValN(Bf16Dot::Native, "native",
                           "use the processor's instruction if it has one: subnormal numbers are "
                           "flushed to zero"))) {}
};

/// --schedule.
struct ScheduleOption : llvm::cl::list<std::string> {
  explicit ScheduleOption(llvm::cl::OptionCategory &category)
      : llvm::cl::list<std::string>(
            "schedule",
            llvm::cl::desc("Set the schedule of an instruction's kernel (--report and the remarks "
                           "of --choose-schedules show the chosen ones); repeat it for others"),
            llvm::cl::value_desc("name=#hlo.schedule<...>"), llvm::cl::cat(category)) {}

  /// What is wrong with the first malformed occurrence; empty if none is.
  std::string findFault() const;
};

/// --bind and --bind-all.
struct BindOption : llvm::cl::list<std::string> {
  explicit BindOption(llvm::cl::OptionCategory &category)
      : llvm::cl::list<std::string>(
            "bind",
            llvm::cl::desc("Bind this parameter to an array in a file (.safetensors, .npz, .npy, "
                           ".gguf), so that it is a constant; repeat it for others"),
            llvm::cl::value_desc("name=file[:key]"), llvm::cl::cat(category)) {}
};
struct BindAllOption : llvm::cl::list<std::string> {
  explicit BindAllOption(llvm::cl::OptionCategory &category)
      : llvm::cl::list<std::string>(
            "bind-all",
            llvm::cl::desc("Bind all parameters that have the names of arrays in this file, or in "
                           "the files of this folder"),
            llvm::cl::value_desc("file or folder"), llvm::cl::cat(category)) {}
};

/// --prepare.
struct PrepareOption : llvm::cl::list<std::string> {
  explicit PrepareOption(llvm::cl::OptionCategory &category)
      : llvm::cl::list<std::string>(
            "prepare",
            llvm::cl::desc("These parameters, or all whose paths begin so, stay the same over many "
                           "runs: what runs make of them alone is computed once, by a function "
                           "NAME_prepare"),
            llvm::cl::value_desc("name,..."), llvm::cl::cat(category)) {}

  /// The names in all occurrences of the option.
  std::vector<std::string> getNames() const {
    std::vector<std::string> names;
    for (const std::string &list : *this)
      for (std::string &name : splitNames(list))
        names.push_back(std::move(name));
    return names;
  }
};

/// --schedules, the file that readTunedSchedules reads.
struct SchedulesFileOption : FieldOption<std::string> {
  SchedulesFileOption(std::string &field, llvm::cl::OptionCategory &category)
      : FieldOption<std::string>(
            "schedules", field,
            "Use the schedules for this machine in a file that hloc --tune wrote", "file",
            category) {}
};
/// Reads the file, unless its name is empty, into `text`. Returns false and sets `fault` if that
/// fails.
inline bool readTunedSchedules(const std::string &file, std::string &text, std::string &fault) {
  if (file.empty())
    return true;
  auto contents = readInputFile(file);
  if (contents)
    text = (*contents)->getBuffer().str();
  else
    fault = file + ": " + llvm::toString(contents.takeError());
  return bool(contents);
}

} // namespace hloc

#endif
