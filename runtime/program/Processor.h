// SPDX-License-Identifier: Apache-2.0
// What the processor of a stand-alone program is and has, so that code for another one can be
// refused before it dies of an instruction that is not there. Test: test/tools/selftest.test.
#ifndef HLOC_RUNTIME_PROGRAM_PROCESSOR_H
#define HLOC_RUNTIME_PROGRAM_PROCESSOR_H

#include <string>
#include <string_view>
#include <vector>

namespace hloc::runtime {

enum class Architecture { X86, AArch64, RiscV };

/// LLVM's names of the features of processors that hasFeature knows: those that bring instructions
/// which compiled code may have.
std::vector<std::string_view> listFeatures(Architecture architecture);

/// Whether this machine, processor and operating system, has a feature of its architecture's list.
bool hasFeature(std::string_view name);

/// What the system calls this processor.
std::string getProcessorName();

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_PROCESSOR_H
