// SPDX-License-Identifier: Apache-2.0
// The pass restrict-calls. Test: test/passes/memory/restrict-calls.hlo.
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/TargetAttribute.h"
#include "passes/Freestanding.h"
#include "passes/Passes.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hloc;

namespace hloc {
#define GEN_PASS_DEF_RESTRICTCALLS
#include "passes/Passes.h.inc"
} // namespace hloc

/// Describes what a call needs that a freestanding host does not have; empty if it needs nothing.
/// Custom calls need nothing, as the host implements them.
static StringRef findHosted(StringRef callee) {
  return llvm::StringSwitch<StringRef>(callee)
      .Case("fft", "a Fourier transform of the runtime")
      .Cases("host_transfer", "sized_transfer", "a transfer with the host")
      .Case("rng_get_and_update_state", "a state of random numbers that lasts between calls")
      .Cases("collective_start", "collective_done", "partition_id", "replica_id",
             "an operation that depends on other participants")
      .Cases("async_launch", "async_wait", "an asynchronous computation")
      .Default("");
}

static LogicalResult refuseHosted(ModuleOp module) {
  bool refused = false;
  module.walk([&](hlo::RuntimeCallOp call) {
    if (StringRef what = findHosted(call.getCallee()); !what.empty()) {
      emitNotSupported(call.getLoc(), what + " in freestanding code");
      refused = true;
    }
  });
  return failure(refused);
}

/// Describes a call whose bits the compiler does not control; empty for any other.
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
    if (isFreestanding(getOperation()) && failed(refuseHosted(getOperation())))
      return signalPassFailure();
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
