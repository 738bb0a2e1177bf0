// What device code compiled for the emulated device (x86-64) calls and reads. Part of the runtime ABI: see
// RuntimeABI.h. The operations have the meaning of the PTX instruction named beside them.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Who the running device thread is. Index base 0, as in PTX; Fortran's 1 is added by generated code.
typedef struct CufortEmuThread {
  uint32_t threadIdx[3];
  uint32_t blockIdx[3];
  uint32_t blockDim[3];
  uint32_t gridDim[3];
  uint32_t clusterDim[3]; ///< blocks of a cluster; 1 without clusters
  uint32_t laneId;
  uint32_t dynamicSharedBytes;
  char *sharedBase;    ///< static shared memory of the block, 16-byte aligned
  char *dynamicShared; ///< dynamic shared memory of the block
} CufortEmuThread;

/// The device thread that this host thread runs now. A device thread never moves to another host thread.
extern
#ifdef __cplusplus
    thread_local
#else
    _Thread_local
#endif
    CufortEmuThread *cufortEmuThread;

/// A range of blocks that CufortEmuKernel::blocks runs, one after the other, each from first to last thread.
/// Blocks are numbered x fastest: number = x + gridDim[0] * (y + gridDim[1] * z).
typedef struct CufortEmuBlocks {
  uint64_t first, end;
  uint32_t blockDim[3];
  uint32_t gridDim[3];
  CufortEmuThread *thread; ///< scratch identity, equal to cufortEmuThread, to be kept up to date for callees
  char *memory;            ///< CufortEmuKernel::phaseBytes bytes, 64-byte aligned, of any content
} CufortEmuBlocks;

// What CufortEmuKernel::blocks calls between the phases of a kernel. Threads are numbered x fastest, from 0.

/// What begins the phases of a kernel, and how much all threads keep together.
enum CufortEmuPhaseStart {
  CufortEmuStartsTogether,   ///< nothing, or a barrier of the block
  CufortEmuStartsWithResult, ///< a barrier of the block that counts or combines
  CufortEmuStartsInWarps     ///< something that a warp does for itself
};
typedef struct CufortEmuPhases {
  uint32_t count;
  uint32_t keptBytes;
  const uint8_t *starts; ///< a CufortEmuPhaseStart for each phase
} CufortEmuPhases;

/// What belongs to the threads that compiled loops run next, or have run. Behind it lies what these threads keep
/// together.
typedef struct CufortEmuThreads {
  int64_t first, end;   ///< numbers of the threads, in their block
  int64_t *operandsIn;  ///< where the threads find what they get from a meeting
  int64_t *operandsOut; ///< where they leave what they come to the next one with
} CufortEmuThreads;

/// Chooses how block `block` goes on, whose threads have parted: returns the phase that comes next, and in `threads`
/// for which of them, all or one warp; 0 if the block has ended. Before, `threads` says which have run a phase. Thread
/// t of them goes on with phase next, or phases[t] if next is -1, or has ended if that is 0. If lanes of a warp part,
/// or warps wait for each other in vain, the threads are run to their end here, each on a stack of its own.
int32_t cufortEmuNextPhase(const CufortEmuBlocks *range, uint64_t block, const CufortEmuPhases *kinds, int32_t *phases,
                           int32_t next, CufortEmuThreads *threads);
/// Returns how many of `count` operands are not 0.
int64_t cufortEmuCountTrue(const int64_t *operands, int64_t count);
/// Stores the least and the greatest of `count` operands, at least one.
void cufortEmuExtremes(const int64_t *operands, int64_t count, int64_t *leastAndGreatest);
/// Replaces the operand of each of `count` threads by the result of a vote of its warp: 1 or 0, or a mask.
enum CufortEmuVote { CufortEmuVoteForAll, CufortEmuVoteForAny, CufortEmuVoteForBallot };
void cufortEmuVoteInWarps(int64_t *operands, int64_t count, int32_t vote);

// `where` is "file:line" of the Fortran statement and names the barrier in reports; it may be null.

