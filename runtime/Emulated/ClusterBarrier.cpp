// The barrier of a cluster, and the addresses of its blocks' shared memory. As at a block's barrier, threads that have
// ended no longer count.
#include "runtime/Emulated/Cluster.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Worker.h"

using namespace cufort::rt;
using namespace cufort::rt::emulated;

namespace cufort::rt::emulated {

uint32_t Cluster::live() const {
  uint32_t threads = 0;
  for (const Block *block : blocks)
    threads += block->live;
  return threads;
}

/// Lets all threads that wait at the barrier go on, and the barrier be used again.
static void completeBarrier(Scheduler &scheduler, Cluster &cluster) {
  cluster.arrived = 0;
  for (Block *block : cluster.blocks) {
    block->passBarrier();
    for (uint32_t i = 0; i < block->next; ++i) {
      DeviceThread &thread = block->threads[i];
      if (thread.ended || thread.waitsFor != Operation::ClusterBarrier)
        continue;
      thread.waitsFor = Operation::None;
      scheduler.makeReady(thread);
    }
  }
}

static bool isComplete(const Cluster &cluster) {
  return cluster.arrived && !cluster.conflict && cluster.arrived == cluster.live();
}

void leaveCluster(Scheduler &scheduler, Cluster &cluster) {
  if (isComplete(cluster))
    completeBarrier(scheduler, cluster);
}

} // namespace cufort::rt::emulated

extern "C" {

void cufortEmuClusterBarrier(const char *where) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  Cluster *cluster = self.block->cluster.get();
  if (!cluster) { // one block
    cufortEmuBarrier(where);
    return;
  }
  if (cluster->arrived++ == 0)
    cluster->where = where;
  else if (!samePlace(cluster->where, where))
    cluster->conflict = true;
  if (isComplete(*cluster))
    completeBarrier(call.scheduler(), *cluster);
  else
    call.scheduler().wait(self, Operation::ClusterBarrier, where);
}

uint64_t cufortEmuClusterShared(const void *address, int32_t rank, const char *where) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  const Cluster *cluster = self.block->cluster.get();
  uint32_t blocks = cluster ? uint32_t(cluster->blocks.size()) : 1;
  const char *mine = self.sharedBase, *place = static_cast<const char *>(address);
  const char *problem = nullptr;
  if (uint32_t(rank) >= blocks)
    problem = "the cluster has no block with this rank";
  else if (place < mine || place >= self.dynamicShared + self.dynamicSharedBytes)
    problem = "this is no shared variable of the block";
  if (problem)
    call.fail(CUDA_ERROR_ILLEGAL_ADDRESS, [&] {
      return "cluster_map_shared_rank with rank " + std::to_string(int64_t(rank) + 1) + (where ? " at " : "") +
             (where ? where : "") + ": " + problem;
    });
  const char *theirs = cluster ? cluster->blocks[rank]->shared.base() : mine;
  return reinterpret_cast<uint64_t>(theirs + (place - mine));
}

} // extern "C"
