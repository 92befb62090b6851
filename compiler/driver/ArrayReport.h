// SPDX-License-Identifier: Apache-2.0
// What hlo-run prints about arrays: how two differ, and a summary of one. Test:
// test/driver/ArrayReportTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_ARRAYREPORT_H
#define HLOC_COMPILER_DRIVER_ARRAYREPORT_H

#include "compiler/driver/HostArray.h"
#include "runtime/program/Element.h"
#include <string>

namespace hloc {

using runtime::Tolerance;

/// Describes how `result` differs from `expected`; empty if they are equal within the tolerance.
std::string findDifference(const HostArray &result, const HostArray &expected,
                           const Tolerance &tolerance);

/// The largest distance between two elements: in representable values for floats (of each part, for
/// complex numbers), in ones for integers. Infinite where only one is NaN. The types must be equal.
double measureDistance(const HostArray &result, const HostArray &expected);

/// Type, first elements, minimum and maximum of an array, in one line.
std::string summarize(const HostArray &array);

} // namespace hloc

#endif
