// Grid reductions on a GPU. Lanes combine by shuffles, warps through shared memory, blocks through scratch memory:
// the block that delivers last combines the partial results of all, in a fixed order, so that a launch gives the
// same bits every time.
//
// A kernel may have several reductions. They go through the steps together, because what takes long is to wait for
// memory: codegen/DeviceLink/GridReductions.h.

#include "codegen/DeviceLibrary/GridReduce.h"

namespace {

constexpr int warpSize = 32;
constexpr int maxWarps = 32;
/// Partial results of blocks whose loads are under way together.
constexpr int atATime = 4;

/// Partial results of the warps of a block, and whether the block is the last one.
alignas(slotBytes) __attribute__((address_space(3))) char warpPartials[maxWarps * slotBytes];
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

/// Combines `value` over the first `threads` threads of the block; the result is in thread 0. All threads call it.
template <typename T, typename Operation>
T blockReduce(T value, int threads) {
  int thread = threadOfBlock();
  int lane = thread % warpSize, warp = thread / warpSize, warps = (threads + warpSize - 1) / warpSize;
  int active = threads - warp * warpSize < warpSize ? threads - warp * warpSize : warpSize;
  if (thread < threads)
    value = warpReduce<T, Operation>(value, lane, active);
  barrier(); // the buffer may still be in use by an earlier reduction
  auto partial = [](int i) { return (char *)(warpPartials + i * slotBytes); };
  if (lane == 0 && warp < warps)
    writeSlot(partial(warp), value);
  barrier();
  if (warp == 0 && lane < warps)
    value = warpReduce<T, Operation>(readSlot<T>(partial(lane)), lane, warps);
  return value;
}

} // namespace

/// Leaves what the block's values of a reduction come to for the last block.
template <typename T, typename Operation>
void leave(T value, char *scratch, int index) {
  value = blockReduce<T, Operation>(value, threadsOfBlock());
  if (threadOfBlock() == 0)
    writeSlot(partialSlot(scratch, index, blocksOfGrid(), blockOfGrid()), value);
}

/// Combines what all blocks have left into resultOf(scratch, index), or with `variable` if that is not null.
template <typename T, typename Operation>
void combine(char *scratch, int index, T *variable) {
  unsigned long blocks = blocksOfGrid();
  int thread = threadOfBlock(), threads = threadsOfBlock();
  auto partial = [&](unsigned long block) { return readSlot<T>(partialSlot(scratch, index, blocks, block)); };
  // A thread for each block at most: there is no neutral element at hand for the others.
  unsigned long contributors = blocks < static_cast<unsigned long>(threads) ? blocks : threads;
  T total{};
  if (static_cast<unsigned long>(thread) < contributors) {
    total = partial(thread);
    unsigned long block = thread + contributors;
    for (; block + (atATime - 1) * contributors < blocks; block += atATime * contributors) {
      T parts[atATime];
      for (int i = 0; i < atATime; ++i)
        parts[i] = partial(block + i * contributors);
      for (T part : parts)
        total = Operation::apply(total, part);
    }
    for (; block < blocks; block += contributors)
      total = Operation::apply(total, partial(block));
  }
  total = blockReduce<T, Operation>(total, int(contributors));
  if (thread == 0 && variable)
    *variable = Operation::apply(*variable, total);
  else if (thread == 0)
    writeSlot(reinterpret_cast<char *>(resultOf(scratch, index).value), total);
}

/// True in the block that has left its parts of the reductions last: it sees those of all.
extern "C" bool __cufx_grid_is_last_block(char *scratch) {
  if (threadOfBlock() == 0) {
    Word others = static_cast<Word>(blocksOfGrid() - 1);
    __nvvm_membar_gl();
    // Becomes zero again with the last block, for the next launch.
    isLastBlock = __nvvm_atom_inc_gen_ui(counterSlot(scratch, 0), others) == others;
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
  if (threadOfBlock() == 0)
    __nvvm_membar_sys();
}
extern "C" void __cufx_grid_mark_result(char *scratch, int index) {
  if (threadOfBlock() == 0)
    *static_cast<volatile unsigned *>(&resultOf(scratch, index).isThere) = 1;
}

#define GRID_REDUCE(kind, Operation, suffix, T)                                                                        \
  extern "C" void __cufx_grid_leave_##kind##_##suffix(const T *value, char *scratch, int index) {                      \
    leave<T, Operation>(*value, scratch, index);                                                                       \
  }                                                                                                                    \
  extern "C" void __cufx_grid_combine_##kind##_##suffix(char *scratch, int index, T *variable) {                       \
    combine<T, Operation>(scratch, index, variable);                                                                   \
  }
GRID_REDUCE_ALL
