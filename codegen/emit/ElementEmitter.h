// SPDX-License-Identifier: Apache-2.0
// The core of code generation: emits code for any value of a kernel at any index.
//
// A kernel's operations form a graph. A loop nest requests the root's elements at the indices of
// the current iteration. The emitter turns this into requests for the operands' elements at the
// indices that the operation maps to, and so on down to memory, constants, and values that the loop
// nest has already bound (an accumulator, a finished reduction). Data movement costs only index
// arithmetic. Within straight-line code, a value that is requested twice at the same index is
// computed once.

#ifndef HLOC_CODEGEN_EMIT_ELEMENTEMITTER_H
#define HLOC_CODEGEN_EMIT_ELEMENTEMITTER_H

#include "codegen/emit/Elementwise.h"
#include "codegen/emit/Memory.h"
#include "passes/schedule/DotProblem.h"
#include "passes/schedule/Places.h"

namespace hloc {

class ElementEmitter {
public:
  /// `computations` is the module in which reducers are looked up.
  ElementEmitter(IndexBuilder &index, mlir::ModuleOp computations)
      : index(index), computations(computations) {
    scopes.emplace_back();
  }

  using Producer = std::function<VectorValue(llvm::ArrayRef<VectorIndex>, Mask)>;

  /// From now on, elements of `value` are loaded from memory, or made by `produce`.
  void bindMemory(mlir::Value value, mlir::Value pointer);
  void bind(mlir::Value value, Producer produce) { producers[value] = std::move(produce); }
  void unbind(mlir::Value value) { producers.erase(value); }

  /// Emits the elements of `value` at `at`. If an operation cannot be emitted here, reports an
  /// error there and returns null lanes.
  VectorValue emit(mlir::Value value, llvm::ArrayRef<VectorIndex> at, Mask mask = {});

  /// The index of the element of `value` at `at` within the argument findOrigin(value).
  ElementIndex locate(mlir::Value value, llvm::ArrayRef<VectorIndex> at);

  /// Computed values are reused only within the region where they were computed. Create a Scope for
  /// each region (loop body, branch) that is entered.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter) : emitter(emitter) { emitter.scopes.emplace_back(); }
    ~Scope() { emitter.scopes.pop_back(); }

  private:
    ElementEmitter &emitter;
  };

  /// During its lifetime only elements are requested for which the pads and concatenations among
  /// `sources` need no checks.
  class WithKnownSources {
  public:
    WithKnownSources(ElementEmitter &emitter, const KnownSources &sources) : emitter(emitter) {
      emitter.sources = &sources;
    }
    ~WithKnownSources() { emitter.sources = nullptr; }
    WithKnownSources(const WithKnownSources &) = delete;

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
  /// The number of the operand that the elements of `op`, a pad or concatenation, come from, if
  /// that is known.
  std::optional<unsigned> findSource(mlir::Operation *op) const {
    if (!sources || !sources->contains(op))
      return std::nullopt;
    return sources->lookup(op);
  }
  VectorValue emitPieces(hlo::ConcatenateOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitIota(hlo::IotaOp op, llvm::ArrayRef<VectorIndex> at);
  VectorValue emitGather(hlo::GatherOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitDynamicSlice(hlo::DynamicSliceOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitDynamicUpdateSlice(hlo::DynamicUpdateSliceOp op, llvm::ArrayRef<VectorIndex> at,
                                     Mask mask);
  VectorValue emitBitcastConvert(hlo::BitcastConvertOp op, llvm::ArrayRef<VectorIndex> at,
                                 Mask mask);
  /// Emits one of a reduction's results, and records the others.
  VectorValue emitReduce(mlir::OpResult result, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitDot(hlo::DotOp op, llvm::ArrayRef<VectorIndex> at, Mask mask);
  VectorValue emitBranch(mlir::Value condition, llvm::function_ref<VectorValue()> inside,
                         llvm::function_ref<VectorValue()> otherwise);
  /// `value` at `at`, evaluated in a branch that is skipped if no lane of `mask` is active, where
  /// that pays.
  VectorValue emitWhere(mlir::Value value, llvm::ArrayRef<VectorIndex> at, Mask mask);

  /// Records `lanes`, the elements of `value` at `at`, for the rest of the innermost scope.
  void record(mlir::Value value, llvm::ArrayRef<VectorIndex> at, Mask mask, VectorValue lanes);

  /// Which elements of a value: in how many lanes matters as well, since stages of a kernel have
  /// different numbers of them.
  struct Key {
    ElementIndex at;
    Mask mask;
    int64_t lanes;
  };
  struct Entry {
    Key key;
    VectorValue lanes;
  };

  mlir::ModuleOp computations;
  llvm::DenseMap<mlir::Value, MemoryArray> memory;
  llvm::DenseMap<mlir::Value, Producer> producers;
  /// The values computed so far, innermost scope last.
  llvm::SmallVector<llvm::DenseMap<mlir::Value, llvm::SmallVector<Entry, 1>>, 4> scopes;
  const KnownSources *sources = nullptr;
  bool failed = false;
};

/// The number of elements that are folded into one result element of `op`, a reduction or dot; and
/// the most of them for which an expression is emitted in place. Larger folds must be bound to a
/// producer.
int64_t getFoldedElements(mlir::Operation *op);
constexpr int64_t kMaxFoldedElements = 32;

/// Start index `which` of a dynamic_slice or dynamic_update_slice, clamped to [0, limit]. The
/// indices are scalars, or the elements of one vector.
VectorIndex emitStartIndex(ElementEmitter &emitter, mlir::ValueRange starts, int64_t which,
                           int64_t limit, Mask mask);
/// The integer scalar `value` as an index, clamped to [0, limit].
VectorIndex emitClampedIndex(ElementEmitter &emitter, mlir::Value value, int64_t limit);
/// Where the slice that `op` writes begins, in each dimension.
ElementIndex emitStartIndices(ElementEmitter &emitter, hlo::DynamicUpdateSliceOp op);

/// The index in an array of shape `to` of the element at the same row-major position as `at` in an
/// array of shape `from`.
ElementIndex reshapeIndex(IndexBuilder &index, llvm::ArrayRef<int64_t> from,
                          llvm::ArrayRef<int64_t> to, llvm::ArrayRef<VectorIndex> at);

} // namespace hloc

#endif
