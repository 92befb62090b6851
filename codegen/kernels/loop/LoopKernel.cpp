// SPDX-License-Identifier: Apache-2.0
// Kernels of kind `loop`: each element of the results is computed independently.
//
// The iteration space is the results' shape. The schedule decides how it is traversed
// (passes/schedule/LoopStrategies.cpp): in tiles (TransposeLoop.cpp), in blocks that are staged
// (StagedLoop.cpp), in the pieces of a concatenation (PiecesLoop.cpp), as one range, by rows, or
// with the few elements of one dimension unrolled; and whether vectors in the interior have a loop
// of their own.
#include "codegen/KernelEmission.h"
#include "passes/schedule/Interior.h"
#include "passes/schedule/LoopProblem.h"

using namespace mlir;

namespace hloc {

namespace {

class LoopKernel {
public:
  explicit LoopKernel(KernelContext &context)
      : context(context), index(context.index), results(context.getReturn().getOperands()),
        problem(context.getBody()), shape(problem.shape) {
    if (context.chosen.has(kInterior))
      interior.emplace(context.getBody());
  }

  void emit() {
    if (problem.count == 0) {
      context.schedule.units = 0;
      return;
    }
    index.setLanes(context.chosen.getTile()[1] * context.chosen.getLanes());
    StringRef strategy = context.chosen.getStrategy();
    if (strategy == "loop.few_minor")
      emitFew();
    else if (strategy == "loop.few_major")
      emitFewMajor();
    else if (strategy == "loop.rows")
      walkRows(shape,
               [&](ArrayRef<VectorIndex> at, Mask mask) { context.storeResults(shape, at, mask); });
    else
      emitFlat();
  }

private:
  /// Lanes lie along the row-major position.
  void emitFlat() {
    walkFlat(problem.count, [&](VectorIndex position, Mask mask) {
      ElementIndex at = problem.isBlind ? flatIndex(position)
                                        : reshapeIndex(index, problem.count, shape, position);
      context.storeResults(shape, at, mask);
    });
  }

