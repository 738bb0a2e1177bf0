// Grid reductions on a GPU. Lanes combine by shuffles, warps through shared memory, blocks through scratch memory:
// the block that delivers last combines the partial results of all, in a fixed order, so that a launch gives the
// same bits every time.
//
// A kernel may have several reductions. They go through the steps together, because what takes long is to wait for
// memory: codegen/DeviceLink/GridReductions.h.

#include "codegen/DeviceLibrary/GridReduce.h"

namespace {

constexpr int warpSize = 32;
/// Partial results of blocks whose loads are under way together.
template <typename T>
constexpr int atATime = sizeof(T) > 8 ? 2 : 4;

/// What warps leave for each other: a place for each.
using Partials = __attribute__((address_space(3))) char *;

__attribute__((address_space(3))) int isLastBlock;

int threadOfBlock() {
  return __nvvm_read_ptx_sreg_tid_x() +
         __nvvm_read_ptx_sreg_ntid_x() *
             (__nvvm_read_ptx_sreg_tid_y() + __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z());
}
int threadsOfBlock() {
  return __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
}
unsigned long blockOfGrid() {
  return __nvvm_read_ptx_sreg_ctaid_x() +
         static_cast<unsigned long>(__nvvm_read_ptx_sreg_nctaid_x()) *
             (__nvvm_read_ptx_sreg_ctaid_y() +
              static_cast<unsigned long>(__nvvm_read_ptx_sreg_nctaid_y()) * __nvvm_read_ptx_sreg_ctaid_z());
}
unsigned long blocksOfGrid() {
  return static_cast<unsigned long>(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_nctaid_y() *
         __nvvm_read_ptx_sreg_nctaid_z();
}
void barrier() { __syncthreads(); }

template <typename T>
constexpr int wordsOf = (sizeof(T) + sizeof(Word) - 1) / sizeof(Word);

/// Reads and writes of scratch memory that other blocks see: not from or into a register kept by the compiler.
template <typename T>
T readSlot(char *slot) {
  Word words[wordsOf<T>];
  for (int i = 0; i < wordsOf<T>; ++i)
    words[i] = reinterpret_cast<volatile Word *>(slot)[i];
  T value;
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
template <typename T>
void writeSlot(char *slot, T value) {
  Word words[wordsOf<T>] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int i = 0; i < wordsOf<T>; ++i)
    reinterpret_cast<volatile Word *>(slot)[i] = words[i];
}

template <typename T>
T shuffleDown(unsigned mask, T value, int distance) {
  Word buffer[wordsOf<T>] = {};
  __builtin_memcpy(buffer, &value, sizeof(T));
  for (int i = 0; i < wordsOf<T>; ++i)
    buffer[i] = __nvvm_shfl_sync_down_i32(mask, buffer[i], distance, warpSize - 1);
  __builtin_memcpy(&value, buffer, sizeof(T));
  return value;
}

/// Combines `value` over the first `active` lanes of the warp; the result is in lane 0.
template <typename T, typename Operation>
T warpReduce(T value, int lane, int active) {
  // Every block goes through this: what lanes other than the first come to does not matter.
  if (active == warpSize) {
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
      value = Operation::apply(value, shuffleDown(~0u, value, distance));
    return value;
  }
  unsigned mask = (1u << active) - 1;
  int distance = active > 1 ? 1 << (31 - __builtin_clz(active - 1)) : 0;
#pragma clang loop unroll(disable)
  for (; distance > 0; distance /= 2) {
    T other = shuffleDown(mask, value, distance);
    if (lane + distance < active)
      value = Operation::apply(value, other);
  }
  return value;
}

int warpsOf(int threads) { return (threads + warpSize - 1) / warpSize; }

/// Combines `value` over each warp of the first `threads` threads of the block, which have one.
template <typename T, typename Operation>
void share(T value, int threads, Partials partials) {
  int thread = threadOfBlock(), lane = thread % warpSize, warp = thread / warpSize;
  if (warp >= warpsOf(threads))
    return;
  int active = threads - warp * warpSize < warpSize ? threads - warp * warpSize : warpSize;
  if (lane < active)
    value = warpReduce<T, Operation>(value, lane, active);
  if (lane == 0)
    writeSlot((char *)(partials + warp * sizeof(Word) * wordsOf<T>), value);
}

/// Combines what the first `threads` threads have shared, and gives it to `deliver` in one thread. Reductions with
/// different numbers are combined by different warps: by whole ones, because others have too few lanes.
template <typename T, typename Operation, typename Deliver>
void combineShared(Partials partials, int number, int threads, Deliver deliver) {
  int thread = threadOfBlock(), lane = thread % warpSize, warp = thread / warpSize, warps = warpsOf(threads);
  int wholeWarps = threadsOfBlock() / warpSize;
  if (warp != (wholeWarps ? number % wholeWarps : 0) || lane >= warps)
    return;
  T value = readSlot<T>((char *)(partials + lane * sizeof(Word) * wordsOf<T>));
  value = warpReduce<T, Operation>(value, lane, warps);
  if (lane == 0)
    deliver(value);
}

/// What the partial results of the blocks `thread`, `thread + threads` ... come to.
template <typename T, typename Operation>
T gathered(char *scratch, int index, unsigned thread, unsigned threads, unsigned long blocks) {
  auto partial = [&](unsigned long block) {
    return readSlot<T>(partialSlot(scratch, index, blocks, block < blocks ? block : blocks - 1));
  };
  T total = partial(thread);
#pragma clang loop unroll(disable)
  for (unsigned long block = thread + threads; block < blocks; block += atATime<T> * threads) {
    T parts[atATime<T>];
    for (int i = 0; i < atATime<T>; ++i)
      parts[i] = partial(block + i * threads);
    // There is no neutral element at hand for blocks that do not exist.
    for (int i = 0; i < atATime<T>; ++i)
      if (block + i * threads < blocks)
        total = Operation::apply(total, parts[i]);
  }
  return total;
}

/// The threads of the last block that gather partial results: one for each block at most.
unsigned gatherers() {
  unsigned long blocks = blocksOfGrid();
  unsigned threads = threadsOfBlock();
  return blocks < threads ? unsigned(blocks) : threads;
}

} // namespace

/// Combines what all blocks have left over the warps of the last block.
template <typename T, typename Operation>
void gather(char *scratch, int index, Partials partials) {
  unsigned thread = threadOfBlock(), threads = gatherers();
  T total{};
  if (thread < threads)
    total = gathered<T, Operation>(scratch, index, thread, threads, blocksOfGrid());
  share<T, Operation>(total, threads, partials);
}

/// Combines what the warps have gathered into resultOf(scratch, index), or with `variable` if that is not null.
template <typename T, typename Operation>
void combine(Partials partials, int number, char *scratch, int index, T *variable) {
  combineShared<T, Operation>(partials, number, gatherers(), [&](T total) {
    if (variable)
      *variable = Operation::apply(*variable, total);
    else
      writeSlot(reinterpret_cast<char *>(resultOf(scratch, index).value), total);
  });
}

extern "C" void __cufx_grid_barrier() { barrier(); }

/// True in the block that has left its parts of the reductions last: it sees those of all. `index` is the first's.
extern "C" bool __cufx_grid_is_last_block(char *scratch, int index) {
  barrier();
  if (threadOfBlock() == 0) {
    Word others = static_cast<Word>(blocksOfGrid() - 1);
    __nvvm_membar_gl();
    // Becomes zero again with the last block, for the next launch.
    isLastBlock = __nvvm_atom_inc_gen_ui(counterSlot(scratch, index), others) == others;
  }
  barrier();
  bool isLast = isLastBlock;
  if (isLast)
    __nvvm_membar_gl();
  return isLast;
}

/// The host may look for results before the kernel has ended. What it sees marked, and all that the grid has written
/// before, is there.
extern "C" void __cufx_grid_complete_results() {
  barrier();
  if (threadOfBlock() == 0)
    __nvvm_membar_sys();
}
extern "C" void __cufx_grid_mark_result(char *scratch, int index) {
  if (threadOfBlock() == 0)
    *static_cast<volatile unsigned *>(&resultOf(scratch, index).isThere) = 1;
}

#define GRID_REDUCE(kind, Operation, suffix, T)                                                                        \
  extern "C" void __cufx_grid_share_##kind##_##suffix(const T *value, Partials partials) {                             \
    share<T, Operation>(*value, threadsOfBlock(), partials);                                                           \
  }                                                                                                                    \
  extern "C" void __cufx_grid_leave_##kind##_##suffix(Partials partials, int number, char *scratch, int index) {       \
    combineShared<T, Operation>(partials, number, threadsOfBlock(), [&](T value) {                                     \
      writeSlot(partialSlot(scratch, index, blocksOfGrid(), blockOfGrid()), value);                                    \
    });                                                                                                                \
  }                                                                                                                    \
  extern "C" void __cufx_grid_gather_##kind##_##suffix(char *scratch, int index, Partials partials) {                  \
    gather<T, Operation>(scratch, index, partials);                                                                    \
  }                                                                                                                    \
  extern "C" void __cufx_grid_combine_##kind##_##suffix(Partials partials, int number, char *scratch, int index,       \
                                                        T *variable) {                                                 \
    combine<T, Operation>(partials, number, scratch, index, variable);                                                 \
  }
GRID_REDUCE_ALL
