// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/RunFiles.h"
#include "compiler/driver/Npy.h"
#include "compiler/driver/RandomInputs.h"
#include "compiler/hlo/Literal.h"
#include "compiler/hlo/Location.h"
#include "compiler/hlo/infer/Shape.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace hloc {

hlo::ComputationOp findEntry(ModuleOp module) {
  for (auto computation : module.getOps<hlo::ComputationOp>())
    if (computation.getEntry())
      return computation;
  return nullptr;
}

static void flattenInto(Type type, SmallVectorImpl<RankedTensorType> &leaves) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type element : tuple.getTypes())
      flattenInto(element, leaves);
  } else if (auto buffer = dyn_cast<hlo::BufferType>(type)) {
    flattenInto(buffer.getContents(), leaves);
  } else if (auto array = dyn_cast<RankedTensorType>(type)) {
    leaves.push_back(hlo::Shape(array).getType());
  }
}

SmallVector<RankedTensorType> flattenType(Type type) {
  SmallVector<RankedTensorType> leaves;
  flattenInto(type, leaves);
  return leaves;
}

/// `out3.npy`, or `out3.p1.npy` for participant 1 of several.
static std::string fileName(StringRef prefix, size_t index, size_t participant,
                            const RunOptions &options) {
  std::string name = (prefix + Twine(index)).str();
  if (options.getParticipants() > 1)
    name += (".p" + Twine(participant)).str();
  return name + ".npy";
}

static std::string inFolder(StringRef folder, StringRef file) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  return std::string(path);
}

/// Maximum bytes of an array of this type; approximate, because the exact number may exceed 64
/// bits.
static double countBytes(RankedTensorType type) {
  double bytes = double(hlo::getLiteralElementBytes(type.getElementType()));
  for (int64_t extent : hlo::getBounds(type))
    bytes *= double(std::max<int64_t>(extent, 0));
  return bytes;
}

InputError readInputs(hlo::ComputationOp entry, const RunOptions &options,
                      ParticipantArrays &inputs) {
  struct Leaf {
    RankedTensorType type;
    BlockArgument parameter;
  };
  SmallVector<Leaf> leaves;
  for (BlockArgument parameter : entry.getBody().getArguments())
    for (RankedTensorType type : flattenType(parameter.getType()))
      leaves.push_back({type, parameter});
  if (!options.inputs.empty() && options.inputs.size() != leaves.size()) {
    llvm::errs() << "hlo-run: the module has " << leaves.size() << " inputs, but --input is given "
                 << options.inputs.size() << " times\n";
    return InputError::WrongUsage;
  }
  for (auto [i, leaf] : llvm::enumerate(leaves))
    if (llvm::is_contained(hlo::getBounds(leaf.type), hlo::kUnbounded)) {
      llvm::errs() << options.module << ": error: input " << i
                   << " has a dimension without a bound\n";
      return InputError::Refused;
    }
  double bytes = 0;
  for (const Leaf &leaf : leaves)
    bytes += countBytes(leaf.type);
  for (Type result : entry.getBody().front().getTerminator()->getOperandTypes())
    for (RankedTensorType type : flattenType(result))
      bytes += countBytes(type);
  if (bytes * double(options.getParticipants()) > double(options.maxMegabytes) * (1 << 20)) {
    llvm::errs() << options.module << ": error: the inputs and results do not fit in memory\n";
    return InputError::Refused;
  }
  bool fromFiles = !options.inputs.empty() || !options.inputsFrom.empty();
  for (int64_t participant = 0; participant < options.getParticipants(); ++participant) {
    std::vector<HostArray> &arrays = inputs.emplace_back();
    if (!options.isHere(participant) && !options.compare) // the evaluator runs all participants
      continue;
    for (auto [i, leaf] : llvm::enumerate(leaves)) {
      if (!fromFiles) {
        uint64_t seed = options.seed + (uint64_t(participant) << 32) + i;
        arrays.push_back(makeRandomArray(leaf.type, seed, findIndexBound(leaf.parameter)));
        continue;
      }
      std::string path = options.inputs.empty()
                             ? inFolder(options.inputsFrom, fileName("in", i, participant, options))
                             : options.inputs[i];
      StringRef name = hlo::getInstructionName(leaf.parameter.getLoc());
      std::string role =
          name.empty() ? "input " + std::to_string(i) : ("parameter '" + name + "'").str();
      llvm::Expected<HostArray> array = readNpy(path, leaf.type, role);
      if (!array) {
        llvm::errs() << llvm::toString(array.takeError()) << '\n';
        return InputError::Refused;
      }
      arrays.push_back(std::move(*array));
    }
  }
  return InputError::None;
}

