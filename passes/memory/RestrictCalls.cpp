// SPDX-License-Identifier: Apache-2.0
// The pass restrict-calls. Test: test/passes/memory/restrict-calls.hlo.
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/TargetAttribute.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace hloc;

namespace hloc {
#define GEN_PASS_DEF_RESTRICTCALLS
#include "passes/Passes.h.inc"
} // namespace hloc

/// What a call computes whose bits are not of the compiler's making; empty for any other.
static std::string findForeignBits(hlo::RuntimeCallOp call) {
  if (call.getCallee() == "fft")
    return "this Fourier transform";
  if (call.getCallee() == "custom_call")
    if (auto target = call.getParameters().getAs<StringAttr>("custom_call_target"))
      return ("the custom call '" + target.getValue() + "'").str();
  return "";
}

namespace {

struct RestrictCalls : hloc::impl::RestrictCallsBase<RestrictCalls> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!target->reproducible)
      return;
    getOperation().walk([](hlo::RuntimeCallOp call) {
      if (std::string what = findForeignBits(call); !what.empty())
        emitWarning(call.getLoc())
            << "the bits of " << what << " may differ from processor to processor";
    });
  }
};

} // namespace
