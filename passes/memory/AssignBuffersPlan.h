// SPDX-License-Identifier: Apache-2.0
// The memory of every array of a program: which values share a buffer, which copies remain, and the
// buffers' offsets in the arena.
//
// Positions number the program from top to bottom. An operation at the even position p reads its
// operands at p, and its results are live from p on, so that results and operands overlap unless
// the operation hands an operand's buffer over to a result. The results of a collective are live
// from its start, and its operands until its done. In branches that exclude each other, a value is
// live in each branch only until that branch has read it, so that each can update it in place.

#ifndef HLOC_PASSES_ASSIGNBUFFERSPLAN_H
#define HLOC_PASSES_ASSIGNBUFFERSPLAN_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace hloc::buffers {

/// Callee of a runtime call without effect, which stands for an array with undefined contents
/// (tensor.empty).
inline constexpr llvm::StringLiteral kEmptyCall = "empty";

/// Positions [begin, end) at which a buffer holds a value.
struct Range {
  int64_t begin, end;
};

/// Where a buffer is. InResult: in the memory of a result, while that holds nothing else.
enum class Place { Arena, Stack, Argument, Result, InResult, Constant };

struct Buffer {
  Place place = Place::Arena;
  unsigned index = 0; ///< number of the argument or result
  int64_t offset = 0; ///< in the arena or the result
  int64_t bytes = 0;
  bool readOnly = false;
  bool carried = false;               ///< it is the state of a loop
  llvm::SmallVector<Range, 2> ranges; ///< in order
  mlir::Value value;                  ///< the first value, which names the buffer; may be null
  mlir::Operation *user = nullptr;    ///< the kernel whose scratch memory this is
  mlir::Type type;

  int64_t begin() const { return ranges.front().begin; }
  int64_t end() const { return ranges.back().end; }
};

/// `to` becomes a copy of `from`.
struct Copy {
  int from, to;
};

/// Result `result` of the program may share the memory of argument `argument`, which has the same
/// number of bytes.
struct Alias {
  int64_t result, argument;
};

class Plan {
public:
  Plan(mlir::func::FuncOp main, llvm::ArrayRef<Alias> aliases);

  int getBuffer(mlir::Value value) { return find(nodeOf.lookup(value)); }
  const Buffer &operator[](int buffer) const { return buffers[buffer]; }
  /// The buffer of the kernel's scratch memory; -1 if it has none.
  int getScratch(hlo::KernelOp kernel) const {
    auto found = scratch.find(kernel);
    return found == scratch.end() ? -1 : found->second;
  }
  /// The location of the buffer's first value; that of the function for buffers that copies need.
  mlir::Location getLoc(const Buffer &buffer) {
    return buffer.value  ? buffer.value.getLoc()
           : buffer.user ? buffer.user->getLoc()
                         : main.getLoc();
  }
  /// The positions at which kernels read, in program order.
  llvm::SmallVector<int64_t> getLaunchPositions();
  bool contains(mlir::Value value) const { return nodeOf.contains(value); }

  /// Copies to make where control leaves a block or enters an operation with regions, in order.
  llvm::ArrayRef<Copy> getCopies(mlir::Operation *op) const;
  /// True if the kernel's result `result` is in the memory of the operand that `reuse` names.
  bool isReused(hlo::KernelOp kernel, unsigned result);

  int64_t arenaBytes = 0;
  /// The most bytes of the arena's buffers that are live at once: a lower bound for any plan.
  int64_t arenaBound = 0;
  std::vector<int> arenaBuffers;
  /// Bytes of temporaries in the memory of results.
  int64_t bytesInResults = 0;

private:
  /// At some position, `from` may pass its memory to `to`, though it is live until `until`.
  struct Handover {
    int from, to;
    int64_t until;
  };
  /// Two values that should be in the same buffer, and how much that would save.
  struct CoalesceHint {
    int from, to;
    double weight;
  };

