// SPDX-License-Identifier: Apache-2.0
// The patterns of --expand-bounded-sizes, by subject. Each operation has one function from bounded
// operands to bounded results, which determines the sizes and masks what has to be masked.
// Operations without such a function are refused.

#ifndef HLOC_PASSES_BOUNDEDPATTERNS_H
#define HLOC_PASSES_BOUNDEDPATTERNS_H

#include "mlir/Transforms/DialectConversion.h"
#include "passes/bounded/BoundedArray.h"

namespace hloc {

/// The results of an operation; failure after an error has been emitted.
using Expanded = mlir::FailureOr<BoundedArrays>;

/// What the patterns share.
struct BoundedPatterns {
  const mlir::TypeConverter &converter;
  mlir::RewritePatternSet &patterns;
  /// Set when an operation is refused. Its results are then replaced by zeros, so that the rest of
  /// the program is still checked.
  bool &isRefused;

  /// Adds `expand` as the pattern for operations of type `Op`.
  template <typename Op>
  void add(Expanded (*expand)(Op, llvm::ArrayRef<BoundedArray>, BoundedBuild &));
};

void populateElementwise(BoundedPatterns &patterns);
/// Operations that make or move elements.
void populateShapes(BoundedPatterns &patterns);
/// get_dimension_size, set_dimension_size.
void populateSizes(BoundedPatterns &patterns);
/// Custom calls, including those on sizes.
void populateCustomCalls(BoundedPatterns &patterns);
void populateReshapes(BoundedPatterns &patterns);
/// dynamic_slice, dynamic_update_slice, gather.
void populateIndexing(BoundedPatterns &patterns);
void populateScatters(BoundedPatterns &patterns);
/// dot, linear algebra.
void populateContractions(BoundedPatterns &patterns);
void populateConvolutions(BoundedPatterns &patterns);
/// fft.
void populateFourier(BoundedPatterns &patterns);
/// ragged_dot and scaled_dot.
void populateGroupedDots(BoundedPatterns &patterns);
/// reduce, and windows.
void populateReductions(BoundedPatterns &patterns);
void populateScans(BoundedPatterns &patterns);
/// batch_norm_training, batch_norm_inference, batch_norm_grad.
void populateNormalizations(BoundedPatterns &patterns);
/// Collectives that reduce, gather or exchange along a dimension.
void populateCollectives(BoundedPatterns &patterns);
/// Collectives that send arrays, or rows and slices of them, from one participant to another.
void populatePermutes(BoundedPatterns &patterns);
/// Infeed, outfeed, send and recv.
void populateTransfers(BoundedPatterns &patterns);
/// sort and topk.
void populateSorts(BoundedPatterns &patterns);

//===- Implementation ------------------------------------------------------===//

/// The operands of an operation, each as an array with sizes.
BoundedArrays getBoundedOperands(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> values);

/// Replaces `op` by its results, converted to its result types: a run-time size of a static
/// dimension becomes zero padding, and a static size of a bounded dimension becomes its bound.
void replaceByBounded(mlir::Operation *op, Expanded results, BoundedBuild &build,
                      mlir::ConversionPatternRewriter &rewriter, bool &isRefused);

template <typename Op> class ExpandPattern : public mlir::OpConversionPattern<Op> {
public:
  using Expand = Expanded (*)(Op, llvm::ArrayRef<BoundedArray>, BoundedBuild &);
  ExpandPattern(const mlir::TypeConverter &converter, mlir::MLIRContext *context, Expand expand,
                bool &isRefused)
      : mlir::OpConversionPattern<Op>(converter, context), expand(expand), isRefused(isRefused) {}

  llvm::LogicalResult
  matchAndRewrite(Op op, typename mlir::OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    BoundedBuild build(rewriter, op.getLoc());
    replaceByBounded(op, expand(op, getBoundedOperands(op, adaptor.getOperands()), build), build,
                     rewriter, isRefused);
    return llvm::success();
  }

private:
  Expand expand;
  bool &isRefused;
};

template <typename Op>
void BoundedPatterns::add(Expanded (*expand)(Op, llvm::ArrayRef<BoundedArray>, BoundedBuild &)) {
  patterns.add<ExpandPattern<Op>>(converter, patterns.getContext(), expand, isRefused);
}

} // namespace hloc

#endif
