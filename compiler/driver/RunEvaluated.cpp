// SPDX-License-Identifier: Apache-2.0
// hlo-run --evaluate: between the tool's arrays and the evaluator's values.
#include "compiler/driver/HloRunMain.h"
#include "compiler/evaluator/Evaluator.h"
#include <chrono>
#include <cstring>

using namespace mlir;

namespace hloc {

/// The value of a type from its leaves, which are taken from the front of `leaves`.
static evaluator::Value buildValue(Type type, ArrayRef<HostArray> &leaves) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    std::vector<evaluator::Value> elements;
    for (Type element : tuple.getTypes())
      elements.push_back(buildValue(element, leaves));
    return evaluator::Value::makeTuple(std::move(elements));
  }
  if (auto buffer = dyn_cast<hlo::BufferType>(type))
    return buildValue(buffer.getContents(), leaves);
  if (!isa<RankedTensorType>(type))
    return evaluator::Value();
  const HostArray &leaf = leaves.front();
  leaves = leaves.drop_front();
  auto element = evaluator::getElementType(leaf.getElementType());
  if (!element)
    return evaluator::Value();
  evaluator::Array array(*element, leaf.type.getShape());
  std::memcpy(array.mutableData(), leaf.bytes.data(), leaf.bytes.size());
  return array;
}

RunStatus runEvaluated(ModuleOp module, const RunOptions &options, const ParticipantArrays &inputs,
                       ParticipantArrays &outputs, Measurements &measurements) {
  hlo::ComputationOp entry = findEntry(module);
  evaluator::Options limits;
  limits.replicas = options.replicas;
  limits.partitions = options.partitions;
  limits.maxSteps = options.maxSteps;
  limits.maxSeconds = options.maxSeconds;
  limits.maxBytes = options.maxMegabytes << 20;
  limits.seed = options.seed;

  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> times;
  std::vector<evaluator::Participant> participants;
  do {
    participants.assign(inputs.size(), {});
    for (auto [participant, arrays] : llvm::zip(participants, inputs)) {
      ArrayRef<HostArray> leaves = arrays;
      for (Type type : entry.getArgumentTypes())
        participant.arguments.push_back(buildValue(type, leaves));
    }
    double start = elapsed();
    if (failed(evaluator::evaluate(module, participants, limits)))
      return RunStatus::Refused;
    times.push_back(elapsed() - start);
  } while (elapsed() < options.benchmarkSeconds);
  llvm::sort(times);
  measurements.runSeconds = times[times.size() / 2];
  measurements.runs = times.size();

  for (evaluator::Participant &participant : participants) {
    std::vector<HostArray> &arrays = outputs.emplace_back();
    SmallVector<evaluator::Value> leaves;
    participant.result.flatten(leaves);
    for (evaluator::Value &leaf : leaves) {
      evaluator::Array &array = leaf.getArray();
      auto type = RankedTensorType::get(array.shape,
                                        evaluator::getMlirType(module.getContext(), array.type));
      arrays.emplace_back(type,
                          std::vector<char>(array.data(), array.data() + array.getByteCount()));
    }
  }
  return RunStatus::Done;
}

} // namespace hloc
