// SPDX-License-Identifier: Apache-2.0

#include "program/Processor.h"

#include <cstdint>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) || defined(__riscv)
#include <sys/auxv.h>
#endif

namespace hloc::runtime {

namespace {

/// Where cpuid reports a feature, and which registers the system has to save for it.
struct X86Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  enum Register : uint8_t { Eax, Ebx, Ecx, Edx } word;
  uint8_t bit;
  enum State : uint8_t { Basic = 0, Ymm = 0x6, Zmm = 0xe6 } state = Basic;
};
constexpr X86Feature x86Features[] = {
    {"sse3", 1, 0, X86Feature::Ecx, 0},
    {"ssse3", 1, 0, X86Feature::Ecx, 9},
    {"sse4.1", 1, 0, X86Feature::Ecx, 19},
    {"sse4.2", 1, 0, X86Feature::Ecx, 20},
    {"movbe", 1, 0, X86Feature::Ecx, 22},
    {"popcnt", 1, 0, X86Feature::Ecx, 23},
    {"avx", 1, 0, X86Feature::Ecx, 28, X86Feature::Ymm},
    {"f16c", 1, 0, X86Feature::Ecx, 29, X86Feature::Ymm},
    {"fma", 1, 0, X86Feature::Ecx, 12, X86Feature::Ymm},
    {"lzcnt", 0x80000001, 0, X86Feature::Ecx, 5},
    {"sse4a", 0x80000001, 0, X86Feature::Ecx, 6},
    {"xop", 0x80000001, 0, X86Feature::Ecx, 11, X86Feature::Ymm},
    {"fma4", 0x80000001, 0, X86Feature::Ecx, 16, X86Feature::Ymm},
    {"tbm", 0x80000001, 0, X86Feature::Ecx, 21},
    {"bmi", 7, 0, X86Feature::Ebx, 3},
    {"avx2", 7, 0, X86Feature::Ebx, 5, X86Feature::Ymm},
    {"bmi2", 7, 0, X86Feature::Ebx, 8},
    {"avx512f", 7, 0, X86Feature::Ebx, 16, X86Feature::Zmm},
    {"avx512dq", 7, 0, X86Feature::Ebx, 17, X86Feature::Zmm},
    {"avx512ifma", 7, 0, X86Feature::Ebx, 21, X86Feature::Zmm},
    {"avx512cd", 7, 0, X86Feature::Ebx, 28, X86Feature::Zmm},
    {"avx512bw", 7, 0, X86Feature::Ebx, 30, X86Feature::Zmm},
    {"avx512vl", 7, 0, X86Feature::Ebx, 31, X86Feature::Zmm},
    {"avx512vbmi", 7, 0, X86Feature::Ecx, 1, X86Feature::Zmm},
    {"avx512vbmi2", 7, 0, X86Feature::Ecx, 6, X86Feature::Zmm},
    {"gfni", 7, 0, X86Feature::Ecx, 8},
    {"avx512vnni", 7, 0, X86Feature::Ecx, 11, X86Feature::Zmm},
    {"avx512bitalg", 7, 0, X86Feature::Ecx, 12, X86Feature::Zmm},
    {"avx512vpopcntdq", 7, 0, X86Feature::Ecx, 14, X86Feature::Zmm},
    {"avx512fp16", 7, 0, X86Feature::Edx, 23, X86Feature::Zmm},
    {"avxvnni", 7, 1, X86Feature::Eax, 4, X86Feature::Ymm},
    {"avx512bf16", 7, 1, X86Feature::Eax, 5, X86Feature::Zmm},
    {"avxifma", 7, 1, X86Feature::Eax, 23, X86Feature::Ymm},
    {"avxvnniint8", 7, 1, X86Feature::Edx, 4, X86Feature::Ymm},
    {"avxneconvert", 7, 1, X86Feature::Edx, 5, X86Feature::Ymm},
    {"avxvnniint16", 7, 1, X86Feature::Edx, 10, X86Feature::Ymm},
};

/// The bit by which Linux reports a feature, in the first or second of its words.
struct AArch64Feature {
  std::string_view name;
  uint8_t word, bit;
};
constexpr AArch64Feature aarch64Features[] = {
    {"neon", 0, 1},    {"lse", 0, 8},        {"fullfp16", 0, 10}, {"rdm", 0, 12},
    {"jsconv", 0, 13}, {"complxnum", 0, 14}, {"rcpc", 0, 15},     {"dotprod", 0, 20},
    {"sve", 0, 22},    {"fp16fml", 0, 23},   {"sve2", 1, 1},      {"fptoint", 1, 8},
    {"i8mm", 1, 13},   {"bf16", 1, 14},
};

/// An extension of one letter, which Linux reports by its position in the alphabet; or the minimum
/// bytes of a vector register.
struct RiscvFeature {
  std::string_view name;
  char letter;
  unsigned bytes;
};
constexpr RiscvFeature riscvFeatures[] = {
    {"m", 'm', 0}, {"a", 'a', 0},        {"f", 'f', 0},        {"d", 'd', 0},        {"c", 'c', 0},
    {"v", 'v', 0}, {"zvl128b", 'v', 16}, {"zvl256b", 'v', 32}, {"zvl512b", 'v', 64},
};

#if defined(__x86_64__)
bool has(const X86Feature &feature) {
  unsigned words[4], low = 0, high = 0;
  auto ask = [&](uint32_t leaf, uint32_t subleaf) {
    return __get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2], &words[3]);
  };
  if (feature.state != X86Feature::Basic) {
    constexpr unsigned keepsState = 1u << 27;
    if (!ask(1, 0) || !(words[X86Feature::Ecx] & keepsState))
      return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & feature.state) != feature.state)
      return false;
  }
  return ask(feature.leaf, feature.subleaf) && words[feature.word] >> feature.bit & 1;
}
constexpr const auto &ownFeatures = x86Features;
#elif defined(__aarch64__)
bool has(const AArch64Feature &feature) {
  return getauxval(feature.word ? AT_HWCAP2 : AT_HWCAP) >> feature.bit & 1;
}
constexpr const auto &ownFeatures = aarch64Features;
#elif defined(__riscv)
bool has(const RiscvFeature &feature) {
  if (!(getauxval(AT_HWCAP) >> (feature.letter - 'a') & 1))
    return false;
  if (feature.bytes == 0)
    return true;
  unsigned long bytes;
  asm volatile("csrr %0, 0xc22" : "=r"(bytes)); // vlenb
  return bytes >= feature.bytes;
}
constexpr const auto &ownFeatures = riscvFeatures;
#endif

} // namespace

std::vector<std::string_view> listFeatures(Architecture architecture) {
  std::vector<std::string_view> names;
  if (architecture == Architecture::X86)
    for (const X86Feature &feature : x86Features)
      names.push_back(feature.name);
  else if (architecture == Architecture::AArch64)
    for (const AArch64Feature &feature : aarch64Features)
      names.push_back(feature.name);
  else
    for (const RiscvFeature &feature : riscvFeatures)
      names.push_back(feature.name);
  return names;
}

bool hasFeature(std::string_view name) {
  for (const auto &feature : ownFeatures)
    if (feature.name == name)
      return has(feature);
  return false;
}

std::string getProcessorName() {
  std::ifstream info("/proc/cpuinfo");
  std::string line, implementer, part;
  while (std::getline(info, line)) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos)
      continue;
    std::string_view key(line.data(), colon), value(line);
    value.remove_prefix(colon + 2);
    key = key.substr(0, key.find_last_not_of(" \t") + 1);
    if (key == "model name")
      return std::string(value);
    if (key == "CPU implementer")
      implementer = value;
    if (key == "CPU part")
      part = value;
  }
  return implementer.empty() ? "unknown"
                             : "part " + part + " of implementer " + implementer + " (AArch64)";
}

} // namespace hloc::runtime
