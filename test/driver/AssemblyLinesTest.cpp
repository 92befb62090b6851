// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/AssemblyLines.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

TEST(AssemblyLines, FunctionsWithLinesOfHlo) {
  std::vector<AssemblyFunction> functions = readAssembly(R"(	.file	"LLVMDialectModule"
	.section	.rodata.cst4,"aM",@progbits,4
.LCPI0_0:
	.long	0x3f800000
	.text
	.type	m.kernel,@function
m.kernel:
.Lfunc_begin0:
	.file	1 "/folder" "m.hlo"
	.loc	1 3 0
	.cfi_startproc
	pushq	%rbx
.Ltmp0:
	.loc	1 12 5 prologue_end
.LBB0_1:                                # =>This Inner Loop Header: Depth=1
	vmovaps	%ymm0, (%rdi)                   # 32-byte Spill
	.local	elsewhere
	jne	.LBB0_1
# %bb.2:
	retq
.Lfunc_end0:
	.size	m.kernel, .Lfunc_end0-m.kernel
	.data
not_code:
	.long	1
	.type	"m.x86-64-v3.sum",@function
"m.x86-64-v3.sum":
	retq
)");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].symbol, "m.kernel");
  std::vector<std::pair<std::string, int64_t>> lines;
  for (const AssemblyLine &line : functions[0].lines)
    lines.push_back({line.text.split('#').first.rtrim().str(), line.hloLine});
  decltype(lines) expected = {{"pushq\t%rbx", 3},
                              {".LBB0_1:", 12},
                              {"vmovaps\t%ymm0, (%rdi)", 12},
                              {"jne\t.LBB0_1", 12},
                              {"retq", 12}};
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(functions[1].symbol, "m.x86-64-v3.sum");
  ASSERT_EQ(functions[1].lines.size(), 1u);
  EXPECT_EQ(functions[1].lines[0].hloLine, 0);
}

TEST(AssemblyLines, OtherText) {
  EXPECT_TRUE(readAssembly("").empty());
  EXPECT_TRUE(readAssembly("\t.type\tx,@object\nx:\n\t.long 1\n\t.loc\n\t.loc x\n").empty());
}

} // namespace
