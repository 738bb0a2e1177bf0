// Grid reductions on the emulated device: whoever has a value takes the lock and combines it with the result.
//
// Kernels that run as loops over blocks collect the values of these blocks first, without a lock, and deliver once:
// codegen/DeviceLink/PartialResults.h.

#include "codegen/DeviceLibrary/GridReduce.h"

/// Makes `value` part of `result`.
template <typename T, typename Operation>
void collect(const T *value, T *result, Word *hasResult) {
  *result = *hasResult ? Operation::apply(*result, *value) : *value;
  *hasResult = 1;
}

template <typename T>
using Collect = void(const T *value, T *result, Word *hasResult);

template <typename T, Collect<T> *collect>
void gridReduce(const T *value, char *scratch, int index, T *variable) {
  Word *state = counterSlot(scratch, index);
  Word &lock = state[0], &hasResult = state[1];
  while (__atomic_exchange_n(&lock, 1u, __ATOMIC_ACQUIRE))
    __builtin_ia32_pause();
  Word always = 1;
  T *result = variable ? variable : reinterpret_cast<T *>(resultOf(scratch, index).value);
  collect(value, result, variable ? &always : &hasResult);
  __atomic_store_n(&lock, 0u, __ATOMIC_RELEASE);
}

#define GRID_REDUCE(kind, Operation, suffix, T)                                                                        \
  extern "C" __attribute__((noinline)) void __cufx_grid_collect_##kind##_##suffix(const T *value, T *result,           \
                                                                                  Word *hasResult) {                   \
    collect<T, Operation>(value, result, hasResult);                                                                   \
  }                                                                                                                    \
  extern "C" void __cufx_grid_reduce_##kind##_##suffix(const T *value, char *scratch, int index,                       \
                                                       T *variable) {                                                  \
    gridReduce<T, __cufx_grid_collect_##kind##_##suffix>(value, scratch, index, variable);                             \
  }
GRID_REDUCE_ALL
