// SPDX-License-Identifier: Apache-2.0
// Turns arrays of bounded size into arrays of the full bound and sizes. The dialect conversion
// propagates this: a value of bounded type becomes an array and an s32 scalar for each bounded
// dimension, also through loops and branches. Test: test/passes/bounded.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "passes/Passes.h"
#include "passes/bounded/BoundedPatterns.h"
#include "passes/bounded/BoundedSteps.h"
#include "passes/frontend/NotSupported.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_EXPANDBOUNDEDSIZES
#include "passes/Passes.h.inc"
} // namespace hloc

BoundedArrays hloc::getBoundedOperands(Operation *op, ArrayRef<ValueRange> values) {
  BoundedArrays arrays;
  for (auto [operand, parts] : llvm::zip(op->getOperands(), values)) {
    BoundedArray &array = arrays.emplace_back(parts.front());
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    for (int64_t d = 0, next = 1; type && d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Value size = parts[next++];
      // A size that equals the bound is static.
      if (getConstantIndex(size) != array.getBound(d))
        array.sizes[d] = size;
    }
  }
  return arrays;
}

void hloc::replaceByBounded(Operation *op, Expanded results, BoundedBuild &build,
                            ConversionPatternRewriter &rewriter, bool &isRefused) {
  if (failed(results)) {
    isRefused = true;
    results = BoundedArrays();
    for (Type type : op->getResultTypes())
      results->emplace_back(build.zero(getFullType(type)));
  }
  SmallVector<SmallVector<Value>> values;
  for (auto [type, result] : llvm::zip(op->getResultTypes(), *results)) {
    auto array = cast<RankedTensorType>(type);
    SmallVector<int64_t> ended;
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < array.getRank(); ++d) {
      if (array.isDynamicDim(d))
        sizes.push_back(build.getSize(result, d));
      else if (result.sizes[d])
        ended.push_back(d);
    }
    Value zero = ended.empty() ? Value() : build.scalar(array.getElementType(), 0.0);
    SmallVector<Value> &parts = values.emplace_back();
    parts.push_back(ended.empty() ? result.array : build.fillPast(result, ended, zero));
    parts.append(sizes);
  }
  rewriter.replaceOpWithMultiple(op, values);
}

namespace {

/// Refuses what no other pattern handles.
class RefuseOthers : public ConversionPattern {
public:
  RefuseOthers(const TypeConverter &converter, MLIRContext *context, bool &isRefused)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0, context),
        isRefused(isRefused) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange>,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_present<HLODialect>(op->getDialect()))
      return rewriter.notifyMatchFailure(op, "not an operation on arrays");
    emitNotSupported(op->getLoc(),
                     "'" + op->getName().stripDialect() + "' of arrays of bounded dynamic size");
    if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return failure();
    BoundedBuild build(rewriter, op->getLoc());
    replaceByBounded(op, failure(), build, rewriter, isRefused);
    return success();
  }

private:
  bool &isRefused;
};

class SizeConverter : public TypeConverter {
public:
  SizeConverter() {
    addConversion([](Type type) { return type; });
    addConversion(
        [](RankedTensorType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          parts.push_back(getFullType(type));
          parts.append(type.getNumDynamicDims(),
                       RankedTensorType::get({}, IntegerType::get(type.getContext(), 32)));
          return success();
        });
    auto toBounded = [](OpBuilder &builder, Type type, ValueRange parts, Location loc) -> Value {
      return UnrealizedConversionCastOp::create(builder, loc, type, parts).getResult(0);
    };
    addSourceMaterialization(toBounded);
    addTargetMaterialization([](OpBuilder &builder, TypeRange types, ValueRange value,
                                Location loc) -> SmallVector<Value> {
      return SmallVector<Value>(
          UnrealizedConversionCastOp::create(builder, loc, types, value).getResults());
    });
  }
};

/// Attributes for the size of `dimension` of argument or result `number`, whose own attributes are
/// `port`.
DictionaryAttr describeSize(Builder &builder, DictionaryAttr port, int64_t number,
                            int64_t dimension) {
  auto name = port ? port.getAs<StringAttr>("hlo.name") : StringAttr();
  std::string stem = name ? name.str() : std::to_string(number);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("hlo.name",
                            builder.getStringAttr(stem + ".size" + std::to_string(dimension))),
       builder.getNamedAttr("hlo.size_of", builder.getDenseI64ArrayAttr({number, dimension}))});
}

