// SPDX-License-Identifier: Apache-2.0
// What it takes to reach data in caches and memory, for code that goes through arrays once: beside
// CostModel, which says what computing takes. Test: test/target/AccessTest.cpp.

#ifndef HLOC_COMPILER_TARGET_ACCESS_H
#define HLOC_COMPILER_TARGET_ACCESS_H

#include "compiler/target/Machine.h"

namespace hloc {

/// Nanoseconds to read one byte in a stream, by code that goes through `footprint` bytes in all,
/// again and again: from the nearest level that holds them together.
double getReadTime(const Machine &machine, double footprint);

/// The same to write one. Lines that are in no cache are read before they are written.
double getWriteTime(const Machine &machine, double footprint);

/// Nanoseconds until a load anywhere in an array of `bytes` is done: from the nearest level that
/// holds all of it.
double getLatency(const Machine &machine, double bytes);

/// Nanoseconds that each of many loads anywhere in an array of `bytes` takes longer than one that
/// hits the nearest cache. None waits for another, as those of a gather.
double getApartTime(const Machine &machine, double bytes);

} // namespace hloc

#endif
