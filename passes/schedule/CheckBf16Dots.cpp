// SPDX-License-Identifier: Apache-2.0
// Lets dots of bf16 use the processor's instructions, which take and return zero instead of
// subnormal numbers, where the program finds that there are none. Test:
// test/passes/schedule/check-bf16-dots.mlir.
//
// Let e be the exponent of a number as stored, or 1 if the number is subnormal. It is a multiple of
// 2^(e - 134) and smaller than 2^(e - 126). Products of factors with exponents of at least x and y,
// and their sums, rounded or not, are multiples of 2^(x + y - 268); those that are not zero are
// normal if that is at least 2^-126. Where it is less, the left factor is multiplied by a power of
// two, which is exact, and the sums are divided by it again: the results of functions with a long
// tail, such as softmax and GELU, need that.
#include "compiler/hlo/Literal.h"
#include "compiler/hlo/Location.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Passes.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "passes/prepare/Preparation.h"
#include "passes/schedule/OperandPanels.h"
#include "passes/schedule/Strategies.h"
#include "passes/schedule/TileGroups.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_CHECKBF16DOTS
#include "passes/Passes.h.inc"
} // namespace hloc

/// Bits of a bf16 and of an f32 below the exponent, and bits of a bf16 without the sign.
static constexpr int64_t kFractionBits = 7, kFractionBitsF32 = 23, kMagnitude = 0x7fff;
/// The stored exponents of one in bf16 and f32, and of the largest finite number.
static constexpr int64_t kOne = 127, kLargest = 254;
/// The least sum of the exponents of two factors whose products are normal.
static constexpr int64_t kLeastExponents = 268 - 126;
/// The largest sum of the exponents of two factors whose product is smaller than 2^127.
static constexpr int64_t kMostExponents = 2 * 126 + 127;
/// The largest s such that 2^-s is normal.
static constexpr int64_t kMostScale = 126;
/// The largest part of the time with exact products that native ones may take with their check, and
/// the nanoseconds that they must save at least: the check costs code as well.
static constexpr double kLargestPart = 0.8, kLeastGain = 1000;

