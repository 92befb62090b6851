// SPDX-License-Identifier: Apache-2.0
// Arrays of a stand-alone program: conversion between the memory of a module and files, random
// numbers, text. Files contain the elements row-major, at least a byte each. Test:
// test/tools/program.test.
#ifndef HLOC_RUNTIME_PROGRAM_ARGUMENTS_H
#define HLOC_RUNTIME_PROGRAM_ARGUMENTS_H

#include "program/Array.h"

#include <cstdint>
#include <string>

namespace hloc::runtime {

/// Fills `memory` from a file, and `shape` with the sizes that the array has there. Returns what is
/// wrong with it; empty on success.
std::string readArgument(const std::string &file, const hlort_port &port, char *memory,
                         ArrayShape &shape);

/// Fills it with random numbers; integers are less than `bound`, unless that is 0.
void drawArgument(const hlort_port &port, uint64_t seed, int64_t bound, char *memory);

/// Writes an array of `shape` to a file, completely or not at all. Returns what went wrong; empty
/// on success.
std::string writeResult(const std::string &file, const hlort_port &port, const ArrayShape &shape,
                        const char *memory);

/// A text such as "f32[2,3] {0.5, 1, ...}".
std::string summarizeResult(const hlort_port &port, const ArrayShape &shape, const char *memory);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_ARGUMENTS_H
