// SPDX-License-Identifier: Apache-2.0
// The strategies for loops (LoopStrategies.cpp) that have a file of their own. Test:
// test/passes/schedule/loop-schedules.hlo.

#ifndef HLOC_PASSES_SCHEDULE_LOOPSCHEDULE_H
#define HLOC_PASSES_SCHEDULE_LOOPSCHEDULE_H

#include "passes/schedule/LoopProblem.h"
#include "passes/schedule/Strategies.h"

namespace hloc {

/// Of LoopTiles.cpp.
extern const Strategy kTiledLoop, kStagedLoop;

} // namespace hloc

#endif