namespace {

/// A kernel with inputs `inputs` and results of types `types`; `build` makes them in its body.
KernelOp
makeKernel(OpBuilder &builder, Location loc, KernelKind kind, ValueRange inputs, TypeRange types,
           llvm::function_ref<SmallVector<Value>(Build build, ValueRange arguments)> build) {
  SmallVector<int64_t> reuse(types.size(), -1);
  auto made =
      KernelOp::create(builder, loc, types, inputs, kind, reuse, /*must_reuse=*/false, ArrayAttr());
  Block &block = made.getBody().emplaceBlock();
  for (Value input : inputs)
    block.addArgument(input.getType(), input.getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  ReturnOp::create(inner, loc, build(Build(inner, loc), block.getArguments()));
  return made;
}

/// A factor of a dot of a kernel.
struct Factor {
  /// The operations that compute it, and the arguments of the kernel that they or the dot read.
  SmallVector<Operation *> sources;
  llvm::SetVector<BlockArgument> arguments;
  Value value;

  explicit Factor(Value value) : sources(findSources(value)), value(value) {
    auto add = [&](Value operand) {
      if (auto argument = dyn_cast<BlockArgument>(operand))
        arguments.insert(argument);
    };
    add(value);
    for (Operation *source : sources)
      llvm::for_each(source->getOperands(), add);
  }

  /// True if another kernel can compute it as well.
  bool isPointwise() const {
    return llvm::all_of(sources,
                        [](Operation *op) { return isa<ConstantOp>(op) || fuse::isPointwise(op); });
  }
  /// The constant that it is; null if it is none.
  ConstantOp getConstant(KernelOp kernel) const {
    return sources.empty() ? getInputs(kernel)[0].getDefiningOp<ConstantOp>() : ConstantOp();
  }
  SmallVector<Value> getInputs(KernelOp kernel) const {
    return llvm::map_to_vector(arguments, [&](BlockArgument argument) -> Value {
      return kernel.getInputs()[argument.getArgNumber()];
    });
  }
};

/// The name of the instruction that `kernel` is from, with `suffix`.
Location nameAfter(KernelOp kernel, StringRef suffix) {
  Location loc = kernel.getLoc();
  FileLineColLoc position = getFilePosition(loc);
  StringRef name = getInstructionName(loc);
  if (!position || name.empty())
    return loc;
  OpBuilder builder(kernel);
  StringRef metadata = getMetadata(loc);
  return makeLocation(builder.getStringAttr(name + suffix), position,
                      metadata.empty() ? StringAttr() : builder.getStringAttr(metadata));
}

/// What a program finds out about the factors of a dot: arrays of rank 0.
struct Check {
  /// A tensor<i1>: the scaled products are normal.
  Value isNormal;
  /// Tensors of f32: what the left factor and the sums are multiplied by.
  Value scale, inverse;
};

/// The bits of the smallest magnitude of a factor that is not zero, minus one, or the largest
/// number if there is none; and of the largest magnitude. Both are tensor<ui16>.
struct Range {
  Value least, most;
};

/// The checks of a module. Their kernels are in front of the loops in which the factors are
/// invariant, and dots with a factor in common share its kernel.
class Checks {
public:
  /// Finds out before `kernel` about a dot of `depth` products of `left` and `right`.
  Check make(KernelOp kernel, const Factor &left, const Factor &right, int64_t depth) {
    Range x = getRange(kernel, left), y = getRange(kernel, right);
    OpBuilder builder(kernel);
    RankedTensorType number = RankedTensorType::get({}, builder.getF32Type()),
                     boolean = RankedTensorType::get({}, builder.getI1Type());
    KernelOp made = makeKernel(builder, nameAfter(kernel, ".check"), KernelKind::Loop,
                               {x.least, x.most, y.least, y.most}, {boolean, number, number},
                               [&](Build build, ValueRange ranges) {
                                 return decide(build, ranges, llvm::Log2_64_Ceil(depth));
                               });
    return {made.getResult(0), made.getResult(1), made.getResult(2)};
  }

private:
  /// The three values of a Check. The scale is the smallest that makes products normal, and at
  /// least 2^kFractionBits if there are subnormal numbers, so that these become normal. If it is
  /// not 1, no sum of 2^`depthBits` products may overflow that would not without it.
  static SmallVector<Value> decide(Build build, ValueRange ranges, int64_t depthBits) {
    Type s32 = build.builder.getIntegerType(32), f32 = build.builder.getF32Type();
    auto exponentOf = [&](Value magnitude) { return build.shiftRight(magnitude, kFractionBits); };
    auto widen = [&](Value bits) { return build.convert(bits, s32); };
    auto atLeast = [&](Value x, int64_t y) {
      return build.binary<MaximumOp>(x, build.splatLike(x, double(y)));
    };
    auto negate = [&](Value x) { return build.sub(build.splatLike(x, 0), x); };
    Value leastLeft = exponentOf(build.add(widen(ranges[0]), 1)),
          leastRight = exponentOf(build.add(widen(ranges[2]), 1)),
          mostLeft = exponentOf(widen(ranges[1])), mostRight = exponentOf(widen(ranges[3]));
    Value hasSubnormals = build.convert(build.compare(leastLeft, 0, Direction::EQ), s32);
    Value missing =
        build.add(negate(build.add(atLeast(leastLeft, 1), leastRight)), kLeastExponents);
    Value shift =
        build.binary<MaximumOp>(atLeast(missing, 0), build.mul(hasSubnormals, kFractionBits));
    Value fits = build.compare(build.add(shift, mostLeft), kLargest, Direction::LE);
    Value most = build.add(build.add(mostLeft, mostRight), build.add(shift, depthBits));
    fits = build.bitAnd(fits, build.compare(most, kMostExponents, Direction::LE));
    fits = build.bitAnd(fits, build.compare(shift, kMostScale, Direction::LE));
    Value isNormal = build.bitAnd(build.compare(leastRight, 1, Direction::GE),
                                  build.bitOr(build.compare(shift, 0, Direction::EQ), fits));
    auto powerOfTwo = [&](Value exponent) {
      Value bits = build.shiftLeft(build.add(exponent, kOne), kFractionBitsF32);
      return build.bitcastConvert(bits, f32);
    };
    return {isNormal, powerOfTwo(shift), powerOfTwo(negate(shift))};
  }

  Range getRange(KernelOp kernel, const Factor &factor) {
    if (ConstantOp constant = factor.getConstant(kernel))
      return findRange(kernel, constant);
    SmallVector<Value> inputs = factor.getInputs(kernel);
    bool isInput = factor.sources.empty();
    if (isInput)
      for (Range range : known[inputs[0]])
        if (isVisible(range.least, kernel))
          return range;
    Operation *before = kernel;
    while (auto loop = dyn_cast<LoopLikeOpInterface>(before->getParentOp())) {
      if (!llvm::all_of(inputs, [&](Value input) { return loop.isDefinedOutsideOfLoop(input); }))
        break;
      before = loop;
    }
    OpBuilder builder(before);
    Type bits = builder.getIntegerType(16, /*isSigned=*/false);
    RankedTensorType result = RankedTensorType::get({}, bits);
    KernelOp made = makeKernel(
        builder, nameAfter(kernel, ".range"), KernelKind::Reduce, inputs, {result, result},
        [&](Build build, ValueRange arguments) -> SmallVector<Value> {
          IRMapping mapping;
          for (auto [from, to] : llvm::zip(factor.arguments, arguments))
            mapping.map(from, to);
          for (Operation *source : factor.sources)
            build.builder.clone(*source, mapping);
          Value magnitudes = build.bitAnd(build.bitcastConvert(mapping.lookup(factor.value), bits),
                                          double(kMagnitude));
          SmallVector<int64_t> all = iotaVector(arrayType(magnitudes).getRank());
          return {build.reduce(build.sub(magnitudes, 1), build.highest(bits), all,
                               MinimumOp::getOperationName()),
                  build.reduce(magnitudes, build.lowest(bits), all, MaximumOp::getOperationName())};
        });
    if (llvm::all_of(inputs, isPrepared))
      made->setDiscardableAttr(kWorthHolding, builder.getUnitAttr());
    Range range{made.getResult(0), made.getResult(1)};
    if (isInput)
      known[inputs[0]].push_back(range);
    return range;
  }

  static Range findRange(KernelOp kernel, ConstantOp factor) {
    SmallVector<char> storage;
    ArrayRef<char> bytes = getLiteralBytes(cast<ElementsAttr>(factor.getValue()), storage);
    uint16_t least = std::numeric_limits<uint16_t>::max(), most = 0;
    for (const char *at = bytes.begin(); at != bytes.end(); at += sizeof(uint16_t)) {
      uint16_t magnitude;
      std::memcpy(&magnitude, at, sizeof magnitude);
      magnitude &= kMagnitude;
      least = std::min<uint16_t>(least, magnitude - 1);
      most = std::max(most, magnitude);
    }
    OpBuilder builder(kernel);
    Build build(builder, factor.getLoc());
    Type bits = builder.getIntegerType(16, /*isSigned=*/false);
    return {build.scalar(bits, APInt(16, least)), build.scalar(bits, APInt(16, most))};
  }

  /// True if `made` is computed before `user`, in its block or one around it.
  static bool isVisible(Value made, Operation *user) {
    Operation *op = made.getDefiningOp(), *around = op->getBlock()->findAncestorOpInBlock(*user);
    return around && op->isBeforeInBlock(around);
  }

  /// The ranges of arrays that are factors themselves.
  DenseMap<Value, SmallVector<Range, 1>> known;
};

/// Lets `kernel`, whose dot is `dot`, scale its left factor and the sums as `check` says, with
/// native products.
void scaleProducts(KernelOp kernel, DotOp dot, const Check &check) {
  Block &body = kernel.getBody().front();
  kernel.getInputsMutable().append(ValueRange{check.scale, check.inverse});
  Value scale = body.addArgument(check.scale.getType(), kernel.getLoc()),
        inverse = body.addArgument(check.inverse.getType(), kernel.getLoc());
  OpBuilder builder(dot);
  Build build(builder, dot.getLoc());
  Type f32 = builder.getF32Type();
  auto multiply = [&](Value array, Value factor) {
    return build.mul(array, build.broadcast(factor, arrayType(array).getShape(), {}));
  };
  // What is exact as a bf16 is rounded by leaving out bits.
  Value bits = build.bitcastConvert(multiply(build.convert(dot.getLhs(), f32), scale),
                                    builder.getIntegerType(32, /*isSigned=*/false));
  Value upper = build.convert(build.shiftRight(bits, kFractionBitsF32 - kFractionBits),
                              builder.getIntegerType(16, /*isSigned=*/false));
  Value scaled = build.bitcastConvert(upper, builder.getBF16Type());
  auto products = cast<DotOp>(builder.clone(*dot));
  products.getLhsMutable().assign(scaled);
  products.getResult().setType(RankedTensorType::get(arrayType(dot.getResult()).getShape(), f32));
  products->setAttr(kNoSubnormals, builder.getUnitAttr());
  Value sums = multiply(products.getResult(), inverse);
  dot.replaceAllUsesWith(build.convert(sums, arrayType(dot.getResult()).getElementType()));
  dot.erase();
}

struct CheckBf16Dots : hloc::impl::CheckBf16DotsBase<CheckBf16Dots> {
  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!target->hasBf16Dot || target->bf16Dot != Bf16Dot::Checked)
      return;
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    Checks checks;
    for (KernelOp kernel : kernels) {
      auto dots = kernel.getBody().front().getOps<DotOp>();
      if (kernel.getKind() != KernelKind::Dot || kernel.getMustReuse() ||
          kernel.getSchedulesAttr() || kernel->hasAttr(kTileGroups) ||
          !llvm::hasSingleElement(dots))
        continue;
      DotOp dot = *dots.begin();
      Factor left(dot.getLhs()), right(dot.getRhs());
      if (!left.isPointwise() || !right.isPointwise() ||
          !isWorthwhile(kernel, dot, {left, right}, *target))
        continue;
      guard(kernel, dot, checks.make(kernel, left, right, DotProblem(dot).depth));
      ++checked;
    }
  }

