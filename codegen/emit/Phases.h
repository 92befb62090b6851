// SPDX-License-Identifier: Apache-2.0
// Builds a kernel whose units work together in phases, with what they tell each other in scratch
// memory.

#ifndef HLOC_CODEGEN_EMIT_PHASES_H
#define HLOC_CODEGEN_EMIT_PHASES_H

#include "codegen/KernelEmission.h"

namespace hloc {

class Phases {
public:
  /// For phases of `units` units. Their shared numbers begin at `shared`.
  Phases(KernelContext &context, int64_t units, mlir::Value shared)
      : context(context), units(units), shared(shared) {}

  /// A phase in which each unit does its part; `body` gets its number.
  void add(llvm::function_ref<void(mlir::Value unit)> body);
  /// A phase in which the first unit works alone.
  void addAlone(llvm::function_ref<void()> body);
  /// `count` phases with the same code, which gets the number of the phase among them.
  void addRepeated(int64_t count,
                   llvm::function_ref<void(mlir::Value phase, mlir::Value unit)> body);
  /// Sets the kernel's units and phases to those that were added.
  void finish();

  /// Reserves `count` shared numbers; returns the place of the first.
  int64_t reserve(int64_t count) { return std::exchange(reserved, reserved + count); }
  /// Memory behind the numbers reserved so far.
  mlir::Value getRest() { return locate(reserved, context.index.constant(0)); }
  /// The shared number, an index, at `place` plus `offset`.
  mlir::Value load(int64_t place, mlir::Value offset);
  void store(int64_t place, mlir::Value offset, mlir::Value number);

private:
  mlir::Value locate(int64_t place, mlir::Value offset);

  KernelContext &context;
  int64_t units, phases = 0, reserved = 0;
  mlir::Value shared;
};

/// Builds a loop over part number `part` of `size` elements, of which each part has `length`, a
/// multiple of the lanes, and the last may have less: one vector at a time, the remainder with a
/// mask.
llvm::SmallVector<mlir::Value> buildPart(
    KernelContext &context, mlir::Value part, int64_t length, int64_t size, mlir::ValueRange values,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(VectorIndex, Mask, mlir::ValueRange)> body);

} // namespace hloc

#endif
