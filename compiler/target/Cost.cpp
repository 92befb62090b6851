// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/Cost.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Loads of an expansion that are in flight at the same time.
static constexpr double kLoadsAtOnce = 2;

/// The fraction of such an expansion's instructions that are in one chain of dependences:
/// polynomials are computed in two chains.
static constexpr double kChainShare = 0.5;

/// The most iterations, and operations of all iterations together, of a loop that is unrolled.
static constexpr int64_t kMostTrips = 8, kMostOperations = 320;
/// The fewest elements of an array that is worth keeping in registers.
static constexpr int64_t kMinElements = 1024;

bool CostModel::isWorthUnrolling(int64_t trips, int64_t operations, int64_t elements) {
  return trips <= kMostTrips && trips * operations <= kMostOperations && elements >= kMinElements;
}

/// The fewest elements of a row, and the most vectors, for which folding lanes takes long: rows of
/// fewer elements are transposed in registers at little cost.
static constexpr int64_t kFewestTurned = 4, kMostTurnedVectors = 4;

bool CostModel::isWorthTurning(int64_t elements, int64_t lanes) {
  return elements >= kFewestTurned && elements <= kMostTurnedVectors * lanes;
}

/// The fewest uses of each element of an array for which it is transposed.
static constexpr int64_t kFewestUses = 8;

bool CostModel::isTransposedCheaply(int64_t elements, int64_t uses) {
  return kFewestUses * elements <= uses;
}

/// Instructions of the expansions in codegen/math for a vector of f32, and of single instructions
/// with what surrounds them (moves, constants).
static double getClassInstructions(hlo::CostClass costClass) {
  switch (costClass) {
  case hlo::CostClass::Free:
    return 0;
  case hlo::CostClass::Simple:
    return 2;
  case hlo::CostClass::Steps:
    return 4;
  case hlo::CostClass::Bits:
    return 8;
  case hlo::CostClass::Exponential:
    return 18;
  case hlo::CostClass::Logarithm:
    return 22;
  case hlo::CostClass::Trigonometric:
    return 30;
  case hlo::CostClass::Inverse:
    return 44;
  case hlo::CostClass::Power:
    return 60;
  case hlo::CostClass::Remainder:
    return 80;
  case hlo::CostClass::Divide: // of integers: in floats, with corrections
    return 60;
  case hlo::CostClass::Root:
  case hlo::CostClass::Gather:
    return 2;
  }
  llvm_unreachable("every class has its instructions");
}

int64_t getComputedBits(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getComputedBits(complex.getElementType());
  if (!type.isIntOrFloat())
    return 8;
  int64_t bits = type.getIntOrFloatBitWidth();
  return std::max<int64_t>(bits, isa<FloatType>(type) ? 32 : 8);
}

/// The widest type that `op` computes with: comparisons and conversions use the operand's.
static Type getComputedType(Operation *op) {
  Type widest = getElementTypeOrSelf(op->getResult(0).getType());
  for (Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand.getType());
    if (getComputedBits(element) > getComputedBits(widest))
      widest = element;
  }
  return widest;
}

/// True for remainders of floats whose divisor is a constant 2^k >= 1: those take few instructions
/// (codegen/math/Rounding.cpp).
static bool dividesByPowerOfTwo(Operation *op) {
  Value divisor = op->getOperand(1);
  while (auto broadcast = divisor.getDefiningOp<hlo::BroadcastOp>())
    divisor = broadcast.getOperand();
  APFloat constant(0.0);
  return matchPattern(divisor, m_ConstantFloat(&constant)) && constant.getExactLog2Abs() >= 0;
}

double CostModel::getInstructions(Operation *op) {
  if (op->getNumResults() == 0)
    return 0;
  Type element = getComputedType(op);
  hlo::CostClass costClass = hlo::getCostClass(op);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    if (costClass == hlo::CostClass::Simple) // a multiplication has four products, two sums
      return 3 * getClassInstructions(costClass);
  }
  if (isa<FloatType>(element) && costClass == hlo::CostClass::Divide)
    return getClassInstructions(hlo::CostClass::Root);
  double instructions = getClassInstructions(costClass);
  if (costClass == hlo::CostClass::Remainder && isa<IntegerType>(element))
    instructions = getClassInstructions(hlo::CostClass::Divide) + 4;
  else if (costClass == hlo::CostClass::Remainder && dividesByPowerOfTwo(op))
    instructions = 3 * getClassInstructions(hlo::CostClass::Simple);
  if (isa<hlo::ConcatenateOp>(op)) // the operand is determined for each element
    instructions *= 1 + op->getNumOperands();
  // Narrow floats are widened and rounded again.
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto narrow = dyn_cast<FloatType>(result); narrow && narrow.getWidth() < 32)
    instructions += narrow.getWidth() < 16 ? 8 : 2;
  return instructions;
}

/// Cycles for one vector register of elements of type `element`.
double CostModel::getVectorCycles(Operation *op, Type element) const {
  hlo::CostClass costClass = hlo::getCostClass(op);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  bool isWide = getComputedBits(element) > 32;
  if (isa<FloatType>(element) && costClass == hlo::CostClass::Divide)
    return isWide ? machine.costs.divideF64 : machine.costs.divideF32;
  if (costClass == hlo::CostClass::Root)
    return isWide ? machine.costs.rootF64 : machine.costs.rootF32;
  return getInstructions(op) / machine.rates.simple;
}

