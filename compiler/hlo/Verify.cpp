// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/Verify.h"
#include "compiler/hlo/infer/Infer.h"
#include "compiler/hlo/infer/ModuleChecks.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc::hlo {

namespace {
/// Finds types whose size in bytes overflows; caches the types that it has seen.
class SizeCheck {
public:
  bool fits(Type type) {
    if (!seen.insert(type).second)
      return true;
    if (auto tuple = dyn_cast<TupleType>(type))
      return llvm::all_of(tuple.getTypes(), [&](Type element) { return fits(element); });
    auto array = dyn_cast<RankedTensorType>(type);
    if (!array)
      return true;
    // The size of an unbounded dimension is not known: the others must fit.
    SmallVector<int64_t, 6> sizes = getBounds(array);
    llvm::erase(sizes, kUnbounded);
    std::optional<int64_t> count = countElements(sizes);
    bool fitting = count && llvm::checkedMul(*count, int64_t(16));
    if (!fitting)
      seen.erase(type);
    return fitting;
  }

private:
  llvm::DenseSet<Type> seen;
};
} // namespace

/// Operations whose operands need not be arrays.
static bool takesAnyValue(Operation *op) {
  return isa<TupleOp, GetTupleElementOp, CopyOp, CallOp, FusionOp, WhileOp, ConditionalOp,
             CustomCallOp, AsyncStartOp, AsyncUpdateOp, AsyncDoneOp, CopyStartOp, CopyDoneOp,
             AfterAllOp, AddDependencyOp, OptBarrierOp, DomainOp, InfeedOp, OutfeedOp, SendOp,
             SendDoneOp, RecvOp, RecvDoneOp, AllGatherDoneOp, AllReduceDoneOp, CollectivePermuteOp,
             CollectivePermuteStartOp, CollectivePermuteDoneOp, ReturnOp>(op);
}

/// The checks of operand kinds that ODS makes, with messages in HLO's terms.
static LogicalResult verifyOperandKinds(Operation *op) {
  Rule rule(op->getContext(), op->getLoc(), op->getName().getStringRef());
  auto expectToken = [&](Value value) -> LogicalResult {
    if (isa<TokenType>(value.getType()))
      return success();
    return rule.fail(Error::OperandKind) << "expected a token but got " << toText(value.getType());
  };
  if (isa<AfterAllOp, OutfeedOp>(op) && !isa<TokenType>(op->getResult(0).getType()))
    return rule.fail(Error::ResultShape)
           << "expected result token[] but got " << toText(op->getResult(0).getType());
  if (isa<AddDependencyOp, InfeedOp, OutfeedOp, SendOp, RecvOp>(op))
    return op->getNumOperands() ? expectToken(op->getOperands().back()) : success();
  if (takesAnyValue(op))
    return success();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (failed(expectArray(rule, operand.getType(), "operand " + Twine(i))))
      return failure();
  return success();
}

/// The same for results: an array where the operation always returns one.
static LogicalResult verifyResultKind(Operation *op) {
  if (!op->hasTrait<OpTrait::OneTypedResult<RankedTensorType>::Impl>() ||
      isa<RankedTensorType>(op->getResult(0).getType()))
    return success();
  if (isa<InferTypeOpInterface>(op)) {
    FailureOr<Type> inferred = inferResultType(op, {});
    return failed(inferred) ? failure() : verifyResultTypes(op, *inferred);
  }
  Rule rule(op->getContext(), op->getLoc(), op->getName().getStringRef());
  return rule.fail(Error::ResultShape)
         << "expected the result to be an array but got " << toText(op->getResult(0).getType());
}

/// C1 of computations: the returned value has the type that the signature states.
static LogicalResult verifyReturn(ComputationOp computation) {
  auto result = dyn_cast_or_null<ReturnOp>(computation.getBody().front().getTerminator());
  if (!result || typesAgree(result.getOperandTypes(), computation.getResultTypes()))
    return success();
  Rule rule(computation.getContext(), result.getLoc(), "computation");
  return rule.fail(Error::ResultShape)
         << "expected " << computation.getSymName() << " to return "
         << toText(computation.getResultTypes()) << ", as its signature says, but its root is "
         << toText(result.getOperandTypes());
}

LogicalResult verifyModule(ModuleOp module) {
  constexpr unsigned kMaxErrors = 20;
  unsigned errors = 0;
  SymbolTableCollection tables;
  SizeCheck sizes;
  auto verifyOperation = [&](Operation *op) -> LogicalResult {
    for (Type type : op->getResultTypes())
      if (!sizes.fits(type))
        return Rule(op->getContext(), op->getLoc(), op->getName().getStringRef())
                   .fail(Error::TooLarge)
               << "the result " << toText(type) << " is too large";
    if (failed(verifyOperandKinds(op)) || failed(verifyResultKind(op)) ||
        failed(op->getName().verifyInvariants(op)))
      return failure();
    auto user = dyn_cast<SymbolUserOpInterface>(op);
    return user ? user.verifySymbolUses(tables) : success();
  };
  for (auto computation : module.getOps<ComputationOp>()) {
    if (computation.getBody().empty())
      continue;
    for (BlockArgument parameter : computation.getBody().getArguments())
      if (!sizes.fits(parameter.getType())) {
        report(parameter.getLoc(), Error::TooLarge)
            << "parameter: the shape " << toText(parameter.getType()) << " is too large";
        ++errors;
      }
    for (Operation &op : computation.getBody().front())
      if (failed(verifyOperation(&op)) && ++errors == kMaxErrors)
        return failure();
    if (!computation.getBody().front().empty() && failed(verifyReturn(computation)))
      ++errors;
  }
  if (errors)
    return failure();
  // Structure that MLIR text can violate but HLO text cannot; then the module as a whole.
  bool sound = succeeded(mlir::verify(module));
  if (!sound)
    return failure();
  for (auto check : {checkEntry, checkPairs, checkCollectives})
    sound = succeeded(check(module)) && sound;
  return success(succeeded(checkCalls(module, tables)) && sound);
}

} // namespace hloc::hlo
