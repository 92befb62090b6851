// SPDX-License-Identifier: Apache-2.0
// hlo-run --numeric-report: where a program loses precision.
//
// The module is compiled once more with the values of its instructions as results, and evaluated
// twice: in its own types, which gives the magnitudes of values, and in f64. Losses.h describes the
// comparison. Test: test/tools/numeric-report.test.

#ifndef HLOC_COMPILER_DRIVER_NUMERICS_NUMERICREPORT_H
#define HLOC_COMPILER_DRIVER_NUMERICS_NUMERICREPORT_H

#include "compiler/driver/HloRunMain.h"

namespace hloc {

/// Prints the table, and an error at the first instruction that loses more than it should; then the
/// status is Refused. `outputs` are those of the module as it is, `compiled` runs it.
RunStatus reportNumerics(mlir::ModuleOp source, const RunOptions &options,
                         const ParticipantArrays &inputs, const ParticipantArrays &outputs,
                         const Runner &compiled);

} // namespace hloc

#endif
