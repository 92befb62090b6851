// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `reduce`: reductions over the same dimensions D of arrays of one shape S, with
// elementwise code before, between and after them (softmax, normalizations, variances).
//
// The outer loop iterates over the kept dimensions K. For each position the reductions run in
// stages: reductions that do not depend on each other share a loop over D. Then the results are
// stored.
// - Rows: if D contains the minor dimension, lanes lie along it. The partial results of all lanes
//   are folded at the end of a row. Few columns after D's last dimension are folded side by side.
// - Columns: otherwise, or if D is short, lanes lie along K, and each is folded on its own.
// - Panels: like columns, but for each block of D all columns of a panel are folded, and their
//   totals are in memory.
//
// A value over S that is expensive and needed in several stages is kept in a scratch row, or, with
// panels, where a result of the same type will be (test/codegen/kept-in-panels.hlo). A result over
// S that a stage computes anyway is stored there (test/codegen/stored-while-folding.hlo).
//
// ReduceKernel.cpp analyses the kernel and loops over the outer positions; ReduceStage.cpp has the
// code of one position, ReducePanels.cpp that of a panel.

#ifndef HLOC_CODEGEN_KERNELS_REDUCEKERNEL_H
#define HLOC_CODEGEN_KERNELS_REDUCEKERNEL_H

#include "codegen/KernelEmission.h"
#include "codegen/emit/IndexedExtreme.h"
#include "codegen/emit/Monoid.h"
#include "codegen/emit/ReducedWalk.h"
#include "passes/schedule/ReduceProblem.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace hloc {

/// A reduction and how its operands are folded.
struct Reduction {
  hlo::ReduceOp op;
  int64_t stage = 0;
  std::optional<Monoid> monoid;
  std::optional<IndexedExtreme> indexed;
  /// Operands and initial value are negated before they are folded, and the result afterwards.
  bool isNegated = false;
  /// Element types of the accumulators: those of the operands, but f32 for narrow floats if the
  /// reduction is a monoid or an extreme with its index.
  llvm::SmallVector<mlir::Type> elements;
  hlo::ComputationOp computation;
};

class ReduceKernel {
public:
  explicit ReduceKernel(KernelContext &context)
      : context(context), b(context.b), index(context.index), problem(context.getBody()),
        rows(context.chosen.getStrategy() == "reduce.rows"),
        columns(rows ? std::max<int64_t>(1, problem.fewColumns) : 1),
        panels(context.chosen.getStrategy() == "reduce.panels") {}

  llvm::LogicalResult emit();

private:
  static mlir::RankedTensorType arrayType(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }

  llvm::LogicalResult analyze();
  using Stages = llvm::DenseMap<mlir::Operation *, llvm::SmallDenseSet<int64_t, 4>>;
  Stages findStages();
  bool isWorthKeeping(mlir::Operation &op, const Stages &stages);
  void planScratch();
  void planKeptInResults();
  void bindKept(mlir::Value value);
  void planEarlyResults();
  void describeRows();
  void emitRows();
  void emitColumns();
  void emitStages(Mask outerMask);
  llvm::SetVector<mlir::Operation *> findStageOperations(int64_t stage);
  double estimateStageCycles(int64_t stage);
  int64_t getMostStageLanes();
  int64_t chooseStageLanes(llvm::ArrayRef<Reduction *> group);
  ReducedWalk::Blocks chooseBlocks(llvm::ArrayRef<Reduction *> group);
  void emitShared(mlir::ValueRange roots, Mask outerMask);
  /// The reductions of a stage, their initial values, and the values from which each lane begins to
  /// fold: the identity element if the reduction is a monoid.
  struct Stage {
    llvm::SmallVector<Reduction *> group;
    llvm::SmallVector<llvm::SmallVector<VectorValue>> initial;
    llvm::SmallVector<mlir::Value> seeds;
    int64_t lanes = 1;
    /// True if all reductions are monoids.
    bool isJoinable = true;
  };
  std::optional<Stage> beginStage(int64_t number);
  llvm::SmallVector<mlir::Value> foldElements(Stage &stage, llvm::ArrayRef<VectorIndex> at,
                                              Mask mask, Mask outerMask, mlir::ValueRange carried);
  void foldColumn(Stage &stage, llvm::ArrayRef<VectorIndex> at, Mask mask, Mask outerMask,
                  mlir::ValueRange &rest, llvm::SmallVectorImpl<mlir::Value> &next);
  llvm::SmallVector<mlir::Value> joinParts(Stage &stage, mlir::ValueRange sums,
                                           mlir::ValueRange more);
  llvm::SmallVector<VectorValue> finish(Reduction &reduction, llvm::ArrayRef<VectorValue> start,
                                        mlir::ValueRange &rest);
  void emitStage(int64_t number, Mask outerMask);

