// SPDX-License-Identifier: Apache-2.0
// What the programs' command lines have in common.

#ifndef HLOC_COMPILER_DRIVER_COMMANDLINE_H
#define HLOC_COMPILER_DRIVER_COMMANDLINE_H

#include "codegen/object/TargetMachine.h"
#include "compiler/driver/weights/Prepared.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

namespace hloc {

/// Forgets the options of LLVM's own passes, some of which have the names of ours. A program that
/// has read its options ends with llvm::cl::ResetCommandLineParser(), for the linker's sake, which
/// registers and resets options as if it were alone.
inline void removeOptionsOfLlvm() {
  configureLlvm();
  llvm::SmallVector<llvm::cl::Option *> removed;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      removed.push_back(option);
  for (llvm::cl::Option *option : removed)
    option->removeArgument();
}

/// What --threads takes at most: as many as the runtime makes.
inline constexpr int64_t kMaxThreads = 4096;

/// An option that writes to a field, whose value is the default.
template <typename T> struct FieldOption : llvm::cl::opt<T, true> {
  FieldOption(llvm::StringRef name, T &field, llvm::StringRef help, llvm::StringRef value,
              llvm::cl::OptionCategory &category)
      : llvm::cl::opt<T, true>(name, llvm::cl::desc(help), llvm::cl::location(field),
                               llvm::cl::value_desc(value), llvm::cl::init(field),
                               llvm::cl::cat(category)) {}
};

/// An option without a value that sets a field.
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
                clEnumValN(Bf16Dot::Exact, "exact", "multiplied and added in f32 (default)"),
                clEnumValN(Bf16Dot::Native, "native",
                           "by the processor's instruction, where it has one: subnormal numbers "
                           "count as zero, sums of two products are rounded once"))) {}
};

/// --schedule.
struct ScheduleOption : llvm::cl::list<std::string> {
  explicit ScheduleOption(llvm::cl::OptionCategory &category)
      : llvm::cl::list<std::string>(
            "schedule",
            llvm::cl::desc("How the kernel of an instruction is done, instead of what was chosen "
                           "(--report and the remarks of --choose-schedules show that); repeat it "
                           "for others"),
            llvm::cl::value_desc("name=#hlo.schedule<...>"), llvm::cl::cat(category)) {}
};

/// --bind and --bind-all.
struct BindOption : llvm::cl::list<std::string> {
  explicit BindOption(llvm::cl::OptionCategory &category)
      : llvm::cl::list<std::string>(
            "bind",
            llvm::cl::desc("Make a constant of this parameter, with the value of an array in a "
                           "file (.safetensors, .npz, .npy, .gguf); repeat it for others"),
            llvm::cl::value_desc("name=file[:key]"), llvm::cl::cat(category)) {}
};
struct BindAllOption : llvm::cl::list<std::string> {
  explicit BindAllOption(llvm::cl::OptionCategory &category)
      : llvm::cl::list<std::string>(
            "bind-all",
            llvm::cl::desc("Bind all parameters that are called as arrays of this file, or of the "
                           "files in this folder"),
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

  /// The names of all.
  std::vector<std::string> getNames() const {
    std::vector<std::string> names;
    for (const std::string &list : *this)
      for (std::string &name : splitNames(list))
        names.push_back(std::move(name));
    return names;
  }
};

/// --schedules, a file that is read with readTunedSchedules.
struct SchedulesFileOption : FieldOption<std::string> {
  SchedulesFileOption(std::string &field, llvm::cl::OptionCategory &category)
      : FieldOption<std::string>("schedules", field,
                                 "How kernels are done on this machine, as --tune of hloc wrote it",
                                 "file", category) {}
};
/// Reads the file, unless its name is empty, into `text`; false, with what is wrong, if that fails.
inline bool readTunedSchedules(const std::string &file, std::string &text, std::string &fault) {
  if (file.empty())
    return true;
  auto contents = llvm::MemoryBuffer::getFile(file);
  if (contents)
    text = (*contents)->getBuffer().str();
  else
    fault = file + ": " + contents.getError().message();
  return bool(contents);
}

} // namespace hloc

#endif
