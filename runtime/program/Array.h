// SPDX-License-Identifier: Apache-2.0
// The positions of elements in a module's memory: an array has the port's layout, and types of
// fewer than eight bits are packed. Test: test/tools/program.test.
#ifndef HLOC_RUNTIME_PROGRAM_ARRAY_H
#define HLOC_RUNTIME_PROGRAM_ARRAY_H

#include "hlort/hlort.h"
#include "program/Element.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hloc::runtime {

/// Sizes of an array.
using ArrayShape = std::vector<int64_t>;

/// The sizes of a port, with the bounds of bounded dimensions.
ArrayShape getBounds(const hlort_port &port);
int64_t countElements(const ArrayShape &shape);
/// "[1,2]", of the element at a row-major position.
std::string getIndexText(int64_t position, const ArrayShape &shape);

/// An array of `shape`, which may be smaller than the port's bounds, in memory of the port's size.
class ArrayPlaces {
public:
  ArrayPlaces(const hlort_port &port, const ArrayShape &shape);

  const Element &getElement() const { return element; }
  int64_t getCount() const { return count; }
  /// The place in memory of the element at a row-major position.
  int64_t getPlace(int64_t position) const;

  /// Calls visit(place) for each element in row-major order, until it returns false.
  template <typename Visit> void forEach(Visit visit) const {
    std::vector<int64_t> index(shape.size());
    for (int64_t left = count, place = 0; left > 0; --left) {
      if (!visit(place))
        return;
      for (size_t d = shape.size(); d-- > 0;) {
        place += strides[d];
        if (++index[d] < shape[d])
          break;
        place -= shape[d] * strides[d];
        index[d] = 0;
      }
    }
  }

  /// Writes the element at `source`, in the form of files, to a place in memory.
  void store(const char *source, char *memory, int64_t place) const;
  /// The reverse.
  void load(const char *memory, int64_t place, char *target) const;

private:
  const Element &element;
  ArrayShape shape, strides;
  int64_t count;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_ARRAY_H
