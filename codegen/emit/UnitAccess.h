// SPDX-License-Identifier: Apache-2.0
// Accesses to machine words of one type ("units"), on which arrays of all element types are built
// (Memory.h).
//
// A masked load becomes what the target can do: one instruction if it has masks for that width;
// otherwise an unmasked load where that stays within the array, as nearly all do. Elements that are
// apart are gathered, or loaded one by one. Tests: test/codegen/loads-without-masks.hlo,
// test/codegen/loads-one-by-one.hlo.

#ifndef HLOC_CODEGEN_EMIT_UNITACCESS_H
#define HLOC_CODEGEN_EMIT_UNITACCESS_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hloc {

/// Attribute of a kernel's function: the least width in bits that the target has masked loads for.
inline constexpr llvm::StringLiteral kNarrowestMaskedBits = "hloc.narrowest_masked_bits";
/// Attribute of a kernel's function: elements at a vector of indices are loaded one by one.
inline constexpr llvm::StringLiteral kLacksGather = "hloc.lacks_gather";
/// Gives the function of a kernel its attributes.
void describeAccess(mlir::LLVM::LLVMFuncOp function, const Target &target);
/// kNarrowestMaskedBits of the function that `pointer`, an argument or stack memory, belongs to.
int64_t getNarrowestMaskedBits(mlir::Value pointer);

class UnitAccess {
public:
  /// For `count` units at `pointer`.
  UnitAccess(IndexBuilder &index, mlir::Value pointer, mlir::Type unit, int64_t count)
      : index(index), b(index.b), pointer(pointer), unit(unit), count(count),
        bytes(unit.getIntOrFloatBitWidth() / 8) {}

  mlir::Value load(VectorIndex at, Mask mask);
  /// Numbers of `type`, one or several units in size, that begin at the units `at`.
  mlir::Value gather(VectorIndex at, mlir::Type type, Mask mask);
  void store(VectorIndex at, mlir::Value value, Mask mask);
  void prefetch(VectorIndex at);

  /// Consecutive units from `base` on; a null `maskVector` means all.
  mlir::Value loadConsecutive(mlir::Value base, mlir::VectorType type, mlir::Value maskVector);
  void storeConsecutive(mlir::Value base, mlir::Value value, mlir::Value maskVector);

  /// The units of `vector` in reverse order.
  mlir::Value reversed(mlir::Value vector);

private:
  mlir::Value loadEach(VectorIndex at, mlir::VectorType type);
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
