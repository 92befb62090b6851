// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/SelfTest.h"
#include "codegen/object/TargetMachine.h"
#include "compiler/driver/HloRunMain.h"
#include "compiler/driver/RandomInputs.h"
#include "passes/frontend/LocalizeEntry.h"
#include "passes/frontend/NotSupported.h"
#include "runtime/program/Processor.h"
#include "runtime/program/Sample.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Format.h"
#include "llvm/TargetParser/Triple.h"
#include <chrono>

using namespace mlir;

namespace hloc {

/// Maximum bytes of expected results in a self-test; larger ones are sampled.
static constexpr int64_t kMostBytes = int64_t(16) << 20;
/// The time after which an evaluation first reports its progress.
static constexpr double kSilentSeconds = 5;

LogicalResult checkSelfTest(ModuleOp source) {
  WalkResult found = source.walk([](Operation *op) {
    bool asks = isa<hlo::InfeedOp, hlo::OutfeedOp>(op);
    if (auto send = dyn_cast<hlo::SendOp>(op))
      asks = send.getIsHostTransfer();
    if (auto recv = dyn_cast<hlo::RecvOp>(op))
      asks = recv.getIsHostTransfer();
    if (!asks)
      return WalkResult::advance();
    StringRef opcode = op->getName().stripDialect();
    emitNotSupported(op->getLoc(), "a self-test of a module with `" + opcode +
                                       "`, which needs a host to exchange data with,");
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

namespace {

/// Reports the progress of an evaluation.
class Progress {
public:
  Progress(hlo::ComputationOp entry, int64_t participants)
      : entry(entry),
        total(participants * std::distance(entry.getBody().front().without_terminator().begin(),
                                           entry.getBody().front().without_terminator().end())) {}

  void ran(Operation *op) {
    done += op->getParentOp() == entry;
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds < next)
      return;
    next = 2 * seconds; // less and less often
    llvm::errs() << "hloc: computing what is expected with the reference evaluator, instruction "
                 << done << " of " << total << llvm::format(" after %.0f s\n", seconds);
  }

private:
  using Clock = std::chrono::steady_clock;
  Operation *entry;
  int64_t total, done = 0;
  double next = kSilentSeconds;
  Clock::time_point start = Clock::now();
};

/// The maximum bytes that each of these arrays may keep so that all of them keep at most
/// kMostBytes: small ones leave their share to the others.
int64_t findShare(std::vector<int64_t> sizes) {
  llvm::sort(sizes);
  int64_t left = kMostBytes;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t share = left / int64_t(sizes.size() - i);
    if (size > share)
      return share;
    left -= size;
  }
  return kMostBytes;
}

ExpectedResult keep(const HostArray &array, const ErrorBound &bound, int64_t share) {
  Type element = array.getElementType();
  ExpectedResult kept;
  kept.shape = SmallVector<int64_t>(array.type.getShape());
  kept.tolerance = toTolerance(bound, element);
  if (!bound.isExact())
    kept.bound = describe(bound, element);
  int64_t count = array.getCount(), size = count ? int64_t(array.bytes.size()) / count : 1;
  kept.count = std::min(count, std::max<int64_t>(share / size, 1));
  for (int64_t i = 0; i < kept.count; ++i) {
    auto from = array.bytes.begin() + runtime::getSamplePosition(i, kept.count, count) * size;
    kept.elements.insert(kept.elements.end(), from, from + size);
  }
  return kept;
}

/// Warns of a result that tells nothing.
void warn(hlo::ComputationOp entry, size_t number, const ExpectedResult &result, Type type) {
  Location place = entry.getBody().front().getTerminator()->getOperand(0).getLoc();
  const runtime::Element &element = findElement(type);
  const char *expected = result.elements.data();
  if (element.admitsZeros(result.tolerance, expected, result.count))
    emitWarning(place) << "the self-test does not check result " << number << ": it may be "
                       << result.bound << ", so even zeros would pass";
  auto isNan = [&](int64_t i) {
    ElementValue value = element.read(expected + i * element.getBytes());
    return std::isnan(value.real) || std::isnan(value.imaginary);
  };
  if (result.count && llvm::all_of(llvm::seq<int64_t>(0, result.count), isNan))
    emitWarning(place) << "the self-test hardly checks result " << number
                       << ": it is NaN everywhere on these random inputs";
}

/// Runs the code here, keeps the fingerprint of its results and warns of those that are not as
/// expected.
void tryHere(SelfTest &test, hlo::ComputationOp entry, const CompiledModule &compiled,
             const ParticipantArrays &inputs, const ParticipantArrays &expected,
             ArrayRef<ErrorBound> bounds) {
  Location place = entry.getBody().front().getTerminator()->getOperand(0).getLoc();
  llvm::Expected<ParticipantArrays> results = trySelfTest(test, compiled, inputs);
  if (!results) {
    emitWarning(place) << "the self-test fails on this machine: "
                       << llvm::toString(results.takeError());
    return;
  }
  runtime::Fingerprint bits;
  for (auto [arrays, others] : llvm::zip(*results, expected))
    for (auto [i, array] : llvm::enumerate(arrays)) {
      bits.add(array.bytes.data(), array.bytes.size());
      Tolerance tolerance = toTolerance(bounds[i], array.getElementType());
      std::string difference = findDifference(array, others[i], tolerance);
      if (!difference.empty())
        emitWarning(place)
            << "the self-test fails on this machine, perhaps with these inputs alone "
               "(--seed makes others): result "
            << i << " " << difference;
    }
  if (!results->empty())
    test.bits = bits.get();
}

/// The features of a target that programs can check for.
std::vector<std::string> listNeededFeatures(const Target &target) {
  llvm::Triple triple(target.triple);
  auto architecture = triple.isX86()       ? runtime::Architecture::X86
                      : triple.isAArch64() ? runtime::Architecture::AArch64
                                           : runtime::Architecture::RiscV;
  TargetMachineHandle machine = borrowTargetMachine(target);
  const llvm::MCSubtargetInfo &processor = *machine->getMCSubtargetInfo();
  std::vector<std::string> needed;
  for (std::string_view name : runtime::listFeatures(architecture))
    if (processor.checkFeatures("+" + std::string(name)))
      needed.emplace_back(name);
  return needed;
}

} // namespace

FailureOr<SelfTest> makeSelfTest(ModuleOp source, StringRef file, const CompiledModule &compiled,
                                 uint64_t seed) {
  hlo::ComputationOp entry = findEntry(source);
  if (!entry || failed(localizeEntry(source)))
    return failure();
  const ModuleInterface &interface = compiled.interface;
  RunOptions options;
  options.module = file;
  options.seed = seed;
  options.compare = true; // so that there are inputs for all participants
  if (interface.needsParticipants) {
    options.replicas = interface.replicas;
    options.partitions = interface.partitions;
  }
  options.countHere = options.getParticipants();
  SelfTest test;
  test.seed = seed;
  test.participants = options.getParticipants();
  test.features = listNeededFeatures(compiled.targets.front());
  for (BlockArgument parameter : entry.getBody().getArguments())
    test.indexBounds.insert(test.indexBounds.end(), flattenType(parameter.getType()).size(),
                            findIndexBound(parameter));
  test.indexBounds.resize(interface.arguments.size()); // sizes come last

  ParticipantArrays inputs, outputs, outfeed;
  if (readInputs(entry, options, inputs) != InputError::None)
    return failure();
  runtime::Fingerprint fingerprint;
  for (const std::vector<HostArray> &arrays : inputs)
    for (const HostArray &array : arrays)
      fingerprint.add(array.bytes.data(), array.bytes.size());
  test.inputs = fingerprint.get();

  Observations observations;
  Progress progress(entry, test.participants);
  auto watch = [&](Operation *op, ArrayRef<evaluator::Value> results) {
    observe(observations, op, results);
    progress.ran(op);
  };
  Measurements ignored;
  if (runEvaluated(source, options, inputs, outputs, outfeed, ignored, watch) != RunStatus::Done)
    return failure();
  std::vector<ErrorBound> bounds =
      deriveErrorBounds(entry, inputs, observations, compiled.targets.front().flushSubnormals);
  bounds.resize(outputs.front().size());
  std::vector<int64_t> sizes;
  for (const std::vector<HostArray> &arrays : outputs)
    for (const HostArray &array : arrays)
      sizes.push_back(int64_t(array.bytes.size()));
  int64_t share = findShare(std::move(sizes));
  for (auto [participant, arrays] : llvm::enumerate(outputs)) {
    size_t next = 0;
    for (const Port &port : interface.results) {
      if (port.sizeOf >= 0) {
        test.results.emplace_back();
        continue;
      }
      test.results.push_back(keep(arrays[next], bounds[next], share));
      if (participant == 0)
        warn(entry, next, test.results.back(), port.type.getElementType());
      ++next;
    }
  }
  tryHere(test, entry, compiled, inputs, outputs, bounds);
  return test;
}

} // namespace hloc