  /// True if native products and their check take so much less time than exact products that
  /// they are worth it.
  static bool isWorthwhile(KernelOp kernel, DotOp dot, ArrayRef<Factor> factors,
                           const Target &target) {
    if (!DotProblem(dot).factorIsBf16())
      return false;
    KernelProblem problem = makeProblem(kernel, target);
    double exact = chooseSchedule(problem).best.time;
    auto isKnown = [](Value input) {
      return isPrepared(input) || input.getDefiningOp<ConstantOp>();
    };
    double time = problem.costs.getLaunchTime();
    for (const Factor &factor : factors) {
      double bytes = fuse::bytesOf(factor.value.getType());
      if (!llvm::all_of(factor.getInputs(kernel), isKnown))
        time += problem.costs.getLaunchTime() + bytes * problem.costs.getStreamTime(bytes);
    }
    dot->setAttr(kNoSubnormals, UnitAttr::get(dot.getContext()));
    time += chooseSchedule(problem).best.time;
    dot->removeAttr(kNoSubnormals);
    return time < kLargestPart * exact && time + kLeastGain < exact;
  }

  /// Replaces `kernel`, whose dot is `dot`, by two, of which `check` chooses one.
  static void guard(KernelOp kernel, DotOp dot, const Check &check) {
    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    Value condition = tensor::ExtractOp::create(builder, loc, check.isNormal, ValueRange());
    auto choice = scf::IfOp::create(builder, loc, kernel.getResultTypes(), condition,
                                    /*withElseRegion=*/true);
    kernel.replaceAllUsesWith(choice);
    OpBuilder otherwise = choice.getElseBodyBuilder();
    auto exact = cast<KernelOp>(otherwise.clone(*kernel));
    exact->setLoc(nameAfter(kernel, ".exact"));
    exact->setAttr(kFallback, builder.getUnitAttr());
    scf::YieldOp::create(otherwise, loc, exact.getResults());
    kernel->moveBefore(choice.thenBlock(), choice.thenBlock()->end());
    scaleProducts(kernel, dot, check);
    OpBuilder then = OpBuilder::atBlockEnd(choice.thenBlock());
    scf::YieldOp::create(then, loc, kernel.getResults());
  }
};

} // namespace
