// SPDX-License-Identifier: Apache-2.0
// Describes the requirements of a freestanding object. Test: test/tools/freestanding.test.

#ifndef HLOC_COMPILER_DRIVER_NEEDS_H
#define HLOC_COMPILER_DRIVER_NEEDS_H

#include "codegen/object/ObjectNeeds.h"
#include "compiler/driver/Interface.h"
#include "compiler/target/Target.h"

namespace hloc {

/// One line each for functions, stack, memory and instructions.
std::string describeNeeds(const ObjectNeeds &needs, const ModuleInterface &interface,
                          const Target &target);

} // namespace hloc

#endif
