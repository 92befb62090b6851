// SPDX-License-Identifier: Apache-2.0
// The elements of large arrays that a self-test keeps, and the fingerprint by which it recognizes
// its inputs: the compiler, which makes it, and the program have to agree about both. Test:
// test/tools/selftest.test.
#ifndef HLOC_RUNTIME_PROGRAM_SAMPLE_H
#define HLOC_RUNTIME_PROGRAM_SAMPLE_H

#include <cstddef>
#include <cstdint>

namespace hloc::runtime {

/// The row-major position of element `index` of `kept` sampled elements of an array of `count`, in
/// order: the array is divided into `kept` parts, and one element is taken from each at a position
/// that depends only on the part's number. The first and the last element are included; if `kept`
/// is `count`, every element is.
inline int64_t getSamplePosition(int64_t index, int64_t kept, int64_t count) {
  auto begin = [&](int64_t piece) { // without products beyond 64 bits
    return count / kept * piece + count % kept * piece / kept;
  };
  if (index == 0)
    return 0;
  if (index == kept - 1)
    return count - 1;
  // Mixed as by the generator splitmix64.
  auto mixed = uint64_t(index) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  mixed ^= mixed >> 31;
  int64_t first = begin(index);
  return first + int64_t(mixed % uint64_t(begin(index + 1) - first));
}

/// A hash (FNV-1a) of elements in the form of files.
class Fingerprint {
public:
  void add(const char *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i)
      hash = (hash ^ uint8_t(bytes[i])) * 0x100000001b3;
  }
  uint64_t get() const { return hash; }

private:
  uint64_t hash = 0xcbf29ce484222325;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_SAMPLE_H
