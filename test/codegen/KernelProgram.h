// SPDX-License-Identifier: Apache-2.0
// Programs of one kernel with any number of results, and helpers for shapes and numbers of tests.

#ifndef HLOC_TEST_CODEGEN_KERNELPROGRAM_H
#define HLOC_TEST_CODEGEN_KERNELPROGRAM_H

#include "ProgramTest.h"

namespace hloc {

/// "tensor<2x3xf32>" of {2, 3} and "f32".
inline std::string tensorOf(llvm::ArrayRef<int64_t> sizes, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

/// "array<i64: 1, 2>"
inline std::string listOf(llvm::ArrayRef<int64_t> values) {
  std::string text = "array<i64";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : ": ") + std::to_string(values[i]);
  return text + ">";
}

inline std::string joined(llvm::ArrayRef<std::string> parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i ? ", " : "") + parts[i];
  return text;
}

inline std::string repeated(const std::string &text, size_t count) {
  return joined(std::vector<std::string>(count, text));
}

/// A program of one kernel: `inputs` and `outputs` are tensor types, `body` ends before the return
/// of %r:0 ... (%r if there is one). With `inPlace`, the first results lie where the first inputs
/// are copied to.
inline std::string makeKernelProgram(const std::string &kind, std::vector<std::string> inputs,
                                     std::vector<std::string> outputs, const std::string &body,
                                     const std::string &computations = "", bool inPlace = false) {
  auto memory = [](std::string type) { return "memref" + type.substr(6); };
  std::vector<std::string> arguments, parameters, used, usedTypes, results, resultTypes, returned;
  std::string copies, reuse;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string n = std::to_string(i);
    arguments.push_back("%x" + n + ": " + inputs[i]);
    parameters.push_back("%a" + n + ": " + memory(inputs[i]));
    bool shared = inPlace && i < outputs.size();
    used.push_back((shared ? "%out" : "%a") + n);
    usedTypes.push_back(memory(inputs[i]));
    if (shared)
      copies += "memref.copy %a" + n + ", %out" + n + " : " + memory(inputs[i]) + " to " +
                memory(inputs[i]) + "\n";
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string n = std::to_string(i);
    parameters.push_back("%out" + n + ": " + memory(outputs[i]));
    results.push_back("%out" + n);
    resultTypes.push_back(memory(outputs[i]));
    returned.push_back(outputs.size() == 1 ? "%r" : "%r#" + n);
    reuse += (i ? ", " : "") + (inPlace ? n : std::string("-1"));
  }
  // The plan of memory gives sorts what they need for themselves; here it is all of the arena.
  std::string arena = "%arena: memref<" + std::to_string(kArenaBytes) + "xi8>";
  std::string scratch = kind == "sort" ? " scratch(" + arena + ")" : "";
  parameters.push_back(arena);
  std::string type = resultTypes.size() == 1 ? resultTypes[0] : "(" + joined(resultTypes) + ")";
  return "module @test {\n" + computations + "hlo.kernel_function @k <" + kind +
         "> attributes {reuse = array<i64: " + reuse + ">" + (inPlace ? ", must_reuse" : "") +
         "} {\n^bb0(" + joined(arguments) + "):\n" + body + "\nhlo.return " + joined(returned) +
         " : " + joined(outputs) + "\n}\nfunc.func @main(" + joined(parameters) +
         ") attributes {hlo.results = " + std::to_string(outputs.size()) + " : i64} {\n" + copies +
         "hlo.launch @k(" + joined(used) + ") -> (" + joined(results) + ")" + scratch + " : (" +
         joined(usedTypes) + ") -> " + type + "\nreturn\n}\n}\n";
}

/// @name(%a, %b) of one operation on two scalars.
inline std::string makeReducer(const std::string &name, const std::string &op,
                               const std::string &element) {
  std::string t = "tensor<" + element + ">";
  return "hlo.computation @" + name + "(%a: " + t + ", %b: " + t + ") -> " + t + " {\n%s = hlo." +
         op + " %a, %b : (" + t + ", " + t + ") -> " + t + "\nhlo.return %s : " + t + "\n}\n";
}

/// Small whole numbers that look random.
template <typename T> std::vector<T> scattered(size_t count, int64_t range = 1000) {
  std::vector<T> values(count);
  uint64_t state = 12345;
  for (T &value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = T(int64_t((state >> 33) % range) - range / 2);
  }
  return values;
}

} // namespace hloc

#endif
