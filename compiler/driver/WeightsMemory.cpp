// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/WeightsMemory.h"
#include "hlort/weights.h"

using namespace llvm;

namespace hloc {

namespace {

/// A stream that writes to memory, which is large enough.
class MemoryStream : public raw_ostream {
public:
  explicit MemoryStream(char *data) : raw_ostream(/*unbuffered=*/true), data(data) {}

private:
  void write_impl(const char *text, size_t size) override {
    std::copy_n(text, size, data + written);
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  char *data;
  uint64_t written = 0;
};

} // namespace

Expected<WeightsMemory> makeWeights(const WeightsImage &image) {
  WeightsMemory memory;
  hlort_status status = {};
  memory.bytes = image.bytes;
  memory.data.reset(static_cast<char *>(hlort_arena_allocate(image.bytes, 0, &status)));
  if (!memory.data)
    return createStringError(StringRef(status.message));
  MemoryStream stream(memory.data.get());
  image.write(stream);
  return memory;
}

Error useWeights(const LoadedModule &module, const WeightsMemory &weights) {
  hlort_status status = {};
  if (hlort_weights_use(module.getDescriptor()->weights, weights.data.get(), weights.bytes,
                        &status))
    return createStringError(StringRef(status.message));
  return Error::success();
}

} // namespace hloc
