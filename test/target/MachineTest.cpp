// SPDX-License-Identifier: Apache-2.0
// Machines: which row a processor gets, and the YAML that is accepted and refused.
#include "compiler/target/HostProcessor.h"
#include "compiler/target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

Target makeFor(const std::string &cpu, const std::string &triple = "x86_64-linux-gnu",
               const std::string &machine = "") {
  TargetOptions options;
  options.cpu = cpu;
  options.triple = triple;
  options.machine = machine;
  options.machineFile = "numbers.yaml";
  llvm::Expected<Target> target = makeTarget(options);
  EXPECT_TRUE(bool(target)) << llvm::toString(target.takeError());
  return target ? *target : Target();
}

std::string refusalOf(const std::string &machine) {
  TargetOptions options;
  options.cpu = "haswell";
  options.triple = "x86_64-linux-gnu";
  options.machine = machine;
  options.machineFile = "numbers.yaml";
  llvm::Expected<Target> target = makeTarget(options);
  return target ? std::string() : llvm::toString(target.takeError());
}

} // namespace

TEST(Machine, RowsByProcessor) {
  EXPECT_EQ(makeFor("haswell").machine.name, "haswell");
  EXPECT_EQ(makeFor("znver3").machine.name, "znver3");
  EXPECT_EQ(makeFor("sierraforest").machine.name, "gracemont");
  EXPECT_EQ(makeFor("emeraldrapids").machine.name, "sapphirerapids");
  EXPECT_EQ(makeFor("neoverse-v2", "aarch64-linux-gnu").machine.name, "neoverse-v2");
}

TEST(Machine, AModelThatAHypervisorReportsIsNotBelievedAgainstTheFeatures) {
  using Features = std::initializer_list<llvm::StringRef>;
  auto name = [](llvm::StringRef reported, Features known, Features found) {
    return nameProcessor(
        reported, [&](llvm::StringRef feature) { return llvm::is_contained(known, feature); },
        [&](llvm::StringRef feature) { return llvm::is_contained(found, feature); });
  };
  Features icelake = {"avx2", "avx512vl", "avx512vnni", "avx512vbmi2", "vaes"};
  Features sapphire = {"avx2", "avx512vl", "avx512vnni", "avx512vbmi2", "avx512bf16", "avx512fp16"};
  EXPECT_EQ(name("rocketlake", icelake, icelake), "rocketlake");
  EXPECT_EQ(name("rocketlake", icelake, sapphire), "sapphirerapids");
  EXPECT_EQ(name("rocketlake", icelake, {"avx2"}), "rocketlake"); // less is hidden, not another one
  EXPECT_EQ(name("haswell", {"avx2"}, icelake), "icelake-server");
  EXPECT_EQ(name("znver3", {"avx2", "vaes"}, {"avx2", "vaes", "avx512vl", "avx512bf16"}), "znver4");
  EXPECT_EQ(name("znver3", {"avx2", "vaes"}, {"avx2", "vaes"}), "znver3");
}

TEST(Machine, VectorsOfAArch64HaveTheProcessorsLength) {
  EXPECT_EQ(makeFor("generic", "aarch64-linux-gnu").vectorBytes, 16);
  EXPECT_EQ(makeFor("neoverse-v2", "aarch64-linux-gnu").vectorBytes, 16);
  EXPECT_EQ(makeFor("neoverse-v1", "aarch64-linux-gnu").vectorBytes, 32);
  EXPECT_EQ(makeFor("a64fx", "aarch64-linux-gnu").vectorBytes, 64);
}

TEST(Machine, MatrixRegisters) {
  Target target = makeFor("sapphirerapids");
  EXPECT_TRUE(target.hasMatrixMultiplyAdd);
  EXPECT_GT(target.machine.costs.matrixProduct, 0);
  EXPECT_TRUE(target.hasBf16Matrices);
  EXPECT_FALSE(makeFor("icelake-server").hasMatrixMultiplyAdd);
}

