// SPDX-License-Identifier: Apache-2.0
// A collective in a test, and its result by definition: element by element, from everyone's
// operands, without any of the runtime's code.
#ifndef HLOC_TEST_RUNTIME_COLLECTIVE_OPERATION_H
#define HLOC_TEST_RUNTIME_COLLECTIVE_OPERATION_H

#include "hlort/collective.h"

#include <string>
#include <vector>

namespace hloc::test {

using Index = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

struct Shape {
  int32_t type;
  Index dims;

  int64_t count() const;
  int64_t bytes() const;
};

struct Operation {
  std::string name;
  hlort_collective_kind kind;
  std::vector<Shape> operands, results;
  int64_t dimension = 0;
  std::vector<Index> groups = {};
  Index pairs = {}, sliceSizes = {};
  bool isInPlace = false;
  /// Integer operands, the same on all participants where there is one entry, else by participant.
  std::vector<std::pair<int64_t, std::vector<Index>>> integers = {};

  /// The members of the participant's group.
  Index groupOf(int64_t participant, int64_t participants) const;
  /// Which operand shares memory with the result, if this is in place; -1 if none does.
  int64_t aliasOf(int64_t result) const;
};

/// Everything that an hlort_collective points to.
class Descriptor {
public:
  Descriptor(const Operation &operation, const hlort_program &program);
  Descriptor(const Descriptor &) = delete;
  hlort_collective what{};

private:
  Operation operation;
  std::vector<hlort_collective_array> operands, results;
  Index groupSizes, members;
};

/// f(a, b) for each type, neither commutative nor associative, so that the order shows.
hlort_combine combineOf(int32_t type);

/// Random operands of all participants: [participant][operand].
std::vector<std::vector<Bytes>> makeOperands(const Operation &operation, int64_t participants,
                                             uint32_t seed);

/// What the participant's results are; bits past the last element are 0.
std::vector<Bytes> resultsByDefinition(const Operation &operation, int64_t participant,
                                       const std::vector<std::vector<Bytes>> &operands);

/// Sets bits past the last element to 0.
void clearPadding(const Shape &shape, Bytes &bytes);

/// Every kind x several types, shapes and groups for that many participants.
std::vector<Operation> makeOperations(int64_t participants);

} // namespace hloc::test

#endif // HLOC_TEST_RUNTIME_COLLECTIVE_OPERATION_H
