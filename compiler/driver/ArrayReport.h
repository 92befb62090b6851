// SPDX-License-Identifier: Apache-2.0
// What hlo-run says of arrays: how two differ, and what is in one. Test:
// test/driver/ArrayReportTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_ARRAYREPORT_H
#define HLOC_COMPILER_DRIVER_ARRAYREPORT_H

#include "compiler/driver/HostArray.h"
#include "runtime/program/Element.h"
#include <string>

namespace hloc {

using runtime::Tolerance;

/// How `result` differs from `expected`, in words; empty if it does not.
std::string findDifference(const HostArray &result, const HostArray &expected,
                           const Tolerance &tolerance);

/// The largest distance of two elements: in representable values of floats, part by part of complex
/// numbers, in ones of integers. Infinite where only one is NaN. The types must be the same.
double measureDistance(const HostArray &result, const HostArray &expected);

/// Type, first elements and extremes of an array, in one line.
std::string summarize(const HostArray &array);

} // namespace hloc

#endif
