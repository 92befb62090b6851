// SPDX-License-Identifier: Apache-2.0
// What a freestanding object needs, in words. Test: test/tools/freestanding.test.

#ifndef HLOC_COMPILER_DRIVER_NEEDS_H
#define HLOC_COMPILER_DRIVER_NEEDS_H

#include "codegen/object/ObjectNeeds.h"
#include "compiler/driver/Interface.h"
#include "compiler/target/Target.h"

namespace hloc {

/// A line for each: functions, stack, memory, instructions.
std::string describeNeeds(const ObjectNeeds &needs, const ModuleInterface &interface,
                          const Target &target);

} // namespace hloc

#endif
