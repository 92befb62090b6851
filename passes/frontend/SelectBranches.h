// SPDX-License-Identifier: Apache-2.0
// Branches in computations that are applied to each element of arrays: no element can jump, so all
// branches are computed and one result is chosen. Test: test/passes/frontend/select-branches.hlo.

#ifndef HLOC_PASSES_SELECTBRANCHES_H
#define HLOC_PASSES_SELECTBRANCHES_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Replaces scf.if and scf.index_switch, as LowerControlFlow makes them, by all that their branches
/// do and hlo.select. Those with loops or effects in a branch stay.
void selectBranches(hlo::ComputationOp computation);

} // namespace hloc

#endif