  void findResults(llvm::SmallVectorImpl<unsigned> &wide, llvm::SmallVectorImpl<unsigned> &narrow);
  VectorValue emitNarrow(unsigned i, Mask mask);
  void storeNarrow(unsigned i, VectorValue value, Mask mask);
  void storeWide(llvm::ArrayRef<unsigned> wide, llvm::ArrayRef<VectorIndex> at, Mask mask);
  void emitResults(Mask outerMask);

  // Panels (ReducePanels.cpp).
  struct Panel;
  void emitPanels();
  void emitPanelStage(Panel &panel, int64_t number);
  void emitPanelResults(Panel &panel);
  void overStrips(Panel &panel, llvm::function_ref<void()> body);
  void storeEarlyResults(Mask mask);

  ElementIndex inputIndex(llvm::ArrayRef<VectorIndex> reduced);
  bool visitsNeighbours() const;
  void storeOrCollect(unsigned result, llvm::ArrayRef<VectorIndex> at, VectorValue lanes,
                      Mask mask);
  void storeNeighbours(Mask mask);
  bool endsNeighbours(llvm::ArrayRef<VectorIndex> reduced) const;
  VectorValue loadOrKeep(mlir::Value value, llvm::ArrayRef<VectorIndex> at, Mask mask);

  VectorValue toAccumulator(const Reduction &reduction, VectorValue lanes, mlir::Type given,
                            mlir::Type element);
  llvm::SmallVector<VectorValue> combine(Reduction &reduction, llvm::ArrayRef<VectorValue> x,
                                         llvm::ArrayRef<VectorValue> y);
  void putInOrder(Reduction &reduction, llvm::SmallVector<VectorValue> &x,
                  llvm::SmallVector<VectorValue> &y);
  llvm::SmallVector<VectorValue> halveLanes(
      llvm::SmallVector<VectorValue> partial,
      llvm::function_ref<llvm::SmallVector<VectorValue>(llvm::SmallVector<VectorValue> &low,
                                                        llvm::SmallVector<VectorValue> &high)>
          join);
  llvm::SmallVector<VectorValue> foldLanes(Reduction &reduction,
                                           llvm::SmallVector<VectorValue> partial);
  llvm::SmallVector<VectorValue> foldIndexedLanes(Reduction &reduction,
                                                  llvm::ArrayRef<VectorValue> partial);

  static void pack(llvm::SmallVectorImpl<mlir::Value> &flat, llvm::ArrayRef<VectorValue> lanes) {
    for (VectorValue x : lanes) {
      flat.push_back(x.re);
      if (x.im)
        flat.push_back(x.im);
    }
  }
  static llvm::SmallVector<VectorValue> unpack(llvm::ArrayRef<mlir::Type> elements,
                                               mlir::ValueRange &flat) {
    llvm::SmallVector<VectorValue> lanes;
    for (mlir::Type element : elements) {
      bool complex = llvm::isa<mlir::ComplexType>(element);
      lanes.push_back({flat[0], complex ? flat[1] : mlir::Value()});
      flat = flat.drop_front(complex ? 2 : 1);
    }
    return lanes;
  }

  KernelContext &context;
  mlir::ImplicitLocOpBuilder &b;
  IndexBuilder &index;
  const ReduceProblem problem;
  const bool rows;
  /// The kept columns that rows are folded with side by side (ReduceProblem::fewColumns).
  const int64_t columns;
  const bool panels;
  /// Whether the last strip of a row of panels has only the columns that are left, behind a mask;
  /// if not, it overlaps the strip before so that it is whole.
  bool masksLastStrip = false;

  llvm::SmallVector<Reduction> reductions;
  /// The stage after which an operation's value is known.
  llvm::DenseMap<mlir::Operation *, int64_t> stageOf;
  int64_t finalStage = 0;
  /// Iterates over D at the current outer position.
  std::optional<ReducedWalk> walk;

  ElementIndex outer; // the current position in K
  int64_t column = 0; // of `columns`
  void moveTo(int64_t column);

  /// A value over S that is kept in scratch memory or in the memory of a result. It is written by
  /// the first stage that computes it at its own position; earlier stages may compute it at others,
  /// for example through a reverse.
  struct Kept {
    mlir::Value pointer;
    std::optional<unsigned> result;
    std::optional<int64_t> writtenIn;
  };
  llvm::DenseMap<mlir::Value, Kept> scratch;
  /// Results over S that a stage stores while it folds: the stage by the number of the result.
  llvm::SmallDenseMap<unsigned, int64_t, 4> storedIn;
  /// Values of results over S that are to be stored together, with their places, by the number of
  /// the result.
  struct Neighbours {
    llvm::SmallVector<ElementIndex> places;
    llvm::SmallVector<VectorValue> values;
  };
  llvm::SmallMapVector<unsigned, Neighbours, 2> neighbours;
  /// Where lanes are rows, how many elements of each are loaded and stored together.
  int64_t tileColumns = 1;
  int64_t currentStage = 0;
  ElementIndex currentAt;
};

} // namespace hloc

#endif
