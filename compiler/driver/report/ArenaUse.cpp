// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/ArenaUse.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hloc {

ArenaUse readArenaUse(func::FuncOp function) {
  ArenaUse use;
  auto buffers = function->getAttrOfType<ArrayAttr>("hlo.arena_buffers"),
       names = function->getAttrOfType<ArrayAttr>("hlo.arena_names");
  if (!buffers || !names)
    return use;
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (auto [entry, name] : llvm::zip(buffers, names)) {
    ArrayRef<int64_t> fields = cast<DenseI64ArrayAttr>(entry).asArrayRef();
    ArenaBuffer buffer{fields[0], fields[1], fields[2], fields[3],
                       cast<StringAttr>(name).getValue()};
    changes.push_back({buffer.begin, buffer.bytes});
    changes.push_back({buffer.end, -buffer.bytes});
    use.buffers.push_back(buffer);
  }
  llvm::sort(changes);
  int64_t now = 0;
  for (auto [position, bytes] : changes)
    if ((now += bytes) > use.peakBytes) {
      use.peakBytes = now;
      use.peak = position;
    }
  return use;
}

} // namespace hloc
