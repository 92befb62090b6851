// SPDX-License-Identifier: Apache-2.0
// The rule of every operation: it infers the result type from operands and attributes, or reports
// the first constraint that is violated. Each file of this folder contains the rules of one family;
// the numbers `C1` ... next to the checks are those of the operations' definitions (*.td).

#ifndef HLOC_COMPILER_HLO_INFER_RULES_H
#define HLOC_COMPILER_HLO_INFER_RULES_H

#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/infer/Shape.h"
#include <string_view>

namespace hloc::hlo {

/// Sizes of the result when `window` moves over dimensions of size `base`.
llvm::FailureOr<llvm::SmallVector<int64_t>> inferWindowed(const Rule &rule, Sizes base,
                                                          WindowAttr window);

/// Element type of sums of products: the one that the text states, or otherwise the operand type of
/// higher precision.
mlir::Type inferProduct(const Rule &rule, mlir::RankedTensorType lhs, mlir::RankedTensorType rhs);

/// Sets of element types.
struct Kinds {
  enum : unsigned {
    Pred = 1,
    Signed = 2,
    Unsigned = 4,
    Float = 8,
    Complex = 16,
    Integers = Signed | Unsigned,
    Real = Integers | Float,
    Numbers = Real | Complex,
    Bits = Pred | Integers,
    Any = Pred | Numbers,
  };
};

/// An operation whose only rule is that operands and result have the same type, of these kinds, as
/// declared in ElementwiseOps.td.
struct OneTypeRule {
  std::string_view opName;
  unsigned kinds;
};
#define GET_OneTypeRules_IMPL
#include "compiler/hlo/OneTypeRules.inc"

/// The kinds of the operation hlo.NAME; 0 if it has a separate rule.
constexpr unsigned findOneTypeRule(std::string_view name) {
  for (const OneTypeRule &rule : OneTypeRules)
    if (name.substr(4) == rule.opName)
      return rule.kinds;
  return 0;
}

#define HLO_RULE(Op) llvm::FailureOr<mlir::Type> infer(Op::Adaptor op, const Rule &rule);

// Elementwise.cpp
/// For operations whose operands and result have the same type, of `kinds`.
llvm::FailureOr<mlir::Type> inferOneType(mlir::ValueRange operands, unsigned kinds,
                                         const Rule &rule);
HLO_RULE(AbsOp)
HLO_RULE(ImagOp)
HLO_RULE(IsFiniteOp)
HLO_RULE(RealOp)
HLO_RULE(ComplexOp)
HLO_RULE(ClampOp)
HLO_RULE(CompareOp)
HLO_RULE(SelectOp)
HLO_RULE(ConvertOp)
HLO_RULE(ReducePrecisionOp)
HLO_RULE(StochasticConvertOp)

// Shapes.cpp, Indexing.cpp
HLO_RULE(ConstantOp)
HLO_RULE(IotaOp)
HLO_RULE(BitcastOp)
HLO_RULE(BitcastConvertOp)
HLO_RULE(ReshapeOp)
HLO_RULE(DynamicReshapeOp)
HLO_RULE(BroadcastOp)
HLO_RULE(TransposeOp)
HLO_RULE(ReverseOp)
HLO_RULE(SliceOp)
HLO_RULE(PadOp)
HLO_RULE(ConcatenateOp)
HLO_RULE(DynamicSliceOp)
HLO_RULE(DynamicUpdateSliceOp)
HLO_RULE(GatherOp)
HLO_RULE(ScatterOp)
HLO_RULE(CopyOp)
HLO_RULE(TupleOp)
HLO_RULE(GetTupleElementOp)
HLO_RULE(GetDimensionSizeOp)
HLO_RULE(SetDimensionSizeOp)

// Dot.cpp, Window.cpp, Reduce.cpp, Linalg.cpp
HLO_RULE(DotOp)
HLO_RULE(RaggedDotOp)
HLO_RULE(ScaledDotOp)
HLO_RULE(ConvolutionOp)
HLO_RULE(FftOp)
HLO_RULE(CholeskyOp)
HLO_RULE(TriangularSolveOp)
HLO_RULE(ReduceOp)
HLO_RULE(ReduceWindowOp)
HLO_RULE(SelectAndScatterOp)
HLO_RULE(ScanOp)
HLO_RULE(SortOp)
HLO_RULE(TopkOp)
HLO_RULE(BatchNormTrainingOp)
HLO_RULE(BatchNormInferenceOp)
HLO_RULE(BatchNormGradOp)
HLO_RULE(RngOp)
HLO_RULE(RngBitGeneratorOp)
HLO_RULE(RngGetAndUpdateStateOp)

// Control.cpp
HLO_RULE(CallOp)
HLO_RULE(FusionOp)
HLO_RULE(MapOp)
HLO_RULE(WhileOp)
HLO_RULE(ConditionalOp)
HLO_RULE(CustomCallOp)
HLO_RULE(AsyncStartOp)
HLO_RULE(AsyncUpdateOp)
HLO_RULE(AsyncDoneOp)
HLO_RULE(CopyStartOp)
HLO_RULE(CopyDoneOp)
HLO_RULE(AfterAllOp)
HLO_RULE(AddDependencyOp)
HLO_RULE(OptBarrierOp)
HLO_RULE(DomainOp)
HLO_RULE(InfeedOp)
HLO_RULE(OutfeedOp)
HLO_RULE(SendOp)
HLO_RULE(SendDoneOp)
HLO_RULE(RecvOp)
HLO_RULE(RecvDoneOp)
HLO_RULE(PartitionIdOp)
HLO_RULE(ReplicaIdOp)

// Collective.cpp
HLO_RULE(AllGatherOp)
HLO_RULE(AllGatherStartOp)
HLO_RULE(AllReduceOp)
HLO_RULE(AllReduceStartOp)
HLO_RULE(ReduceScatterOp)
HLO_RULE(AllToAllOp)
HLO_RULE(RaggedAllToAllOp)
HLO_RULE(CollectiveBroadcastOp)
HLO_RULE(CollectivePermuteOp)
HLO_RULE(CollectivePermuteStartOp)
HLO_RULE(AllGatherDoneOp)
HLO_RULE(AllReduceDoneOp)
HLO_RULE(CollectivePermuteDoneOp)

#undef HLO_RULE

/// The part of `type` at `path`, which has an index for each tuple; null if there is none.
/// (Control.cpp)
mlir::Type getPart(mlir::Type type, llvm::ArrayRef<int64_t> path);

} // namespace hloc::hlo

#endif
