// SPDX-License-Identifier: Apache-2.0
// States of random number generators: hlort_random_state.
#include "codegen/calls/Calls.h"
#include "passes/frontend/RandomGenerators.h"

using namespace mlir;

namespace hloc {

/// A generator is identified by the module's name and its number in the module.
LogicalResult emitRandomState(RuntimeCallBuilder &call) {
  RuntimeCallSite &site = call.site;
  auto number = call.getParameter<IntegerAttr>(kGeneratorAttr);
  auto delta = call.getParameter<IntegerAttr>("delta");
  std::string generator =
      site.globals.getName() + "." + std::to_string(number ? number.getInt() : 0);
  call.call("hlort_random_state", {site.context, call.text(generator), call.i64(delta.getInt()),
                                   site.outputs[0], site.status});
  return success();
}

} // namespace hloc
