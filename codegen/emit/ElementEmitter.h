// SPDX-License-Identifier: Apache-2.0
// The heart of codegen: code for any value of a kernel at any index.
//
// A kernel's operations form a graph. A loop nest asks for the root's elements at the indices of
// the current iteration; the emitter turns the request into requests for the operands' elements at
// the indices that the operation maps to, down to memory, constants and values that the loop nest
// has already bound (an accumulator, a finished reduction). Data movement costs nothing but index
// arithmetic. Within one piece of straight-line code, a value asked for twice at the same index is
// computed once.

#ifndef HLOC_CODEGEN_EMIT_ELEMENTEMITTER_H
#define HLOC_CODEGEN_EMIT_ELEMENTEMITTER_H

#include "codegen/emit/Elementwise.h"
#include "codegen/emit/Memory.h"
#include "passes/schedule/DotProblem.h"

namespace hloc {

class ElementEmitter {
public:
  /// `computations` is the module in which reducers are looked up.
  ElementEmitter(IndexBuilder &index, mlir::ModuleOp computations)
      : index(index), computations(computations) {
    scopes.emplace_back();
  }

  using Producer = std::function<VectorValue(llvm::ArrayRef<VectorIndex>, Mask)>;

  /// From now on, elements of `value` come from memory, or from `produce`.
  void bindMemory(mlir::Value value, mlir::Value pointer);
  void bind(mlir::Value value, Producer produce) { producers[value] = std::move(produce); }
  void unbind(mlir::Value value) { producers.erase(value); }

  /// Elements of `value` at `at`. Reports an error at the operation that cannot be emitted here and
  /// returns null lanes.
  VectorValue emit(mlir::Value value, llvm::ArrayRef<VectorIndex> at, Mask mask = {});

  /// Where the element of `value` at `at` is in the argument that is its findOrigin().
  ElementIndex locate(mlir::Value value, llvm::ArrayRef<VectorIndex> at);

  /// Computed values are known only inside the code where they were computed: open a scope for
  /// every region (loop body, branch) entered while this object lives.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter) : emitter(emitter) { emitter.scopes.emplace_back(); }
    ~Scope() { emitter.scopes.pop_back(); }

  private:
    ElementEmitter &emitter;
  };

  hlo::ComputationOp lookup(mlir::FlatSymbolRefAttr name);
  bool hasFailed() const { return failed; }
  void setFailed() { failed = true; }

  IndexBuilder &index;

private:
  VectorValue zeroOf(mlir::Type element);
  VectorValue emitOperation(mlir::Operation *op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitPad(hlo::PadOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitConcatenate(hlo::ConcatenateOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitPieces(hlo::ConcatenateOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitIota(hlo::IotaOp op, llvm::ArrayRef<VectorIndex> at);
  VectorValue emitGather(hlo::GatherOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitDynamicSlice(hlo::DynamicSliceOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitDynamicUpdateSlice(hlo::DynamicUpdateSliceOp op, llvm::ArrayRef<VectorIndex> at,
                                     Mask mask);
  VectorValue emitBitcastConvert(hlo::BitcastConvertOp op, llvm::ArrayRef<VectorIndex> at,
                                 Mask mask);
  /// One of a reduction's results; its siblings are known from then on.
  VectorValue emitReduce(mlir::OpResult result, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitDot(hlo::DotOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitBranch(mlir::Value condition, llvm::function_ref<VectorValue()> inside,
                         llvm::function_ref<VectorValue()> otherwise);
  /// `value` if any lane of `mask` takes part, computed in a branch of its own where that pays.
  VectorValue emitWhere(mlir::Value value, llvm::ArrayRef<VectorIndex> at, Mask mask);

  struct Key {
    mlir::Value value;
    ElementIndex at;
    Mask mask;
  };
  struct Entry {
    Key key;
    VectorValue lanes;
  };

  mlir::ModuleOp computations;
  llvm::DenseMap<mlir::Value, MemoryArray> memory;
  llvm::DenseMap<mlir::Value, Producer> producers;
  /// What has been computed, by value, innermost scope last.
  llvm::SmallVector<llvm::DenseMap<mlir::Value, llvm::SmallVector<Entry, 1>>, 4> scopes;
  bool failed = false;
};

/// Elements that are folded into one result element of `op`, a reduction or dot, and how many of
/// them an expression may hold: what folds more must be bound to a producer.
int64_t getFoldedElements(mlir::Operation *op);
constexpr int64_t kMaxFoldedElements = 32;

/// Start index `which` of a dynamic_slice or dynamic_update_slice as a lane index within
/// [0, limit]. The indices are scalars, or elements of one vector.
VectorIndex emitStartIndex(ElementEmitter &emitter, mlir::ValueRange starts, int64_t which,
                           int64_t limit, Mask mask);
/// The integer scalar `value` as a lane index, the nearest within [0, limit].
VectorIndex emitClampedIndex(ElementEmitter &emitter, mlir::Value value, int64_t limit);
/// Where the slice that `op` writes begins, along each dimension.
ElementIndex emitStartIndices(ElementEmitter &emitter, hlo::DynamicUpdateSliceOp op);

/// The index in an array of shape `to` of the element whose index in row-major order in an array
/// of shape `from` is `at`.
ElementIndex reshapeIndex(IndexBuilder &index, llvm::ArrayRef<int64_t> from,
                          llvm::ArrayRef<int64_t> to, llvm::ArrayRef<VectorIndex> at);

} // namespace hloc

#endif