llvm::Expected<HostArray> readInfeed(RankedTensorType type, size_t index, size_t participant,
                                     const RunOptions &options) {
  std::string what = "data " + std::to_string(index) + " of infeed";
  if (!options.inputs.empty())
    return llvm::createStringError("they are read from --inputs-from, not --input");
  if (llvm::is_contained(hlo::getBounds(type), hlo::kUnbounded))
    return llvm::createStringError(what + " have a dimension without a bound");
  if (!options.inputsFrom.empty())
    return readNpy(inFolder(options.inputsFrom, fileName("infeed", index, participant, options)),
                   type, what);
  // other seeds than those of inputs
  uint64_t seed = ~(options.seed + (uint64_t(participant) << 32) + index);
  return makeRandomArray(type, seed, /*bound=*/0);
}

LogicalResult writeOutputs(StringRef prefix, const ParticipantArrays &outputs,
                           const RunOptions &options) {
  if (std::error_code error = llvm::sys::fs::create_directories(options.outputsTo)) {
    llvm::errs() << options.outputsTo << ": error: cannot create the folder: " << error.message()
                 << '\n';
    return failure();
  }
  for (auto [participant, arrays] : llvm::enumerate(outputs))
    for (auto [i, array] : llvm::enumerate(arrays))
      if (llvm::Error error = writeNpy(
              inFolder(options.outputsTo, fileName(prefix, i, participant, options)), array)) {
        llvm::errs() << llvm::toString(std::move(error)) << '\n';
        return failure();
      }
  return success();
}

/// Prints how one result differs. Returns false if it does.
static bool reportDifference(StringRef what, const HostArray &result, const HostArray &expected,
                             size_t index, size_t participant, const Tolerance &tolerance,
                             const RunOptions &options) {
  std::string difference = findDifference(result, expected, tolerance);
  if (difference.empty())
    return true;
  llvm::errs() << options.module << ": error: " << what << ' ' << index;
  if (options.getParticipants() > 1)
    llvm::errs() << " of participant " << participant;
  llvm::errs() << ' ' << difference << '\n';
  return false;
}

LogicalResult compareWithExpected(StringRef prefix, const ParticipantArrays &outputs,
                                  const RunOptions &options) {
  bool same = true;
  for (auto [participant, arrays] : llvm::enumerate(outputs))
    for (auto [i, array] : llvm::enumerate(arrays)) {
      std::string path = inFolder(options.expectFrom, fileName(prefix, i, participant, options));
      llvm::Expected<HostArray> expected = readNpy(path, array.type, "result " + std::to_string(i));
      if (!expected) {
        llvm::errs() << llvm::toString(expected.takeError()) << '\n';
        return failure();
      }
      same &=
          reportDifference("result", array, *expected, i, participant, options.tolerance, options);
    }
  return success(same);
}

LogicalResult compareResults(StringRef what, const ParticipantArrays &outputs,
                             const ParticipantArrays &expected, ArrayRef<Tolerance> tolerances,
                             const RunOptions &options) {
  bool same = true;
  for (auto [participant, arrays] : llvm::enumerate(outputs)) {
    if (!options.isHere(int64_t(participant)))
      continue;
    size_t count = expected[participant].size();
    if (arrays.size() != count) {
      llvm::errs() << options.module << ": error: expected " << count << ' ' << what
                   << " arrays but got " << arrays.size() << '\n';
      same = false;
      continue;
    }
    for (auto [i, array] : llvm::enumerate(arrays))
      same &= reportDifference(what, array, expected[participant][i], i, participant,
                               i < tolerances.size() ? tolerances[i] : options.tolerance, options);
  }
  return success(same);
}

void printSummaries(StringRef prefix, const ParticipantArrays &outputs) {
  for (auto [participant, arrays] : llvm::enumerate(outputs))
    for (auto [i, array] : llvm::enumerate(arrays)) {
      std::string line = (prefix + llvm::Twine(i)).str();
      if (outputs.size() > 1)
        line += ".p" + std::to_string(participant);
      // With one call: other processes may write to the same stream.
      llvm::outs() << line + ": " + summarize(array) + "\n";
    }
}

} // namespace hloc