  /// Iterates over [0, count) with lanes along it, in units.
  void walkFlat(int64_t count, function_ref<void(VectorIndex position, Mask)> elementsAt) {
    int64_t lanes = index.getLanes(), whole = count / lanes * lanes,
            unitSize = context.chosen.getBlock()[0];
    context.setUnits(llvm::divideCeil(count, unitSize), /*atBytes=*/true);
    auto &b = context.b;
    Value unit = index.constant(unitSize);
    Value lower = b.createOrFold<arith::MulIOp>(context.getBegin(), unit);
    Value upper = b.createOrFold<arith::MulIOp>(context.getEnd(), unit);
    Value wholeUpper = b.createOrFold<arith::MinSIOp>(upper, index.constant(whole));
    if (context.schedule.units == 1) {
      lower = index.constant(0);
      wholeUpper = index.constant(whole);
    }
    buildVectors({}, lower, wholeUpper, [&](VectorIndex position) { elementsAt(position, {}); });
    if (whole == count)
      return;
    auto remainder = [&] {
      elementsAt(index.consecutive(index.constant(whole), lanes), firstLanes(index, count - whole));
    };
    if (context.schedule.units == 1)
      return remainder();
    Value last =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, upper, index.constant(count));
    auto branch = scf::IfOp::create(b, last, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(context.emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    remainder();
  }

  /// Iterates over `sizes` with lanes along the minor one, in units.
  void walkRows(ArrayRef<int64_t> sizes,
                function_ref<void(ArrayRef<VectorIndex>, Mask)> elementsAt) {
    if (sizes.size() == 1)
      return walkFlat(sizes[0],
                      [&](VectorIndex position, Mask mask) { elementsAt(position, mask); });
    buildRows(context, sizes, /*parallel=*/true, elementsAt,
              [&](ArrayRef<VectorIndex> row, Value lower, Value upper,
                  function_ref<void(VectorIndex)> vectorAt) {
                buildVectors(row, lower, upper, vectorAt);
              });
  }

  ElementIndex flatIndex(VectorIndex position) {
    // All indices but the minor one are zero: only the row-major position matters.
    ElementIndex at(shape.size(), index.uniform(0));
    at.back() = position;
    return at;
  }

  /// Lanes lie along the dimension before the minor one; all elements of the minor one are computed
  /// in each.
  void emitFew() {
    walkRows(shape.drop_back(), [&](ArrayRef<VectorIndex> row, Mask mask) {
      SmallVector<ElementIndex> places;
      for (int64_t minor = 0; minor < shape.back(); ++minor) {
        places.push_back(ElementIndex(row));
        places.back().push_back(index.uniform(minor));
      }
      storeResults(places, mask, /*areNeighbours=*/true);
    });
  }

  /// Computes all elements of the outermost dimension at each position of the others.
  void emitFewMajor() {
    walkRows(shape.drop_front(), [&](ArrayRef<VectorIndex> rest, Mask mask) {
      SmallVector<ElementIndex> places;
      for (int64_t major = 0; major < shape[0]; ++major) {
        places.push_back({index.uniform(major)});
        places.back().append(rest.begin(), rest.end());
      }
      storeResults(places, mask, /*areNeighbours=*/false);
    });
  }

  /// Computes all results at all `places` and stores them then. In each lane, places that
  /// `areNeighbours` follow each other in memory.
  void storeResults(ArrayRef<ElementIndex> places, Mask mask, bool areNeighbours) {
    SmallVector<SmallVector<VectorValue>> values(results.size());
    for (const ElementIndex &place : places)
      for (auto [value, result] : llvm::zip(values, results))
        value.push_back(context.emitter.emit(result, place, mask));
    if (context.emitter.hasFailed())
      return;
    for (auto [i, value] : llvm::enumerate(values))
      if (!areNeighbours || !storeTogether(index, context.getOutput(i), places[0], value, mask))
        for (auto [place, lanes] : llvm::zip(places, value))
          storeElements(index, context.getOutput(i), place, lanes, mask);
  }

  /// Builds the loops over the whole vectors of a row from `lower` to `upper`. If the schedule has
  /// code of its own for the interior, one loop is for the vectors there and one for the others.
  /// The first has no branches, so that LLVM moves out of it what is the same for the whole row.
  void buildVectors(ArrayRef<VectorIndex> row, Value lower, Value upper,
                    function_ref<void(VectorIndex)> vectorAt) {
    if (!interior)
      return hloc::buildVectors(context, lower, upper, vectorAt);
    auto &b = context.b;
    int64_t lanes = index.getLanes();
    auto [least, limit] = interior->box[row.size()];
    auto clamp = [&](Value x) {
      return b.createOrFold<arith::MaxSIOp>(lower, b.createOrFold<arith::MinSIOp>(x, upper));
    };
    Value first = clamp(index.constant(llvm::alignTo(least, lanes))),
          last = clamp(
              index.constant(std::max(llvm::alignTo(least, lanes), llvm::alignDown(limit, lanes))));
    if (Value inside = isInterior(row))
      last = b.createOrFold<arith::SelectOp>(inside, last, first);
    {
      ElementEmitter::WithKnownSources known(context.emitter, interior->sources);
      hloc::buildVectors(context, first, last, vectorAt);
    }
    Value skipped = b.createOrFold<arith::SubIOp>(last, first),
          rest = b.createOrFold<arith::SubIOp>(upper, skipped);
    buildFor(context, lower, rest, lanes, [&](Value i) {
      Value isBefore = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, i, first),
            behind = b.createOrFold<arith::AddIOp>(i, skipped);
      vectorAt(index.consecutive(b.createOrFold<arith::SelectOp>(isBefore, i, behind), lanes));
    });
  }

  /// True if `row`, an index in the leading dimensions, is in the interior; null if it is known to
  /// be.
  Value isInterior(ArrayRef<VectorIndex> row) {
    auto &b = context.b;
    Value all;
    for (auto [d, x] : llvm::enumerate(row)) {
      if (interior->isWhole(d))
        continue;
      auto [lower, upper] = interior->box[d];
      Value from = b.createOrFold<arith::SubIOp>(x.base, index.constant(lower));
      Value within = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, from,
                                                   index.constant(upper - lower));
      all = all ? b.createOrFold<arith::AndIOp>(all, within) : within;
    }
    return all;
  }

  KernelContext &context;
  IndexBuilder &index;
  ValueRange results;
  LoopProblem problem;
  ArrayRef<int64_t> shape;
  std::optional<Interior> interior;
};

} // namespace

LogicalResult emitLoopKernel(KernelContext &context) {
  if (!context.chosen)
    return context.kernel.emitError("expected a loop kernel to give a result");
  StringRef strategy = context.chosen.getStrategy();
  if (strategy == "loop.tiles")
    emitTransposeLoop(context);
  else if (strategy == "loop.staged")
    emitStagedLoop(context);
  else if (strategy == "loop.pieces")
    emitPiecesLoop(context);
  else
    LoopKernel(context).emit();
  context.prefetchStreams();
  return success();
}

} // namespace hloc