  int addNode(mlir::Value value, mlir::Type type, Place place = Place::Arena, unsigned index = 0);
  int find(int node);
  void unite(int a, int b);
  void live(int node, int64_t begin, int64_t end) {
    buffers[find(node)].ranges.push_back({begin, end});
  }

  void number(mlir::Block &block, int depth);
  void numberRegions(mlir::Operation *op, int depth);
  void addRanges(llvm::ArrayRef<mlir::Operation *> users, mlir::Operation *home, int64_t begin,
                 int64_t last, llvm::SmallVectorImpl<Range> &ranges);
  void define(mlir::Value value, int64_t begin);
  void addScratch(hlo::KernelOp kernel);
  void addHint(mlir::Value from, int to, int64_t position, int depth, double factor, int64_t until);
  void addHint(mlir::Value from, int to, int64_t position, int depth, double factor) {
    addHint(from, to, position, depth, factor, position + 1);
  }
  void reuseOperands(mlir::Operation *done, int depth);
  /// Adds hints that results of an operation be in the operands that `reuse` names, -1 for none.
  void addReuseHints(mlir::ValueRange inputs, mlir::ValueRange results,
                     llvm::ArrayRef<int64_t> reuse, int64_t position, int depth, double factor);
  bool isReadBetween(mlir::Value value, mlir::Operation *first, mlir::Operation *last);
  void addTransfer(mlir::Operation *op, mlir::Value from, int to, int64_t position, int depth);
  void findTileGroups();
  void collectUses();
  bool overlap(int a, int b);
  bool isHandedOver(int from, const Range &read, int to, const Range &written);
  bool tryCoalesce(const CoalesceHint &hint);
  void orderCopies();
  void place();
  bool placeInResult(int node);
  int64_t placeInArena(llvm::ArrayRef<int> order);
  std::map<int64_t, int64_t> countArenaBytes() const;
  void improveArena(std::vector<int> order, const std::map<int64_t, int64_t> &live);
  int64_t findOffset(const Buffer &buffer, llvm::ArrayRef<int> placed, int64_t capacity);

  mlir::func::FuncOp main;
  std::vector<Buffer> buffers;
  std::vector<int> parents;
  llvm::DenseMap<mlir::Value, int> nodeOf;
  llvm::DenseMap<mlir::Operation *, int> scratch; // by kernel
  llvm::SmallVector<int> resultNodes;
  /// Kernels that run tile by tile together, and the values that they only pass to each other.
  /// Everything else that they read or write is live from the first to the last.
  struct TileGroup {
    mlir::Operation *first, *last;
    llvm::SmallVector<mlir::Value, 2> inner;
  };
  llvm::SmallVector<TileGroup> tileGroups;
  llvm::DenseMap<mlir::Operation *, int64_t> begins, ends;
  std::vector<CoalesceHint> hints;
  /// For each position, the buffers that may be handed over there.
  llvm::DenseMap<int64_t, llvm::SmallVector<Handover, 2>> handovers;
  /// Values, their nodes, and the positions from which they are live.
  std::vector<std::tuple<mlir::Value, int, int64_t>> definitions;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Copy>> copies;
  int64_t next = 2;
  /// The buffers that are placed in each result, by offset.
  llvm::MapVector<int, std::vector<int>> placedInResults;
};

/// Buffers up to this size are local variables, which LLVM can keep in registers.
constexpr int64_t maxStackBytes = 256;

/// Attribute of an `scf.if` whose else branch is rarely taken, so that copies should go there.
constexpr llvm::StringLiteral unlikelyElse = "hlo.rare_else";

/// Bytes of an array in memory: elements of fewer than eight bits are packed, a pred takes a byte.
int64_t getBytes(mlir::Type type);

/// True if the result of the operation is a view of its operand's memory.
inline bool isView(mlir::Operation *op) { return mlir::isa<hlo::ReshapeOp>(op); }

/// The operand of whose memory the value is a view, possibly after an asynchronous operation has
/// written it; null if the value has memory of its own.
mlir::Value getShown(mlir::Value value);

} // namespace hloc::buffers

#endif
