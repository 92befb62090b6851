// SPDX-License-Identifier: Apache-2.0
// Checks of operations whose result type the text must state.
#include "compiler/hlo/HloDialect.h"

using namespace mlir;
using namespace hloc::hlo;

LogicalResult ConvertOp::verify() { return success(); }
LogicalResult ReducePrecisionOp::verify() { return success(); }
LogicalResult StochasticConvertOp::verify() { return success(); }
LogicalResult BitcastConvertOp::verify() { return success(); }
LogicalResult BitcastOp::verify() { return success(); }
LogicalResult BroadcastOp::verify() { return success(); }
LogicalResult ConstantOp::verify() { return success(); }
LogicalResult DynamicReshapeOp::verify() { return success(); }
LogicalResult IotaOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult ScatterOp::verify() { return success(); }
LogicalResult BatchNormGradOp::verify() { return success(); }
LogicalResult BatchNormTrainingOp::verify() { return success(); }
LogicalResult ConvolutionOp::verify() { return success(); }
LogicalResult DotOp::verify() { return success(); }
LogicalResult RaggedDotOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ReduceWindowOp::verify() { return success(); }
LogicalResult RngBitGeneratorOp::verify() { return success(); }
LogicalResult RngGetAndUpdateStateOp::verify() { return success(); }
LogicalResult RngOp::verify() { return success(); }
LogicalResult ScaledDotOp::verify() { return success(); }
LogicalResult ScanOp::verify() { return success(); }
LogicalResult SelectAndScatterOp::verify() { return success(); }
LogicalResult SortOp::verify() { return success(); }
LogicalResult TopkOp::verify() { return success(); }
LogicalResult AsyncDoneOp::verify() { return success(); }
LogicalResult AsyncStartOp::verify() { return success(); }
LogicalResult AsyncUpdateOp::verify() { return success(); }
LogicalResult CallOp::verify() { return success(); }
LogicalResult ConditionalOp::verify() { return success(); }
LogicalResult CopyDoneOp::verify() { return success(); }
LogicalResult CopyStartOp::verify() { return success(); }
LogicalResult CustomCallOp::verify() { return success(); }
LogicalResult FusionOp::verify() { return success(); }
LogicalResult InfeedOp::verify() { return success(); }
LogicalResult MapOp::verify() { return success(); }
LogicalResult OptBarrierOp::verify() { return success(); }
LogicalResult OutfeedOp::verify() { return success(); }
LogicalResult RecvDoneOp::verify() { return success(); }
LogicalResult RecvOp::verify() { return success(); }
LogicalResult SendDoneOp::verify() { return success(); }
LogicalResult SendOp::verify() { return success(); }
LogicalResult WhileOp::verify() { return success(); }
LogicalResult AllGatherDoneOp::verify() { return success(); }
LogicalResult AllGatherOp::verify() { return success(); }
LogicalResult AllGatherStartOp::verify() { return success(); }
LogicalResult AllReduceDoneOp::verify() { return success(); }
LogicalResult AllReduceOp::verify() { return success(); }
LogicalResult AllReduceStartOp::verify() { return success(); }
LogicalResult AllToAllOp::verify() { return success(); }
LogicalResult CollectiveBroadcastOp::verify() { return success(); }
LogicalResult CollectivePermuteDoneOp::verify() { return success(); }
LogicalResult CollectivePermuteOp::verify() { return success(); }
LogicalResult CollectivePermuteStartOp::verify() { return success(); }
LogicalResult RaggedAllToAllOp::verify() { return success(); }
LogicalResult ReduceScatterOp::verify() { return success(); }
