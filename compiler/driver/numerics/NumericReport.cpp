// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/numerics/NumericReport.h"
#include "compiler/driver/numerics/Losses.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Shape.h"
#include "compiler/text/SourceNotes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using llvm::formatv;

namespace hloc {

namespace {

std::string printNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", value);
  return text;
}

/// "12/24", the number of correct bits and that of the type.
std::string printBits(Type element, double bits) {
  return formatv("{0}/{1}", int(bits), int(countBits(element, 0)));
}

std::string getOpcode(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// "name", or "name{2}" of one array in a tuple.
std::string getName(const LossRow &row) {
  std::string name = hlo::getInstructionName(row.op->getLoc()).str();
  return row.leaves > 1 ? name + "{" + std::to_string(row.leaf) + "}" : name;
}

/// "model.hlo:12, model.py:7".
std::string getPlaces(Location location, StringAttr tables) {
  std::string text;
  if (FileLineColLoc position = hlo::getFilePosition(location))
    text = formatv("{0}:{1}", llvm::sys::path::filename(position.getFilename().getValue()),
                   position.getLine());
  SourcePlace source = findSourcePlace(location, tables);
  if (!source.file.empty())
    text += formatv("{0}{1}:{2}", text.empty() ? "" : ", ", llvm::sys::path::filename(source.file),
                    source.line);
  return text;
}

std::string getNote(const LossRow &row) {
  switch (row.verdict) {
  case Verdict::Fine:
    return isa<hlo::WhileOp, hlo::ConditionalOp>(row.op) ? "as one instruction" : "";
  case Verdict::AskedFor:
    return row.loss.overflows ? "intended; overflows" : "intended";
  case Verdict::OtherChoice:
    return isa<IntegerType>(row.type.getElementType())
               ? formatv("{0} of {1} differ by choice", row.loss.different, row.loss.count).str()
               : "differs by choice";
  case Verdict::Beyond:
    return row.isFault() ? row.loss.overflows ? "OVERFLOWS" : "EXCEEDS ITS BOUND"
                         : "exceeds its bound, not visible in results";
  case Verdict::Lost:
    return row.isFault() ? "LOSES DIGITS" : "few digits, not visible in results";
  }
  llvm_unreachable("a verdict of another kind");
}

void printRow(const LossRow &row, StringAttr tables) {
  Type element = row.type.getElementType();
  bool isInteger = isa<IntegerType>(element);
  std::string allowed = row.verdict == Verdict::AskedFor || row.verdict == Verdict::OtherChoice
                            ? "-"
                            : describe(row.allowed, element);
  std::string note = getNote(row), places = getPlaces(row.op->getLoc(), tables);
  llvm::outs() << formatv("{0,7} {1,9} {2,9}  {3,-36} {4} = {5} {6}",
                          isInteger ? "-" : printBits(element, row.bitsLeft),
                          printNumber(row.loss.ulps), printNumber(row.loss.absolute), allowed,
                          getName(row), text::shapeText(row.type), getOpcode(row.op));
  if (!places.empty())
    llvm::outs() << " (" << places << ")";
  llvm::outs() << (note.empty() ? "" : "  " + note) << '\n';
}

/// Emits an error at the instruction.
void emitFault(const LossRow &row, size_t faults) {
  Type element = row.type.getElementType();
  auto error = emitError(row.op->getLoc());
  if (row.verdict == Verdict::Lost)
    error << formatv(
                 "expected {0} of {1} bits to be correct, as its operands have {2}, but got {3}",
                 int(row.bitsNeeded), int(countBits(element, 0)), int(row.bitsBefore),
                 int(row.bitsLeft))
                 .str();
  else if (row.loss.overflows)
    error << "expected numbers that " << text::getElementName(element) << " can hold";
  else
    error << "expected results " << describe(row.allowed, element) << " of those in f64, but got "
          << (row.allowed.isRelative ? printNumber(row.loss.relative / getUlp(element)) + " ulp"
                                     : printNumber(row.loss.absolute));
  if (!row.loss.worst.empty())
    error << ": " << row.loss.worst;
  if (row.verdict == Verdict::Lost)
    error.attachNote() << "the operation loses these digits of its operands by definition: the "
                          "fault is the program's, "
                          "not that of compiled code";
  else
    error.attachNote() << (row.isCompilers ? "the evaluator does not have this error in the same "
                                             "types: the fault is that of compiled code"
                                           : "the evaluator has this error in the same types, too: "
                                             "the fault is the program's");
  if (faults > 1)
    error.attachNote() << (faults == 2 ? "another instruction loses"
                                       : std::to_string(faults - 1) + " other instructions lose")
                       << " more than " << (faults == 2 ? "it" : "they") << " should";
}

/// The inputs of the module that computes in f64.
ParticipantArrays widenInputs(const ParticipantArrays &inputs) {
  ParticipantArrays wide = inputs;
  for (std::vector<HostArray> &arrays : wide)
    for (HostArray &array : arrays) {
      Type element = array.getElementType();
      if (isa<IntegerType>(element))
        continue;
      Type f64 = Float64Type::get(element.getContext());
      HostArray other(RankedTensorType::get(
          array.type.getShape(), isa<ComplexType>(element) ? ComplexType::get(f64) : f64));
      for (int64_t i = 0, count = array.getCount(); i < count; ++i)
        other.set(i, array.get(i));
      array = std::move(other);
    }
  return wide;
}

} // namespace

RunStatus reportNumerics(ModuleOp source, const RunOptions &given, const ParticipantArrays &inputs,
                         const ParticipantArrays &outputs, const Runner &compiled) {
  RunOptions options = given;
  options.numericReport = NumericReport::None;
  options.schedules.clear(); // kernels may have other names here
  FailureOr<Probes> probes = makeProbes(source);
  if (failed(probes))
    return RunStatus::Refused;
  FailureOr<OwningOpRef<ModuleOp>> wide = makeWide(*probes);
  if (failed(wide))
    return RunStatus::Unsupported;
  ParticipantArrays results, interpreted, exact, outfeed;
  Measurements ignored;
  Observations observations;
  RunStatus status = compiled(*probes->module, options, inputs, results, outfeed, ignored);
  if (status == RunStatus::Done)
    status = runEvaluated(*probes->module, options, inputs, interpreted, outfeed, ignored,
                          makeObserver(observations));
  if (status == RunStatus::Done)
    status = runEvaluated(**wide, options, widenInputs(inputs), exact, outfeed, ignored);
  if (status != RunStatus::Done)
    return status;

  ProbedValues values{inputs, results, interpreted, exact, observations};
  std::vector<LossRow> rows = judgeLosses(*probes, values);
  const LossRow *first = nullptr;
  size_t faults = 0;
  for (const LossRow &row : rows)
    if (row.isFault() && ++faults == 1)
      first = &row;

  SmallVector<const LossRow *> order;
  for (const LossRow &row : rows)
    order.push_back(&row);
  if (given.numericReport == NumericReport::Loss)
    llvm::stable_sort(order, [](const LossRow *a, const LossRow *b) {
      return a->loss.ofLargest() > b->loss.ofLargest();
    });
  auto tables = source->getAttrOfType<StringAttr>("hlo.stack_frames");
  llvm::outs() << formatv("{0}: {1} arrays of instructions, compiled and in f64\n",
                          source.getName().value_or("module"), rows.size());
  llvm::outs() << formatv("{0,7} {1,9} {2,9}  {3,-36} {4}\n", "bits", "ulp", "absolute", "bound",
                          "instruction");
  for (const LossRow *row : order)
    printRow(*row, tables);
  for (size_t i = 0; i < outputs.front().size(); ++i) {
    Loss loss;
    for (size_t p = 0; p < outputs.size(); ++p)
      measureLoss(outputs[p][i], exact[p][i], loss);
    Type element = outputs.front()[i].getElementType();
    llvm::outs() << formatv(
        "{0,7} {1,9} {2,9}  {3,-36} out{4}\n",
        isa<IntegerType>(element) ? "-" : printBits(element, countBits(element, loss.ofLargest())),
        printNumber(loss.ulps), printNumber(loss.absolute), "result of the program as it is", i);
  }
  llvm::outs().flush();
  if (first)
    emitFault(*first, faults);
  return first ? RunStatus::Refused : RunStatus::Done;
}

} // namespace hloc
