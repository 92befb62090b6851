// SPDX-License-Identifier: Apache-2.0
// Computations and the module as a whole; messages.
#include "compiler/hlo/Errors.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/ModuleBuilder.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ModuleBuilder::ModuleBuilder(StringRef name, MLIRContext *context, const ParseOptions &options)
    : fileName(StringAttr::get(context, name)), context(context), builder(context),
      options(options), opcodes(OpcodeTable::get(context)) {}

ParseResult ModuleBuilder::fail(const char *place, const Twine &message) {
  if (!tooManyErrors())
    report(locate(place), Error::Syntax) << describePlace() + message.str();
  ++errors;
  return failure();
}

void ModuleBuilder::warn(const char *place, const Twine &message) {
  emitWarning(locate(place)) << describePlace() + message.str();
}

ComputationOp ModuleBuilder::createComputation(StringRef name, const char *place) {
  OpBuilder ops(context);
  auto computation =
      ComputationOp::create(ops, makeLocation(builder.getStringAttr(name), locate(place)), name,
                            builder.getFunctionType({}, {}));
  computation.getBody().emplaceBlock();
  return computation;
}

std::string ModuleBuilder::unusedName(StringRef name) {
  std::string result = name.str();
  unsigned &suffix = suffixes[name];
  while (computations.contains(result))
    result = (name + "." + Twine(++suffix)).str();
  return result;
}

ParseResult ModuleBuilder::finishBody(Scope &body, const char *place) {
  for (auto [i, parameter] : llvm::enumerate(body.parameters))
    if (parameter.number != int64_t(i)) {
      body.failed = true;
      return fail(parameter.place, "expected parameter number " + Twine(i) + " but got " +
                                       Twine(parameter.number) + ": numbers have no gaps");
    }
  Value root = body.root ? body.root : body.last;
  if (!root) {
    body.failed = true;
    return fail(place, "expected at least one instruction in the computation");
  }
  OpBuilder ops = OpBuilder::atBlockEnd(body.block);
  ReturnOp::create(ops, root.getLoc(), root);
  body.computation.setFunctionTypeAttr(
      TypeAttr::get(builder.getFunctionType(body.block->getArgumentTypes(), root.getType())));
  // The position of a parameter among the instructions is recorded only if it is not at the start,
  // in order.
  bool canonical = llvm::all_of(body.parameters, [](auto &p) { return p.before == p.number; });
  bool any = false;
  SmallVector<Attribute> attributes;
  for (Scope::Parameter &parameter : body.parameters) {
    if (!canonical && parameter.before)
      parameter.attributes.set("hlo.position", builder.getI64IntegerAttr(parameter.before));
    any |= !parameter.attributes.empty();
    attributes.push_back(parameter.attributes.getDictionary(context));
  }
  if (any)
    body.computation.setArgAttrsAttr(builder.getArrayAttr(attributes));
  module->getBody()->push_back(body.computation);
  return success();
}

ParseResult ModuleBuilder::finishModule(const char *place) {
  if (!entry)
    entry = lastComputation;
  if (!entry)
    return fail(place, "expected at least one computation in the module");
  entry.setEntry(true);
  if (!module->getSymName())
    module->setSymName(("module_" + entry.getSymName()).str());
  ParseResult result = success();
  for (auto [name, place] : forward)
    if (!computations.lookup(name))
      result = fail(place, "expected a computation but there is none named `" + name + "`");
  return failure(result || (!forward.empty() && checkCycles()) || checkCalls());
}

/// Names of the computations that an operation refers to.
static SmallVector<StringRef, 2> calledBy(Operation &operation) {
  SmallVector<StringRef, 2> names;
  for (NamedAttribute attribute : operation.getAttrs()) {
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
      names.push_back(symbol.getValue());
    if (auto list = dyn_cast<ArrayAttr>(attribute.getValue()))
      for (Attribute element : list)
        if (auto symbol = dyn_cast<FlatSymbolRefAttr>(element))
          names.push_back(symbol.getValue());
  }
  return names;
}

/// No computation may call itself, directly or through others. Only forward references can lead to
/// that.
ParseResult ModuleBuilder::checkCycles() {
  enum State { New, Open, Done };
  llvm::DenseMap<Operation *, State> states;
  struct Frame {
    ComputationOp computation;
    Block::iterator at;
    SmallVector<StringRef, 2> names;
  };
  for (auto root : module->getOps<ComputationOp>()) {
    SmallVector<Frame> stack;
    auto enter = [&](ComputationOp computation) {
      states[computation] = Open;
      stack.push_back({computation, computation.getBody().front().begin(), {}});
    };
    if (states[root] == New)
      enter(root);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.names.empty()) {
        if (top.at == top.computation.getBody().front().end()) {
          states[top.computation] = Done;
          stack.pop_back();
        } else {
          top.names = calledBy(*top.at++);
        }
        continue;
      }
      ComputationOp callee = computations.lookup(top.names.pop_back_val());
      if (!callee || states[callee] == Done)
        continue;
      if (states[callee] == Open) {
        emitError(std::prev(top.at)->getLoc())
            << "expected no recursion but computation `" << callee.getSymName() << "` calls itself";
        ++errors;
        return failure();
      }
      enter(callee);
    }
  }
  return success();
}

/// A computation that runs asynchronously is called only by async-start, -update and -done.
ParseResult ModuleBuilder::checkCalls() {
  llvm::DenseSet<StringRef> asynchronous;
  SmallVector<Operation *> callers;
  for (auto computation : module->getOps<ComputationOp>())
    for (Operation &operation : computation.getBody().front()) {
      if (auto start = dyn_cast<AsyncStartOp>(operation))
        asynchronous.insert(start.getCalls());
      else if (!isa<AsyncUpdateOp, AsyncDoneOp>(operation) && operation.getAttrs().size())
        callers.push_back(&operation);
    }
  if (asynchronous.empty())
    return success();
  ParseResult result = success();
  for (Operation *caller : callers)
    for (StringRef name : calledBy(*caller))
      if (asynchronous.contains(name)) {
        emitError(caller->getLoc()) << "expected computation `" << name
                                    << "`, which runs asynchronously, to be called by async-start, "
                                       "async-update and async-done only";
        ++errors;
        result = failure();
      }
  return result;
}

} // namespace hloc::text
