// SPDX-License-Identifier: Apache-2.0
// Accesses to units of one machine type: what arrays of all element types are made of (Memory.h).
//
// A masked load becomes what the target can do: one instruction where it has masks for the unit's
// width; else a whole load where that stays within the array, which nearly every one does. Test:
// test/codegen/loads-without-masks.hlo.

#ifndef HLOC_CODEGEN_EMIT_UNITACCESS_H
#define HLOC_CODEGEN_EMIT_UNITACCESS_H

#include "codegen/emit/IndexBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hloc {

/// The attribute of a kernel's function that says from how many bits on elements have masked loads.
inline constexpr llvm::StringLiteral kNarrowestMaskedBits = "hloc.narrowest_masked_bits";
/// The same, of the function whose argument or stack memory `pointer` is.
int64_t getNarrowestMaskedBits(mlir::Value pointer);

/// Elements beside each other, up to which whole vectors are loaded or stored and shuffled.
inline constexpr int64_t kMaxInterleaved = 8;

class UnitAccess {
public:
  /// Of `count` units behind `pointer`.
  UnitAccess(IndexBuilder &index, mlir::Value pointer, mlir::Type unit, int64_t count)
      : index(index), b(index.b), pointer(pointer), unit(unit), count(count),
        bytes(unit.getIntOrFloatBitWidth() / 8) {}

  mlir::Value load(VectorIndex at, Mask mask);
  void store(VectorIndex at, mlir::Value value, Mask mask);
  void prefetch(VectorIndex at);

  /// Consecutive units from `base`; `maskVector` is null for all.
  mlir::Value loadConsecutive(mlir::Value base, mlir::VectorType type, mlir::Value maskVector);
  void storeConsecutive(mlir::Value base, mlir::Value value, mlir::Value maskVector);

private:
  mlir::Value loadStrided(VectorIndex at, mlir::VectorType type, int64_t live);
  mlir::Value loadWhole(mlir::Value base, mlir::VectorType type);
  mlir::Value loadAcrossEnd(mlir::Value base, mlir::VectorType type);
  mlir::Value loadWithin(mlir::Value base, mlir::VectorType type);
  bool lacksMask(mlir::Value maskVector, int64_t lanes);
  mlir::Value allocateOnStack(int64_t bytes);
  std::optional<int64_t> countFirstLanes(mlir::Value maskVector);
  mlir::Value zero(mlir::VectorType type);
  mlir::Value advance(mlir::Value from, mlir::LLVM::GEPArg by);
  mlir::Value address(VectorIndex at);
  mlir::Value addresses(VectorIndex at);
  mlir::Value lowest(VectorIndex at);
  mlir::Value reversed(mlir::Value vector);
  mlir::Value backwards(mlir::Value vector);
  mlir::Value maskOrAll(mlir::Value maskVector);

  IndexBuilder &index;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Value pointer;
  mlir::Type unit;
  int64_t count;
  unsigned bytes;
};

} // namespace hloc

#endif
