// Asynchronous copies on the emulated device are complete at once.

extern "C" void cufortAsyncCopy2(void *to, const void *from) { __builtin_memcpy(to, from, 2); }
extern "C" void cufortAsyncCopy4(void *to, const void *from) { __builtin_memcpy(to, from, 4); }
extern "C" void cufortAsyncCopy8(void *to, const void *from) { __builtin_memcpy(to, from, 8); }
extern "C" void cufortAsyncCopy16(void *to, const void *from) { __builtin_memcpy(to, from, 16); }
extern "C" void cufortAsyncCommit() {}
extern "C" void cufortAsyncWait(int) {}