double CostModel::getElementTime(Operation *op) const {
  if (op->getNumResults() == 0)
    return 0;
  Type element = getComputedType(op);
  double lanes = vectorBytes * 8.0 / getComputedBits(element);
  double cycles = getVectorCycles(op, element) / lanes;
  if (hlo::getCostClass(op) == hlo::CostClass::Gather)
    cycles += machine.costs.gatherElement;
  return machine.getNanoseconds(cycles);
}

double CostModel::getScalarTime(Operation *op) const {
  if (op->getNumResults() == 0)
    return 0;
  return machine.getNanoseconds(getVectorCycles(op, getComputedType(op)));
}

double CostModel::getLatency(Operation *op) const {
  if (op->getNumResults() == 0)
    return 0;
  Type element = getComputedType(op);
  double cycles = getVectorCycles(op, element),
         step = isa<IntegerType>(element) ? 1 : machine.rates.multiplyAddLatency;
  switch (hlo::getCostClass(op)) {
  case hlo::CostClass::Free:
    return 0;
  case hlo::CostClass::Simple:
    return machine.getNanoseconds(step);
  case hlo::CostClass::Root:
    return machine.getNanoseconds(cycles + 2 * step);
  case hlo::CostClass::Gather:
    return machine.getNanoseconds(cycles + machine.l1.latency);
  case hlo::CostClass::Divide:
    if (isa<FloatType>(element))
      return machine.getNanoseconds(cycles + 2 * step);
    [[fallthrough]];
  default:
    return machine.getNanoseconds(kChainShare * cycles * machine.rates.simple * step);
  }
}

double CostModel::getElementTime(Block &body) const {
  int64_t widest = 8;
  for (BlockArgument argument : body.getArguments())
    widest = std::max(widest, getComputedBits(getElementTypeOrSelf(argument.getType())));
  double lanes = std::max(1.0, vectorBytes * 8.0 / widest);
  double time = machine.getNanoseconds((1 / machine.rates.load + 1 / machine.rates.store) / lanes);
  for (Operation &op : body)
    time += getElementTime(&op);
  return time;
}

bool CostModel::isExpensive(Operation *op) const {
  // In cycles per vector: the latency of a load that hits L1.
  return getVectorCycles(op, getComputedType(op)) >= machine.l1.latency;
}

double CostModel::getReloadTime() const {
  // A load, the computation of its address, and its latency, for 32-bit elements.
  double lanes = vectorBytes / 4.0;
  return machine.getNanoseconds(1.5 / lanes);
}

double CostModel::getGatherTime(int64_t bits) const {
  const Rates &rates = machine.rates;
  if (bits >= kGatheredBits)
    return fromCycles(machine.costs.gatherElement);
  // There is no instruction for narrow elements: each is loaded and inserted.
  return fromCycles(std::max(machine.costs.gatherElement, 1 / rates.load + 1 / rates.shuffle));
}

double CostModel::getInterleaveTime(int64_t count) const {
  // Pairs are halved with one shuffle; what remains is inserted one by one.
  int64_t halvings = llvm::countr_zero(uint64_t(count));
  return machine.getNanoseconds(double(halvings + (count >> halvings) - 1) / machine.rates.shuffle);
}

double CostModel::getRowTileTime(int64_t lanes, int64_t columns) const {
  double loads = double(lanes) / double(columns), shuffles = llvm::Log2_64(uint64_t(columns));
  return machine.getNanoseconds(loads / machine.rates.load + shuffles / machine.rates.shuffle);
}

int64_t CostModel::getTaskCount(double time) const {
  return int64_t(llvm::PowerOf2Ceil(uint64_t(std::max(1.0, time / getTaskTime()))));
}

double CostModel::getMissTime(double bytes) const {
  bool isNear = bytes <= double(machine.getLargestShare());
  return (isNear ? machine.getNanoseconds(machine.l3.latency) : machine.memory.latency) /
         kLoadsAtOnce;
}

double CostModel::getMultiplyAddTime(Type element) const {
  double lanes = vectorBytes * 8.0 / getComputedBits(element);
  double cycles = 1 / (machine.rates.multiplyAdd * lanes);
  return machine.getNanoseconds(isa<ComplexType>(element) ? 4 * cycles / 2 : cycles);
}

double CostModel::getGroupSpeed(int64_t group, bool isBf16) const {
  const Rates &rates = machine.rates;
  double rate = rates.multiplyAdd;
  if (group == 2 && isBf16)
    rate = rates.bf16Product;
  else if (group == 2 && rates.pairProduct > 0)
    rate = 1 / (1 / rates.pairProduct + 1 / rates.simple); // the sum is an instruction of its own
  else if (group == 4)
    rate = rates.quadProduct;
  // A machine's description may say nothing of an instruction that it has.
  return double(group) * (rate > 0 ? rate / rates.multiplyAdd : 1);
}

} // namespace hloc
