// SPDX-License-Identifier: Apache-2.0
// The name and the features of the processor of a stand-alone program, so that code for another one
// can be refused before it executes an illegal instruction. Test: test/tools/selftest.test.
#ifndef HLOC_RUNTIME_PROGRAM_PROCESSOR_H
#define HLOC_RUNTIME_PROGRAM_PROCESSOR_H

#include <string>
#include <string_view>
#include <vector>

namespace hloc::runtime {

enum class Architecture { X86, AArch64, RiscV };

/// LLVM's names of the processor features that hasFeature knows: those with instructions that
/// compiled code may contain.
std::vector<std::string_view> listFeatures(Architecture architecture);

/// True if this machine, processor and operating system, has a feature of its architecture's list.
bool hasFeature(std::string_view name);

/// The system's name of this processor.
std::string getProcessorName();

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_PROCESSOR_H
