// SPDX-License-Identifier: Apache-2.0
// The description of a compiled module: the constant NAME_module in its object (hlort_module in
// hlort/hlort.h), and the C and C++ header. Test: test/package.

#ifndef HLOC_COMPILER_DRIVER_DESCRIPTOR_H
#define HLOC_COMPILER_DRIVER_DESCRIPTOR_H

#include "compiler/driver/Interface.h"

namespace llvm {
class Module;
}

namespace hloc {

/// Adds the constant NAME_module to the LLVM module. `target` names the machine: triple and CPU.
void addDescriptor(const ModuleInterface &interface, llvm::StringRef target, llvm::Module &module);

/// Adds a main function that makes the object a program (hlort_main in hlort/hlort.h). Requires the
/// descriptor.
void addMain(const ModuleInterface &interface, llvm::Module &module);

/// The text of the header. `source` is the name of the HLO file.
std::string makeHeader(const ModuleInterface &interface, llvm::StringRef source);

} // namespace hloc

#endif
