// The barrier of all blocks of a cooperative launch, syncthreads(this_grid()) in Fortran.

#ifdef __NVPTX__

namespace {

/// Where the driver says that a cooperative launch has its workspace: in the environment registers 1 and 2.
struct GridWorkspace {
  unsigned size;
  unsigned arrivals; ///< the top bit turns over when all blocks have come
};

GridWorkspace *gridWorkspace() {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<GridWorkspace *>(static_cast<unsigned long>(high) << 32 | low);
}

unsigned addRelease(unsigned *word, unsigned value) {
  unsigned old;
  asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(old) : "l"(word), "r"(value) : "memory");
  return old;
}

unsigned loadAcquire(const unsigned *word) {
  unsigned value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

bool isFirstThread() {
  return !(__nvvm_read_ptx_sreg_tid_x() | __nvvm_read_ptx_sreg_tid_y() | __nvvm_read_ptx_sreg_tid_z());
}
bool isFirstBlock() {
  return !(__nvvm_read_ptx_sreg_ctaid_x() | __nvvm_read_ptx_sreg_ctaid_y() | __nvvm_read_ptx_sreg_ctaid_z());
}

} // namespace

/// One thread of each block counts the block and waits for the others. All counts together turn the top bit over and
/// leave the rest as it was, which makes the word ready for the next barrier.
extern "C" void cufortGridBarrier(const void *) {
  constexpr unsigned topBit = 0x80000000u;
  __syncthreads();
  if (isFirstThread()) {
    unsigned blocks =
        __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_nctaid_z();
    unsigned *arrivals = &gridWorkspace()->arrivals;
    unsigned before = addRelease(arrivals, isFirstBlock() ? topBit - (blocks - 1) : 1);
    while (!((before ^ loadAcquire(arrivals)) & topBit)) {
    }
  }
  __syncthreads();
}

#else

#include "runtime/ABI/EmulatedABI.h"

extern "C" void cufortGridBarrier(const void *) { cufortEmuGridBarrier(nullptr); }

#endif
