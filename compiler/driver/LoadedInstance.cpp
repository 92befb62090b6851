// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/LoadedInstance.h"

using namespace mlir;

namespace hloc {

LoadedInstance::Buffer LoadedInstance::allocate(int64_t bytes) {
  return Buffer(static_cast<char *>(hlort_arena_allocate(std::max<int64_t>(bytes, 1), 0, nullptr)),
                hlort_arena_free);
}

LoadedInstance::LoadedInstance(const ModuleInterface &interface, LoadedModule &module,
                               hlort_context *context, ArrayRef<HostArray> inputs)
    : interface(interface), module(module), context(context), inputs(inputs),
      arena(allocate(interface.arenaBytes)) {
  for (const Port &port : interface.arguments)
    arguments.push_back(allocate(port.bytes));
  for (const Port &port : interface.results)
    results.push_back(allocate(port.bytes));
  for (auto [result, argument] : interface.aliases)
    aliasOf[result] = argument;
  fillArguments();
}

void LoadedInstance::fillArguments() {
  for (auto [array, port, buffer] : llvm::zip(inputs, interface.arguments, arguments)) {
    toMemory(withShape(array, port.type.getShape()), port.minorToMajor, buffer.get());
    for (auto [d, number] : llvm::enumerate(port.sizes))
      if (number >= 0)
        sizeIn(arguments[number].get()) = array.type.getDimSize(d);
  }
}

int32_t LoadedInstance::prepare(hlort_status &status) {
  isPrepared = true;
  if (!interface.preparation)
    return HLORT_OK;
  SmallVector<const void *> in;
  for (Buffer &buffer : arguments)
    in.push_back(buffer.get());
  return module.getDescriptor()->preparation->prepare(
      context, in.data(), arguments[interface.preparation->argument].get(), nullptr, &status);
}

int32_t LoadedInstance::call(hlort_status &status) {
  if (!isPrepared)
    if (int32_t code = prepare(status))
      return code;
  SmallVector<const void *> in;
  SmallVector<void *> out;
  for (Buffer &buffer : arguments)
    in.push_back(buffer.get());
  for (size_t i = 0; i < results.size(); ++i)
    out.push_back(getResultMemory(i));
  return module.getRun()(context, in.data(), out.data(), arena.get(), &status);
}

std::vector<HostArray> LoadedInstance::getResults() {
  std::vector<HostArray> arrays;
  for (auto [i, port] : llvm::enumerate(interface.results)) {
    if (port.sizeOf >= 0)
      continue;
    SmallVector<int64_t> shape(port.type.getShape());
    for (auto [d, number] : llvm::enumerate(port.sizes))
      if (number >= 0)
        shape[d] = sizeIn(getResultMemory(number));
    arrays.push_back(
        withShape(fromMemory(port.type, port.minorToMajor, getResultMemory(i)), shape));
  }
  return arrays;
}

char *LoadedInstance::getResultMemory(size_t result) {
  auto alias = aliasOf.find(result);
  return (alias == aliasOf.end() ? results[result] : arguments[alias->second]).get();
}

} // namespace hloc
