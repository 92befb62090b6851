// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/Access.h"

namespace hloc {

/// Loads that miss L1 and are in flight at once: cores have ten to sixteen line fill buffers, and
/// code that also has to compute indices uses only some of them.
static constexpr double kMissesAtOnce = 6;

double getReadTime(const Machine &machine, double footprint) {
  if (footprint <= double(machine.l1.bytes))
    return machine.getNanoseconds(1 / machine.l1.bytesPerCycle);
  return machine.getStreamTime(footprint);
}

double getWriteTime(const Machine &machine, double footprint) {
  bool isFar = footprint > double(machine.getLargestShare());
  return getReadTime(machine, footprint) * (isFar ? 2 : 1);
}

double getLatency(const Machine &machine, double bytes) {
  if (bytes <= double(machine.l1.bytes))
    return machine.getNanoseconds(machine.l1.latency);
  if (bytes <= double(machine.l2.bytes) / double(machine.l2.sharedBy))
    return machine.getNanoseconds(machine.l2.latency);
  return bytes <= double(machine.getLargestShare()) ? machine.getNanoseconds(machine.l3.latency)
                                                    : machine.memory.latency;
}

double getApartTime(const Machine &machine, double bytes) {
  return bytes <= double(machine.l1.bytes) ? 0 : getLatency(machine, bytes) / kMissesAtOnce;
}

} // namespace hloc
