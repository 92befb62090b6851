// SPDX-License-Identifier: Apache-2.0
// The program hloc: compiles an HLO module to code and a header. Test: test/tools.

#ifndef HLOC_COMPILER_DRIVER_HLOCMAIN_H
#define HLOC_COMPILER_DRIVER_HLOCMAIN_H

namespace hloc {

/// Runs hloc. Returns the exit code: 0 done, 1 the input was refused, 2 the command line was wrong,
/// 3 not supported.
int hlocMain(int argc, char **argv);

} // namespace hloc

#endif
