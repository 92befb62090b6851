// SPDX-License-Identifier: Apache-2.0
// hlo-run --evaluate: conversion between the tool's arrays and the evaluator's values.
#include "compiler/driver/HloRunMain.h"
#include <chrono>
#include <cstring>

using namespace mlir;

namespace hloc {

/// Builds the value of a type from its leaves, which are taken from the front of `leaves`.
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

/// The arrays in a value, depth first.
static std::vector<HostArray> toArrays(MLIRContext *context, evaluator::Value &value) {
  std::vector<HostArray> arrays;
  SmallVector<evaluator::Value> leaves;
  value.flatten(leaves);
  for (evaluator::Value &leaf : leaves) {
    evaluator::Array &array = leaf.getArray();
    auto type = RankedTensorType::get(array.shape, evaluator::getMlirType(context, array.type));
    arrays.emplace_back(type, std::vector<char>(array.data(), array.data() + array.getByteCount()));
  }
  return arrays;
}

/// The host's data for a participant, from the first array on.
static auto makeFeed(size_t participant, const RunOptions &options) {
  return [participant, next = size_t(0),
          &options](Type type) mutable -> llvm::Expected<evaluator::Value> {
    std::vector<HostArray> arrays;
    for (RankedTensorType leaf : flattenType(type)) {
      llvm::Expected<HostArray> array = readInfeed(leaf, next++, participant, options);
      if (!array)
        return array.takeError();
      arrays.push_back(std::move(*array));
    }
    ArrayRef<HostArray> leaves = arrays;
    return buildValue(type, leaves);
  };
}

RunStatus runEvaluated(ModuleOp module, const RunOptions &options, const ParticipantArrays &inputs,
                       ParticipantArrays &outputs, ParticipantArrays &outfeed,
                       Measurements &measurements, const evaluator::Observer &observer) {
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
    for (auto [i, participant, arrays] : llvm::enumerate(participants, inputs)) {
      participant.feed = makeFeed(i, options);
      ArrayRef<HostArray> leaves = arrays;
      for (Type type : entry.getArgumentTypes())
        participant.arguments.push_back(buildValue(type, leaves));
    }
    double start = elapsed();
    if (failed(evaluator::evaluate(module, participants, limits, observer)))
      return RunStatus::Refused;
    times.push_back(elapsed() - start);
  } while (elapsed() < options.benchmarkSeconds);
  llvm::sort(times);
  measurements.runSeconds = times[times.size() / 2];
  measurements.runs = times.size();

  for (evaluator::Participant &participant : participants) {
    outputs.push_back(toArrays(module.getContext(), participant.result));
    std::vector<HostArray> &given = outfeed.emplace_back();
    for (evaluator::Value &value : participant.outfeed)
      llvm::append_range(given, toArrays(module.getContext(), value));
  }
  return RunStatus::Done;
}

std::vector<ErrorBound> deriveErrorBounds(hlo::ComputationOp entry, const ParticipantArrays &inputs,
                                          const Observations &observations, bool flushes) {
  std::vector<Magnitude> arguments(inputs.front().size());
  for (const std::vector<HostArray> &arrays : inputs)
    for (auto [size, array] : llvm::zip(arguments, arrays))
      size.add(measure(array));
  return deriveErrorBounds(entry, arguments, observations, flushes);
}

} // namespace hloc