void cufortEmuBarrier(const char *where);                           ///< barrier.sync 0
int32_t cufortEmuBarrierCount(int32_t predicate, const char *where); ///< barrier.red.popc
int32_t cufortEmuBarrierAnd(int32_t predicate, const char *where);   ///< barrier.red.and: 1 or 0
int32_t cufortEmuBarrierOr(int32_t predicate, const char *where);    ///< barrier.red.or: 1 or 0
void cufortEmuWarpBarrier(int32_t mask, const char *where);          ///< bar.warp.sync
void cufortEmuGridBarrier(const char *where);                        ///< grid-wide barrier of a cooperative launch
void cufortEmuClusterBarrier(const char *where);                     ///< barrier.cluster.arrive and .wait
/// mapa: where block `rank` of the cluster has what is at `address`, in shared memory, in the calling thread's block.
uint64_t cufortEmuClusterShared(const void *address, int32_t rank, const char *where);

/// mbarrier.init. A barrier is 8 bytes of shared memory, and so is the token that names a phase of it.
void cufortEmuAsyncBarrierInit(void *barrier, int32_t count);
/// mbarrier.arrive.expect_tx: the phase ends after `bytes` more have been copied.
int64_t cufortEmuAsyncBarrierArrive(void *barrier, int32_t bytes);
/// Waits until the phase is over, and returns 1.
int32_t cufortEmuAsyncBarrierWait(void *barrier, int64_t token);
/// mbarrier.try_wait: 1 if the phase is over, at once or within that time.
int32_t cufortEmuAsyncBarrierWaitFor(void *barrier, int64_t token, int32_t nanoseconds);
/// cp.async.bulk to shared memory, preceded by mbarrier.expect_tx if `announced`; and from there.
void cufortEmuAsyncBulkLoad(void *barrier, const void *from, void *to, int32_t bytes, int32_t announced);
void cufortEmuAsyncBulkStore(const void *from, void *to, int32_t bytes);

int32_t cufortEmuVoteAll(int32_t mask, int32_t predicate, const char *where);    ///< vote.sync.all
int32_t cufortEmuVoteAny(int32_t mask, int32_t predicate, const char *where);    ///< vote.sync.any
int32_t cufortEmuVoteBallot(int32_t mask, int32_t predicate, const char *where); ///< vote.sync.ballot
int32_t cufortEmuActiveMask(void);                                               ///< activemask
int32_t cufortEmuMatchAny32(int32_t mask, int32_t value, const char *where);     ///< match.any.sync.b32
int32_t cufortEmuMatchAny64(int32_t mask, int64_t value, const char *where);
/// match.all.sync: result mask or 0; *allEqual becomes 1 or 0.
int32_t cufortEmuMatchAll32(int32_t mask, int32_t value, int32_t *allEqual, const char *where);
int32_t cufortEmuMatchAll64(int32_t mask, int64_t value, int32_t *allEqual, const char *where);

/// shfl.sync: `lane` and `clamp` are the instruction's operands b and c. Modes: 0 idx, 1 up, 2 down, 3 bfly.
int32_t cufortEmuShuffle32(int32_t mode, int32_t mask, int32_t value, int32_t lane, int32_t clamp, const char *where);
int64_t cufortEmuShuffle64(int32_t mode, int32_t mask, int64_t value, int32_t lane, int32_t clamp, const char *where);

/// Of code that is compiled for checks: the thread will read `bytes` bytes at `address`, or has written them, or will
/// update them atomically. Nothing happens if they are not in the block's shared memory.
enum CufortEmuAccess { CufortEmuRead, CufortEmuWrite, CufortEmuAtomic };
void cufortEmuSharedAccess(const void *address, int64_t bytes, int32_t access, const char *where);

int64_t cufortEmuClock64(void);    ///< %clock64: nanoseconds here
void cufortEmuNanosleep(int32_t nanoseconds);
void *cufortEmuMalloc(int64_t bytes); ///< device-side malloc
void cufortEmuFree(void *memory);
/// vprintf of device code: `arguments` is CUDA's packed buffer (each argument at its own natural alignment).
int32_t cufortEmuVprintf(const char *format, const void *arguments);
/// Ends the kernel with an error that names `what` (trap; stop and error stop in device code).
void cufortEmuTrap(const char *what, const char *where);

#ifdef __cplusplus
} // extern "C"
#endif
