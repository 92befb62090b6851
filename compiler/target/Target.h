// SPDX-License-Identifier: Apache-2.0
// What every stage from fusion on knows about the target machine. Tests: test/target.

#ifndef HLOC_COMPILER_TARGET_TARGET_H
#define HLOC_COMPILER_TARGET_TARGET_H

#include "compiler/target/Machine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hloc {

/// How dots of bf16 are computed. Exact multiplies and adds in f32, as for every other narrow
/// float. Native uses the processor's instruction, if it has one, which treats subnormal numbers as
/// zero and rounds two products and their sum in its own way. Checked does so if the program finds
/// that no number is subnormal, and is exact otherwise.
enum class Bf16Dot { Exact, Checked, Native };

/// The name of `dot` on the command line.
inline llvm::StringRef toText(Bf16Dot dot) {
  return dot == Bf16Dot::Exact ? "exact" : dot == Bf16Dot::Native ? "native" : "checked";
}

struct TargetOptions {
  /// LLVM triple; empty: the host's.
  std::string triple;
  /// CPU name as for clang's -mcpu; "native": the host's own; empty: native on the host's
  /// architecture, otherwise the triple's baseline. For makeTargets, several levels of x86-64
  /// separated by commas.
  std::string cpu;
  /// 0 to 3.
  int optimization = 3;
  /// If true, kernels are not divided into tasks for a thread pool.
  bool singleThreaded = false;
  /// Floating-point arithmetic may be reassociated, and divisions become products with reciprocals.
  bool fastMath = false;
  /// Operations on f32 and f64 may take and return zero instead of subnormal numbers.
  bool flushSubnormals = false;
  /// Kernels compute floats narrower than f32 in f32, and round only what they write to memory.
  bool excessPrecision = false;
  Bf16Dot bf16Dot = Bf16Dot::Checked;
  /// Results have the same bits for any instruction set: kernels are planned for one set of
  /// registers and one machine, whichever processor their code is for, and x * y + z is rounded in
  /// the same way on all of them.
  bool reproducible = false;
  /// Line tables that point into the .hlo file.
  bool lineTables = false;
  /// Every launch and call is reported to the context's trace (hlort_trace_start).
  bool trace = false;
  /// Numbers of the machine as YAML (readMachine), which override those of the table; `machineFile`
  /// is the file's name for messages.
  std::string machine, machineFile;
};

/// A target: the instructions that code may use, and its costs.
struct Target {
  /// Its number among a module's targets.
  int64_t number = 0;
  std::string triple, cpu, features;
  /// Its caches, rates and costs.
  Machine machine;
  /// Bytes of a vector register, and the number of registers, that kernels are planned for.
  int64_t vectorBytes = 16, vectorRegisters = 16;
  /// Bytes of a register of SVE, if code counts on the processor's having just as many; else 0.
  int64_t sveBytes = 0;
  /// Vectors of i1 have registers of their own (AVX-512). Without these, a mask is a vector as wide
  /// as what was compared.
  bool hasMaskRegisters = false;
  /// Bits of the narrowest element that has masked loads; 128, more than any element has, if there
  /// are none.
  int64_t narrowestMaskedBits = 128;
  /// Bytes of the thread's stack that a kernel may use: on some systems, threads other than the
  /// first have 1 MiB, which also has to hold the host's frames.
  int64_t kernelStackBytes = 640 << 10;
  /// There are loads of elements at a vector of indices, and they are not slower than one load
  /// after the other.
  bool hasGather = false;
  bool hasFma = false;
  /// Instead of the instruction, code emulates its single rounding.
  bool emulatesFma = false;
  /// There is a shuffle of eight words by variable indices (vpermd).
  bool hasWordPermute = false;
  /// There is a multiplication of pairs of i16 that adds the two products (pmaddwd).
  bool hasPairMultiplyAdd = false;
  /// There is a multiplication of four bytes, signed by unsigned, that adds the products
  /// (vpdpbusd).
  bool hasQuadMultiplyAdd = false;
  /// There is a multiplication of pairs of bf16 that adds the products (vdpbf16ps). It takes and
  /// returns zero instead of subnormal numbers.
  bool hasBf16Dot = false;
  /// There are matrix registers of kMatrixRows rows of kMatrixRowBytes bytes (AMX), products of
  /// bytes in them (tdpbssd), and of bf16 (tdpbf16ps), with zero likewise.
  bool hasMatrixMultiplyAdd = false, hasBf16Matrices = false;
  Bf16Dot bf16Dot = Bf16Dot::Checked;
  static constexpr int64_t kMatrixRows = 16, kMatrixRowBytes = 64;
  /// Columns of 32 bits.
  static constexpr int64_t kMatrixColumns = kMatrixRowBytes / 4;
  /// There are conversions to and from f16; there are instructions that round to integers.
  bool hasHalf = false, hasRounding = false;
  /// There are minimum and maximum instructions for floats that distinguish +0 from -0 (vrangeps).
  bool hasRange = false;
  int optimization = 3;
  bool singleThreaded = false, fastMath = false, flushSubnormals = false, reproducible = false;
  bool excessPrecision = false;
  bool lineTables = false, trace = false;

  /// Elements of `bits` bits in a register.
  int64_t getLanes(int64_t bits) const { return vectorBytes * 8 / bits; }

  /// True if a dot of bf16 uses the processor's instructions; `hasNoSubnormals` says that none of
  /// its factors and sums is subnormal.
  bool usesBf16Dot(bool hasNoSubnormals) const {
    return hasBf16Dot && (bf16Dot == Bf16Dot::Native || hasNoSubnormals);
  }

  /// Operations that divide a register of f32 by a number whose reciprocal is known, and those that
  /// test after a division whether its quotients are right.
  static constexpr double kQuotientOperations = 7, kTestOperations = 4;
  /// True if a loop that divides `registers` registers of f32 in `divisions` vectors and has
  /// `others` more operations takes longer to divide than with reciprocals.
  bool prefersReciprocals(double registers, double divisions, double others) const {
    double operationsPerDivision = machine.costs.divideF32 * machine.rates.simple;
    return registers * operationsPerDivision >
           others + kQuotientOperations * registers + kTestOperations * divisions;
  }
};

/// Resolves names and features; an error for a triple or CPU that LLVM does not know.
llvm::Expected<Target> makeTarget(const TargetOptions &options);

/// Likewise for each CPU that the options name, from the lowest level to the highest.
llvm::Expected<llvm::SmallVector<Target, 1>> makeTargets(const TargetOptions &options);

/// A description of a target as text: what its code may use, as comments, and its machine in the
/// format of readMachine.
std::string printTarget(const Target &target);

/// 1 to 4 for the CPU names x86-64, x86-64-v2, -v3 and -v4; 0 for any other.
int getX86Level(llvm::StringRef cpu);

} // namespace hloc

#endif
