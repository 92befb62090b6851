// SPDX-License-Identifier: Apache-2.0
// The command lines of stand-alone programs: options of the form --name=value. Tests:
// test/tools/program.test, test/tools/selftest.test.
#ifndef HLOC_RUNTIME_PROGRAM_COMMANDLINE_H
#define HLOC_RUNTIME_PROGRAM_COMMANDLINE_H

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace hloc::runtime {

struct TextOption {
  const char *name;
  std::string &value;
};
struct NumberOption {
  const char *name;
  int64_t &value;
  int64_t least, most;
};

/// The maximum of --threads: that of the runtime.
constexpr int64_t mostThreads = 4096;

/// Parses the arguments. Returns false, after a message, if one is wrong; sets `help` if one is
/// --help.
inline bool readCommandLine(int32_t argc, char **argv, std::initializer_list<TextOption> texts,
                            std::initializer_list<NumberOption> numbers, bool &help) {
  auto read = [](std::string_view argument, std::string_view name, std::string_view &value) {
    if (!argument.starts_with(name) || argument.size() <= name.size() ||
        argument[name.size()] != '=')
      return false;
    value = argument.substr(name.size() + 1);
    return true;
  };
  for (int32_t i = 1; i < argc; ++i) {
    std::string_view argument = argv[i], text;
    bool right = argument == "--help";
    help |= right;
    for (const TextOption &option : texts)
      if (read(argument, option.name, text)) {
        option.value = text;
        right = true;
      }
    for (const NumberOption &option : numbers)
      if (read(argument, option.name, text)) {
        const char *end = text.data() + text.size();
        auto [stop, error] = std::from_chars(text.data(), end, option.value);
        right = error == std::errc() && stop == end && option.value >= option.least &&
                option.value <= option.most;
      }
    if (!right) {
      std::fprintf(stderr, "error: unexpected '%s'; see --help\n", argv[i]);
      return false;
    }
  }
  return true;
}

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_COMMANDLINE_H
