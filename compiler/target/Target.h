// SPDX-License-Identifier: Apache-2.0
// What every stage from fusion on knows of the machine that is compiled for. Test:
// test/target/TargetTest.cpp.

#ifndef HLOC_COMPILER_TARGET_TARGET_H
#define HLOC_COMPILER_TARGET_TARGET_H

#include "compiler/target/Machine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hloc {

/// How dots of bf16 are computed: Exact multiplies and adds in f32, as every other narrow float.
/// Native uses the processor's instruction, where it has one, which takes subnormal numbers as zero
/// and rounds two products and their sum in an order of its own.
enum class Bf16Dot { Exact, Native };

struct TargetOptions {
  /// LLVM triple; empty: the host's.
  std::string triple;
  /// CPU name as clang's -mcpu takes it; "native": the host's own; empty: native on the host's
  /// architecture, else the least of the triple's. For makeTargets several levels of x86-64,
  /// separated by commas.
  std::string cpu;
  /// 0 to 3.
  int optimization = 3;
  /// Unless it is zero, no kernel is cut into tasks for a pool of threads.
  bool singleThreaded = false;
  /// Arithmetic of floats may be regrouped, and divisions become products with reciprocals.
  bool fastMath = false;
  Bf16Dot bf16Dot = Bf16Dot::Exact;
  /// Results have the same bits whatever the instruction set: kernels are planned for one set of
  /// registers and one machine, whichever processor their code is for, and x * y + z is rounded
  /// once, or twice, on all of them.
  bool reproducible = false;
  /// Line tables that point into the .hlo file.
  bool lineTables = false;
  /// Every launch and call is reported to the context's trace (hlort_trace_start).
  bool trace = false;
  /// Numbers of the machine as YAML (readMachine), which replace those of the table; `machineFile`
  /// is the name for messages.
  std::string machine, machineFile;
};

/// What code may use, and what it takes.
struct Target {
  /// Which of a module's targets it is.
  int64_t number = 0;
  std::string triple, cpu, features;
  /// Its numbers: caches, rates, costs.
  Machine machine;
  /// Bytes of one vector register, and how many there are: of those that kernels are planned for.
  int64_t vectorBytes = 16, vectorRegisters = 16;
  /// Vectors of i1 have registers of their own (AVX-512). Without, a mask is a vector as wide as
  /// what was compared.
  bool hasMaskRegisters = false;
  /// Bits of the narrowest element of which one instruction loads those that a mask names; more
  /// than any has if there is none.
  int64_t narrowestMaskedBits = 128;
  /// What a kernel may take of the stack of the thread that runs it: threads other than a
  /// program's first have 1 MiB where systems give least, and the host's own frames are below.
  int64_t kernelStackBytes = 640 << 10;
  bool hasFma = false;
  /// What code has instead of the instruction rounds once, as it does.
  bool emulatesFma = false;
  /// A shuffle of eight words by numbers that are not constant (vpermd).
  bool hasWordPermute = false;
  /// Multiplication of pairs of i16 with addition of the two products (pmaddwd).
  bool hasPairMultiplyAdd = false;
  /// Multiplication of four bytes, one side signed and the other not, with addition of the products
  /// (vpdpbusd).
  bool hasQuadMultiplyAdd = false;
  /// Dots of bf16 use the processor's instruction for pairs (vdpbf16ps).
  bool usesBf16Dot = false;
  /// Conversions from and to f16; roundings to integers.
  bool hasHalf = false, hasRounding = false;
  /// The greater or less of two floats by one instruction that tells +0 from -0 (vrangeps).
  bool hasRange = false;
  int optimization = 3;
  bool singleThreaded = false, fastMath = false, reproducible = false;
  bool lineTables = false, trace = false;

  /// Elements of `bits` bits in a register.
  int64_t getLanes(int64_t bits) const { return vectorBytes * 8 / bits; }
};

/// Resolves names and features; an error message for a triple or CPU that LLVM does not know.
llvm::Expected<Target> makeTarget(const TargetOptions &options);

/// The same for each CPU that the options name, from the lowest level to the highest.
llvm::Expected<llvm::SmallVector<Target, 1>> makeTargets(const TargetOptions &options);

/// What is known of a target, as text: what its code may use as comments, and its machine as
/// readMachine reads it.
std::string printTarget(const Target &target);

/// 1 to 4 for the CPU names x86-64, x86-64-v2, -v3 and -v4; 0 for any other.
int getX86Level(llvm::StringRef cpu);

} // namespace hloc

#endif
