// The bookkeeping of barriers and warp operations that the scheduler takes part in: what changes for the others when
// a device thread starts to wait, goes on, or ends.
#pragma once

#include "runtime/Emulated/Block.h"
#include <string>

namespace cufort::rt::emulated {

class Scheduler;
struct Cluster;

/// A lane has stopped, at an operation or to give way. Completes activemask operations that waited for it.
void laneIsWaiting(Scheduler &scheduler, DeviceThread &thread);
/// A lane can go on.
void laneIsBusy(DeviceThread &thread);
/// A lane has ended, and other lanes of its warp wait. Completes the warp operations that waited for it only.
void leaveWarp(Scheduler &scheduler, DeviceThread &thread);
/// A thread of `block` has ended, and others wait or the launch is cooperative. Completes the barrier that waited for
/// it only.
void leaveBarriers(Scheduler &scheduler, Block &block);
/// A thread of the cluster has ended. Completes its barrier if it waited for that thread only.
void leaveCluster(Scheduler &scheduler, Cluster &cluster);

/// Lets the threads of a block go on that wait at the grid barrier.
void releaseGridBarrier(Scheduler &scheduler, Block &block);

/// Returns what to report about a block whose threads wait in vain: which threads wait where, e.g. "threads of block
/// (1,1,1) wait at different barriers: 32 at x.cuf:12, 32 at x.cuf:18".
std::string describeDeadlock(const Block &block);

} // namespace cufort::rt::emulated
