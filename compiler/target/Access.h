// SPDX-License-Identifier: Apache-2.0
// The time to access data in caches and memory, for code that traverses arrays once. CostModel
// predicts the time to compute. Test: test/target/AccessTest.cpp.

#ifndef HLOC_COMPILER_TARGET_ACCESS_H
#define HLOC_COMPILER_TARGET_ACCESS_H

#include "compiler/target/Machine.h"

namespace hloc {

/// Nanoseconds to read one byte sequentially, in code that repeatedly traverses `footprint` bytes
/// in all: from the nearest level that holds all of them.
double getReadTime(const Machine &machine, double footprint);

/// Likewise to write one byte. Lines that are in no cache are read before they are written.
double getWriteTime(const Machine &machine, double footprint);

/// Latency in nanoseconds of a load at any place in an array of `bytes`: from the nearest level
/// that holds all of it.
double getLatency(const Machine &machine, double bytes);

/// Additional nanoseconds of each of many independent loads at arbitrary places in an array of
/// `bytes`, as in a gather, compared with loads that hit L1.
double getApartTime(const Machine &machine, double bytes);

} // namespace hloc

#endif
