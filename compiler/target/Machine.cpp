// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <vector>

namespace hloc {

bool Cache::areInConflict(int64_t count, int64_t stride) const {
  if (stride == 0)
    return false;
  int64_t sets = std::max<int64_t>(1, getWayBytes() / lineBytes);
  // Not more than this many have to be counted.
  count = std::min(count, (ways * sets + 1) * std::max<int64_t>(1, lineBytes / stride));
  std::vector<int64_t> lines(size_t(sets), 0);
  for (int64_t i = 0, before = -1; i < count; ++i) {
    int64_t line = i * stride / lineBytes;
    if (line != before && ++lines[size_t(line % sets)] > ways)
      return true;
    before = line;
  }
  return false;
}

double Machine::getStreamTime(double bytes) const {
  if (bytes <= double(l2.bytes) / l2.sharedBy)
    return getNanoseconds(1 / l2.bytesPerCycle);
  return bytes <= double(getLargestShare()) ? getNanoseconds(1 / l3.bytesPerCycle)
                                            : 1 / memory.coreBandwidth;
}

int64_t Machine::getLargestShare() const {
  // A core gets more than its share while others are idle.
  return std::max(l2.bytes / l2.sharedBy, l3.bytes / std::max<int64_t>(1, l3.sharedBy / 2));
}

/// The first line of a file of the operating system; empty if there is none.
static std::string readLine(const llvm::Twine &path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().split('\n').first.trim().str() : std::string();
}

/// A size such as `48K`; 0 if the text is not one.
static int64_t readSize(llvm::StringRef text) {
  int64_t unit = text.consume_back("K") ? 1 << 10 : text.consume_back("M") ? 1 << 20 : 1, size = 0;
  return text.getAsInteger(10, size) ? 0 : size * unit;
}

/// The number of processors in a list such as `0-3,8`.
static int64_t countProcessors(llvm::StringRef list) {
  int64_t count = 0;
  for (llvm::StringRef range : llvm::split(list, ',')) {
    auto [first, last] = range.split('-');
    int64_t from, to;
    if (first.getAsInteger(10, from))
      return 0;
    if (last.getAsInteger(10, to))
      to = from;
    count += to - from + 1;
  }
  return count;
}

/// What the operating system reports about the host's caches; 0 where it reports nothing. Only on
/// Linux: on other systems, and in containers that hide it, the table's numbers remain.
static Machine readHost() {
  Machine host;
  for (Cache *cache : {&host.l1, &host.l2, &host.l3})
    *cache = {.lineBytes = 0, .ways = 0, .sharedBy = 0};
  const std::string cpu = "/sys/devices/system/cpu/cpu0/";
  int64_t threadsOfCore =
      std::max<int64_t>(1, countProcessors(readLine(cpu + "topology/thread_siblings_list")));
  for (int index = 0; index < 8; ++index) {
    std::string folder = cpu + "cache/index" + std::to_string(index) + "/";
    std::string level = readLine(folder + "level");
    if (level.empty() || readLine(folder + "type") == "Instruction")
      continue;
    Cache *cache = level == "1"   ? &host.l1
                   : level == "2" ? &host.l2
                   : level == "3" ? &host.l3
                                  : nullptr;
    if (!cache)
      continue;
    cache->bytes = readSize(readLine(folder + "size"));
    cache->lineBytes = readSize(readLine(folder + "coherency_line_size"));
    cache->ways = readSize(readLine(folder + "ways_of_associativity"));
    int64_t sharers = countProcessors(readLine(folder + "shared_cpu_list"));
    cache->sharedBy = sharers ? std::max<int64_t>(1, sharers / threadsOfCore) : 0;
  }
  return host;
}

/// How many times its even share of a cache a virtual machine is expected to get, since its
/// neighbors are not always busy.
static constexpr int64_t kShareOfGuest = 2;

int64_t limitToShare(const Cache &reported, const Cache &family) {
  if (reported.sharedBy >= family.sharedBy)
    return reported.bytes;
  int64_t share = family.bytes / family.sharedBy * reported.sharedBy;
  return std::min(reported.bytes, kShareOfGuest * share);
}

Machine measureHost(Machine machine) {
  static const Machine host = readHost();
  auto take = [](const Cache &from, Cache &to) {
    to.bytes = from.bytes > 0 ? from.bytes : to.bytes;
    to.lineBytes = from.lineBytes > 0 ? from.lineBytes : to.lineBytes;
    to.ways = from.ways > 0 ? from.ways : to.ways;
    to.sharedBy = from.sharedBy > 0 ? from.sharedBy : to.sharedBy;
  };
  take(host.l1, machine.l1);
  take(host.l2, machine.l2);
  const Cache family = machine.l3;
  take(host.l3, machine.l3);
  machine.l3.bytes = limitToShare(machine.l3, family);
  return machine;
}

} // namespace hloc
