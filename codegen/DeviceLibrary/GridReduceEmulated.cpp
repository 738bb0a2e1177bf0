// Grid reductions on the emulated device: threads take turns at the result.

#include "codegen/DeviceLibrary/GridReduce.h"

template <typename T, typename Operation>
void gridReduce(T value, char *scratch, int index, int count) {
  Word *state = counterSlot(scratch, index, count);
  Word &lock = state[0], &hasValue = state[1];
  while (__atomic_exchange_n(&lock, 1u, __ATOMIC_ACQUIRE))
    __builtin_ia32_pause();
  T *result = reinterpret_cast<T *>(resultSlot(scratch, index));
  *result = hasValue ? Operation::apply(*result, value) : value;
  hasValue = 1;
  __atomic_store_n(&lock, 0u, __ATOMIC_RELEASE);
}

GRID_REDUCE_ALL
