// SPDX-License-Identifier: Apache-2.0
// Branches in computations that are applied to each element of arrays: since elements cannot branch
// separately, all branches are computed and one result is selected. Test:
// test/passes/frontend/select-branches.hlo.

#ifndef HLOC_PASSES_SELECTBRANCHES_H
#define HLOC_PASSES_SELECTBRANCHES_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// Replaces scf.if and scf.index_switch by the contents of all branches and hlo.select. Leaves
/// those that have loops or effects in a branch.
void selectBranches(hlo::ComputationOp computation);

} // namespace hloc

#endif
