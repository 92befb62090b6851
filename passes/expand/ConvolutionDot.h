// SPDX-License-Identifier: Apache-2.0
// Convolutions that are dots once their spatial dimensions are split. Test:
// test/passes/expand/convolution-dots.mlir.

#ifndef HLOC_PASSES_EXPAND_CONVOLUTIONDOT_H
#define HLOC_PASSES_EXPAND_CONVOLUTIONDOT_H

#include "compiler/hlo/HloDialect.h"

namespace hloc {

class Build;
struct Target;

/// A convolution without groups, for each spatial dimension of which one of these holds:
/// - windows lie apart: the stride is at least their extent, as for the patches of images, or there
///   is one window. The input splits into positions and taps, and the dot contracts the taps.
/// - taps lie apart: the dilation is at least the extent of the positions, as in gradients of such
///   filters. The input splits into taps and positions, and the dot contracts the taps.
/// - the input is dilated, as in gradients of inputs and in transposed convolutions. The dot
///   contracts features alone: each element of the input times each tap is a term of one result.
///   Where the window is larger than the dilation, results are sums of several terms.
class ConvolutionDot {
public:
  explicit ConvolutionDot(hlo::ConvolutionOp op);

  /// True if the convolution, whose arrays have elements, is such a dot.
  bool isPossible();

  /// True if the dot is as fast as the convolution. It is not if there are features to fill vectors
  /// and terms must be added up, or the input is copied only to collect the taps of a filter that
  /// stays in L1.
  bool isWorthwhile(const Target &target) const;

  /// Builds the dot before the convolution, and returns the convolution's result.
  mlir::Value build();

private:
  enum class Axis { None, WindowsApart, TapsApart, Dilated };
  enum class Role { Batch, Feature, Channel, Position, Tap };
  /// What a dimension of an operand of the dot stands for: of positions and taps, those of which
  /// spatial dimension.
  using Part = std::pair<Role, int64_t>;
  using Parts = llvm::SmallVector<Part>;

  Axis getAxis(int64_t dimension) const;
  std::pair<mlir::Value, Parts> splitInput(Build &build);
  std::pair<mlir::Value, Parts> prepareFilter(Build &build);
  mlir::Type getProductType();
  mlir::Value mergeResult(Build &build, mlir::Value product, llvm::ArrayRef<Part> parts);

  hlo::ConvolutionOp op;
  hlo::WindowAttr window;
  hlo::ConvDimensionsAttr dims;
  mlir::RankedTensorType inputType, filterType, resultType;
  llvm::SmallVector<Axis> axes;
};

} // namespace hloc

#endif
