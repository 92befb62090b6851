// SPDX-License-Identifier: Apache-2.0
// libFuzzer target from text to values: what parser and verifier accept, the evaluator must run to
// a result of the declared shape or end with an error that has a location, within its limits of
// steps, memory and time. How to run it: README.md.
#include "compiler/evaluator/core/Evaluator.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Verify.h"
#include "compiler/text/Parser.h"
#include "test/fuzz/Session.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::fuzz;

/// Memory for the arguments, and for the arrays of one evaluation.
constexpr int64_t kMaxArgumentBytes = 1 << 16, kMaxBytes = 1 << 22;

/// A value of the type whose elements are small whole numbers.
static evaluator::Value makeValue(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    std::vector<evaluator::Value> elements;
    for (Type element : tuple.getTypes())
      elements.push_back(makeValue(element));
    return evaluator::Value::makeTuple(std::move(elements));
  }
  if (auto buffer = dyn_cast<hlo::BufferType>(type))
    return makeValue(buffer.getContents());
  auto array = evaluator::getArrayType(type);
  if (!array)
    return evaluator::Value();
  evaluator::Array value(array->first, array->second);
  char *bytes = value.mutableData();
  // The first byte of every element: 0 and 1 are fit for pred and in range for indices.
  for (int64_t i = 0; i < value.getCount(); ++i)
    bytes[i * evaluator::getBytes(array->first)] = (i * 7 + 3) % 5 % 2;
  return value;
}

/// Whether a result is what its declared type promises, as far as sizes are known.
static bool fits(const evaluator::Value &value, Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    if (!value.isTuple() || value.getTupleSize() != tuple.size())
      return false;
    for (auto [i, element] : llvm::enumerate(tuple.getTypes()))
      if (!fits(value.getElement(i), element))
        return false;
    return true;
  }
  if (auto buffer = dyn_cast<hlo::BufferType>(type))
    return fits(value, buffer.getContents());
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array)
    return true;
  if (!value.isArray() || value.getArray().shape.size() != size_t(array.getRank()))
    return false;
  for (auto [have, want] : llvm::zip(value.getArray().shape, array.getShape()))
    if (!ShapedType::isDynamic(want) && have != want)
      return false;
  auto element = evaluator::getElementType(array.getElementType());
  return element && *element == value.getArray().type;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  MLIRContext &context = getContext();
  ErrorCount errors(context);
  OwningOpRef<ModuleOp> module = hloc::parseHlo(text, "fuzz.hlo", &context);
  if (!module || failed(hloc::hlo::verifyModule(*module)))
    return 0;
  hlo::ComputationOp entry;
  for (auto computation : module->getOps<hlo::ComputationOp>())
    if (computation.getEntry())
      entry = computation;
  if (!entry)
    fault("a module without an entry", text);
  int64_t bytes = 0;
  for (Type type : entry.getArgumentTypes())
    bytes = std::min(kMaxArgumentBytes + 1,
                     bytes + std::min(kMaxArgumentBytes + 1, evaluator::getByteCount(type)));
  if (bytes > kMaxArgumentBytes)
    return 0;
  evaluator::Options options;
  options.maxSteps = 1 << 16;
  options.maxBytes = kMaxBytes;
  options.maxSeconds = 1;
  auto count = [&](StringRef name) {
    auto attribute = (*module)->getAttrOfType<IntegerAttr>(name);
    return attribute ? std::clamp<int64_t>(attribute.getInt(), 1, 2) : 1;
  };
  options.replicas = count("hlo.replica_count");
  options.partitions = count("hlo.num_partitions");
  std::vector<evaluator::Participant> participants(options.replicas * options.partitions);
  for (evaluator::Participant &participant : participants)
    for (Type type : entry.getArgumentTypes())
      participant.arguments.push_back(makeValue(type));
  bool done = succeeded(evaluator::evaluate(*module, participants, options));
  if (!done && !errors.any())
    fault("ended without an error", text);
  if (!errors.allPlaced())
    fault("an error without a place: " + errors.getUnplaced().str(), text);
  for (const evaluator::Participant &participant : participants)
    if (done && !fits(participant.result, entry.getResultTypes()[0]))
      fault("the result is not of the declared shape", text);
  return 0;
}
