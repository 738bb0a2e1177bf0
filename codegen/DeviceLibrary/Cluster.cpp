// Clusters of thread blocks on GPUs.

#include "codegen/DeviceLibrary/Architecture.h"
#include "codegen/DeviceLibrary/Entry.h"

// Before Hopper every block is a cluster of its own.
#define CLUSTER_EXTENT(name, sregister, alone)                                                                         \
  CUFX_ENTRY unsigned __cufx_extent_##name() {                                                                         \
    unsigned value = alone;                                                                                            \
    if (architecture() >= hopper)                                                                                      \
      asm("mov.u32 %0, %%" sregister ";" : "=r"(value));                                                               \
    return value;                                                                                                      \
  }

CLUSTER_EXTENT(cluster_block_idx_x, "cluster_ctaid.x", 0)
CLUSTER_EXTENT(cluster_block_idx_y, "cluster_ctaid.y", 0)
CLUSTER_EXTENT(cluster_block_idx_z, "cluster_ctaid.z", 0)
CLUSTER_EXTENT(cluster_dim_x, "cluster_nctaid.x", 1)
CLUSTER_EXTENT(cluster_dim_y, "cluster_nctaid.y", 1)
CLUSTER_EXTENT(cluster_dim_z, "cluster_nctaid.z", 1)

/// Arriving releases and waiting acquires: accesses before the barrier are seen by all blocks after it.
CUFX_ENTRY void __cufx_cluster_barrier() {
  requireArchitecture(hopper);
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

CUFX_ENTRY unsigned long __cufx_map_shared(const void *address, unsigned rank) {
  requireArchitecture(hopper);
  unsigned long mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
  return mapped;
}