/// Sizes of bounded parameters become additional parameters, after all others.
void expandParameters(func::FuncOp function) {
  Block &body = function.getBody().front();
  auto builder = OpBuilder::atBlockBegin(&body);
  SmallVector<DictionaryAttr> attributes;
  for (unsigned i = 0, count = body.getNumArguments(); i < count; ++i)
    attributes.push_back(function.getArgAttrDict(i));
  for (unsigned i = 0, count = body.getNumArguments(); i < count; ++i) {
    BlockArgument argument = body.getArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.hasStaticShape())
      continue;
    BoundedBuild build(builder, argument.getLoc());
    argument.setType(getFullType(type));
    SmallVector<Value> parts{argument};
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Value size =
          body.addArgument(RankedTensorType::get({}, builder.getI32Type()), argument.getLoc());
      attributes.push_back(describeSize(builder, attributes[i], i, d));
      parts.push_back(build.clampSize(size, arrayType(argument).getDimSize(d)));
    }
    auto whole = UnrealizedConversionCastOp::create(builder, argument.getLoc(), type, parts);
    argument.replaceAllUsesExcept(whole.getResult(0), whole);
  }
  function.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), function.getResultTypes()));
  function.setAllArgAttrs(attributes);
}

/// Likewise for results.
void expandResults(func::FuncOp function, const TypeConverter &converter) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Value> results(terminator->getOperands()), sizes;
  for (unsigned i = 0; i < results.size(); ++i)
    attributes.push_back(function.getResultAttrDict(i));
  for (unsigned i = 0, count = results.size(); i < count; ++i) {
    auto type = cast<RankedTensorType>(results[i].getType());
    if (type.hasStaticShape())
      continue;
    SmallVector<Type> types;
    (void)converter.convertType(type, types);
    auto parts =
        UnrealizedConversionCastOp::create(builder, results[i].getLoc(), types, results[i]);
    results[i] = parts.getResult(0);
    llvm::append_range(sizes, parts.getResults().drop_front());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        attributes.push_back(describeSize(builder, attributes[i], i, d));
  }
  results.append(sizes);
  terminator->setOperands(results);
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
}

struct ExpandBoundedSizes : hloc::impl::ExpandBoundedSizesBase<ExpandBoundedSizes> {
  /// True for operations on bounded arrays, and for those on sizes even if all are static.
  static bool usesBounds(Operation *op) {
    if (auto call = dyn_cast<CustomCallOp>(op);
        call && llvm::is_contained({"PadToStatic", "SliceToDynamic"}, call.getCustomCallTarget()))
      return true;
    return isa<GetDimensionSizeOp, SetDimensionSizeOp, DynamicReshapeOp>(op) ||
           llvm::any_of(op->getOperandTypes(), isBoundedType) ||
           llvm::any_of(op->getResultTypes(), isBoundedType);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool isRefused = false, isNeeded = false;
    module.walk([&](Operation *op) { isNeeded |= usesBounds(op); });
    lowerBoundedSteps(module);
    for (auto computation : module.getOps<ComputationOp>())
      if (llvm::any_of(computation.getArgumentTypes(), isBoundedType)) {
        emitNotSupported(computation.getLoc(),
                         "a computation of an operation that takes arrays of bounded dynamic size");
        return signalPassFailure();
      }
    for (auto function : module.getOps<func::FuncOp>())
      isNeeded |= llvm::any_of(function.getArgumentTypes(), isBoundedType);
    if (!isNeeded)
      return;
    SizeConverter converter;
    for (auto function : module.getOps<func::FuncOp>()) {
      expandParameters(function);
      expandResults(function, converter);
    }
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    target.markUnknownOpDynamicallyLegal([](Operation *op) { return !usesBounds(op); });
    target.addLegalOp<UnrealizedConversionCastOp>();
    BoundedPatterns all{converter, patterns, isRefused};
    populateElementwise(all);
    populateShapes(all);
    populateSizes(all);
    populateCustomCalls(all);
    populateReshapes(all);
    populateIndexing(all);
    populateScatters(all);
    populateContractions(all);
    populateConvolutions(all);
    populateFourier(all);
    populateGroupedDots(all);
    populateReductions(all);
    populateScans(all);
    populateNormalizations(all);
    populateSorts(all);
    populateCollectives(all);
    populatePermutes(all);
    populateTransfers(all);
    patterns.add<RefuseOthers>(converter, &getContext(), isRefused);
    if (failed(applyFullConversion(module, target, std::move(patterns))) || isRefused)
      return signalPassFailure();
    SmallVector<UnrealizedConversionCastOp> casts;
    module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
  }
};

} // namespace
