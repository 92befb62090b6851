// SPDX-License-Identifier: Apache-2.0
// Which elements of a kernel's values its results need, as functions of the index in the results.
// They are followed through elementwise operations, data movement and unit dimensions. Tests:
// test/passes/schedule/InteriorTest.cpp and PiecesTest.cpp.

#ifndef HLOC_PASSES_SCHEDULE_PLACES_H
#define HLOC_PASSES_SCHEDULE_PLACES_H

#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Movement.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace hloc {

/// Indices from `lower` to below `upper`.
struct IndexRange {
  int64_t lower, upper;
  int64_t getSize() const { return std::max<int64_t>(0, upper - lower); }
};

/// Pads and concatenations, each with the number of the operand that its elements come from.
using KnownSources = llvm::MapVector<mlir::Operation *, unsigned>;

/// The index along one dimension of a value: stride * i + offset, where i is the index along
/// `dimension` of the results; or one that is not known.
struct Coordinate {
  int64_t dimension = 0, stride = 0, offset = 0;
  bool isKnown = false;

  bool operator==(const Coordinate &) const = default;
};

/// The index of an element of a value.
using Place = llvm::SmallVector<Coordinate, 4>;

/// The place of an operand's element, from that of the result.
Place mapPlace(const hlo::IndexMap &map, const Place &place);

/// The places at which the values of a kernel are requested. Its operations have to be passed from
/// the last one to the first.
class Places {
public:
  /// Requests the results, which all have one shape.
  explicit Places(mlir::Block &body);

  /// The places at which `value` is requested by what was passed.
  llvm::ArrayRef<Place> at(mlir::Value value) const;
  /// Requests an element of `value`.
  void ask(mlir::Value value, const Place &place);
  /// Passes the places where `op` is requested on to its operands.
  void pass(mlir::Operation &op);

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Place>> asked;
};

} // namespace hloc

#endif