TEST(Machine, UnknownProcessorsGetTheRowOfTheirLevel) {
  EXPECT_EQ(makeFor("bdver4").machine.name, "x86-64-v3");
  EXPECT_EQ(makeFor("knl").machine.name, "x86-64-v3"); // AVX-512 without its later parts
  EXPECT_EQ(makeFor("bdver1").machine.name, "x86-64-v2");
  EXPECT_EQ(makeFor("thunderx", "aarch64-linux-gnu").machine.name, "aarch64");
  EXPECT_EQ(makeFor("sifive-x280", "riscv64-linux-gnu").machine.name, "riscv64");
}

TEST(Machine, FileReplacesWhatItNames) {
  Target target = makeFor("haswell", "x86_64-linux-gnu",
                          "name: mine\nl2: { bytes: 524288 }\nvectors-per-cycle: { load: 3 }\n");
  EXPECT_EQ(target.machine.name, "mine");
  EXPECT_EQ(target.machine.l2.bytes, 524288);
  EXPECT_EQ(target.machine.l2.ways, makeFor("haswell").machine.l2.ways);
  EXPECT_EQ(target.machine.rates.load, 3);
}

TEST(Machine, PrintedMachinesAreRead) {
  Machine machine = makeFor("znver4").machine, read = makeFor("haswell").machine;
  std::string text = printMachine(machine);
  ASSERT_FALSE(bool(readMachine(text, "printed", read)));
  EXPECT_EQ(printMachine(read), text);
}

TEST(Machine, BadFilesAreRefusedWithTheirPlace) {
  EXPECT_NE(refusalOf("name: x\nspeed: 3\n").find("numbers.yaml:2:1"), std::string::npos);
  EXPECT_NE(refusalOf("l1: [\n").find("numbers.yaml"), std::string::npos);
  EXPECT_NE(refusalOf("l1: { bytes: 0 }\n").find("caches to be above 0"), std::string::npos);
  EXPECT_NE(refusalOf("gigahertz: -1\n").find("gigahertz"), std::string::npos);
}

TEST(Machine, LinesOfOneSetAreInConflict) {
  Cache cache{.bytes = 32 << 10, .lineBytes = 64, .ways = 8};
  EXPECT_FALSE(cache.areInConflict(8, 4096));
  EXPECT_TRUE(cache.areInConflict(9, 4096));
  EXPECT_FALSE(cache.areInConflict(16, 2048));
  EXPECT_TRUE(cache.areInConflict(16, 4092)); // the last ones share two sets
  EXPECT_FALSE(cache.areInConflict(16, 4096 + 64));
  EXPECT_FALSE(cache.areInConflict(2048, 16)); // four in each line
  EXPECT_FALSE(cache.areInConflict(512, 64));
  EXPECT_FALSE(cache.areInConflict(100, 0)); // of arrays without elements
  EXPECT_TRUE(cache.areInConflict(513, 64));
  EXPECT_TRUE(cache.areInConflict(int64_t(1) << 60, 16));
}

TEST(Machine, StreamsSlowDownWithEveryLevel) {
  const Machine &machine = makeFor("haswell").machine;
  double l2 = machine.getStreamTime(1e5), l3 = machine.getStreamTime(1e6),
         memory = machine.getStreamTime(1e9);
  EXPECT_LT(l2, l3);
  EXPECT_LT(l3, memory);
}

TEST(Machine, VirtualMachinesCountOnTheirShareOfACache) {
  Cache family{60 << 20, 64, 15, 30, 9, 100};
  Cache whole = family, guest = family, small = family;
  whole.bytes = guest.bytes = 300 << 20;
  guest.sharedBy = 2;
  small.bytes = 2 << 20;
  small.sharedBy = 2;
  EXPECT_EQ(limitToShare(whole, family), 300 << 20);
  EXPECT_EQ(limitToShare(guest, family), 8 << 20); // two cores, 2 MiB each, twice
  EXPECT_EQ(limitToShare(small, family), 2 << 20);
}
