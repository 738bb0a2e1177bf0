// Asynchronous barriers: phases, tokens and announced bytes; and bulk copies between global and shared memory.
#include "test/unit/emulated/EmulatedTest.h"
#include <cstring>

namespace cufort::rt::emulated {
namespace {

class AsyncBarriers : public EmulatedTest {};

int64_t *barrierOfBlock() { return reinterpret_cast<int64_t *>(cufortEmuThread->dynamicShared); }
char *dataOfBlock() { return cufortEmuThread->dynamicShared + 16; }

void initialise(int32_t count) {
  if (threadNumber() == 0)
    cufortEmuAsyncBarrierInit(barrierOfBlock(), count);
  cufortEmuBarrier("init:2");
}

/// Each thread adds its left neighbour's value, round after round, waiting at the asynchronous barrier alone.
void rotate(void **params) {
  auto *out = param<int *>(params, 0);
  int rounds = param<int>(params, 1);
  bool sleeps = param<bool>(params, 2);
  unsigned threads = cufortEmuThread->blockDim[0], me = threadNumber();
  auto *values = reinterpret_cast<int *>(dataOfBlock());
  initialise(int(threads));
  auto meet = [&] {
    int64_t token = cufortEmuAsyncBarrierArrive(barrierOfBlock(), 0);
    if (!sleeps) {
      EXPECT_EQ(cufortEmuAsyncBarrierWait(barrierOfBlock(), token), 1);
    }
    while (sleeps && !cufortEmuAsyncBarrierWaitFor(barrierOfBlock(), token, 1000)) {
    }
  };
  values[me] = int(me);
  for (int i = 0; i < rounds; ++i) {
    meet();
    int sum = values[me] + values[(me + threads - 1) % threads];
    meet();
    values[me] = sum % 10007;
  }
  out[blockNumber() * threads + me] = values[me];
}

TEST_F(AsyncBarriers, phasesFollowOneAnother) {
  constexpr int threads = 70, blocks = 5, rounds = 37; // more phases than a token tells apart
  std::vector<int> expected(threads), next(threads);
  for (int i = 0; i < threads; ++i)
    expected[i] = i;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < threads; ++i)
      next[i] = (expected[i] + expected[(i + threads - 1) % threads]) % 10007;
    expected.swap(next);
  }
  for (bool sleeps : {false, true}) {
    std::vector<int> out(blocks * threads, -1);
    int *data = out.data(), number = rounds;
    Shape shape{blocks, threads};
    shape.dynamicShared = 16 + threads * sizeof(int);
    ASSERT_EQ(launch(rotate, shape, {&data, &number, &sleeps}), CUDA_SUCCESS);
    for (int i = 0; i < blocks * threads; ++i)
      ASSERT_EQ(out[i], expected[i % threads]) << i;
  }
}

/// The phase is over when the bytes are there as well as the threads, whichever comes first.
void expectBytes(void **params) {
  auto *from = param<const char *>(params, 0);
  auto *ok = param<bool *>(params, 1);
  int64_t *barrier = barrierOfBlock();
  initialise(1);
  int64_t token = cufortEmuAsyncBarrierArrive(barrier, 64);
  ok[0] = !cufortEmuAsyncBarrierWaitFor(barrier, token, 0);
  cufortEmuAsyncBulkLoad(barrier, from, dataOfBlock(), 48, 0);
  ok[1] = !cufortEmuAsyncBarrierWaitFor(barrier, token, 0);
  cufortEmuAsyncBulkLoad(barrier, from + 48, dataOfBlock() + 48, 16, 0);
  ok[2] = cufortEmuAsyncBarrierWaitFor(barrier, token, 0);
  ok[3] = memcmp(dataOfBlock(), from, 64) == 0;
  cufortEmuAsyncBulkLoad(barrier, from, dataOfBlock(), 32, 1); // announces its own bytes
  token = cufortEmuAsyncBarrierArrive(barrier, 0);
  ok[4] = cufortEmuAsyncBarrierWait(barrier, token);
  cufortEmuAsyncBulkLoad(barrier, from, dataOfBlock(), 32, 0); // before they are announced
  token = cufortEmuAsyncBarrierArrive(barrier, 32);
  ok[5] = cufortEmuAsyncBarrierWaitFor(barrier, token, 0);
}

TEST_F(AsyncBarriers, aPhaseWaitsForItsBytes) {
  alignas(16) char from[64];
  for (int i = 0; i < 64; ++i)
    from[i] = char(i * 7);
  bool ok[6] = {}, *results = ok;
  const char *source = from;
  Shape shape{1, 1};
  shape.dynamicShared = 16 + 64;
  ASSERT_EQ(launch(expectBytes, shape, {&source, &results}), CUDA_SUCCESS);
  for (int i = 0; i < 6; ++i)
    EXPECT_TRUE(ok[i]) << i;
}

void store(void **params) {
  memset(dataOfBlock(), 42, 32);
  cufortEmuAsyncBulkStore(dataOfBlock(), param<char *>(params, 0), 32);
}

TEST_F(AsyncBarriers, bulkStore) {
  alignas(16) char to[48] = {}, *target = to;
  Shape shape{1, 1};
  shape.dynamicShared = 16 + 64;
  ASSERT_EQ(launch(store, shape, {&target}), CUDA_SUCCESS);
  EXPECT_EQ(to[31], 42);
  EXPECT_EQ(to[32], 0);
}

/// What is wrong is chosen by the parameter.
void misuse(void **params) {
  static int64_t notShared;
  alignas(16) static char global[64];
  int64_t *barrier = barrierOfBlock();
  int32_t count = 1;
  switch (param<int>(params, 0)) {
  case 0:
    return cufortEmuAsyncBarrierInit(&notShared, count);
  case 1:
    return cufortEmuAsyncBarrierInit(barrier, 0);
  case 2:
    cufortEmuAsyncBarrierInit(barrier, count);
    cufortEmuAsyncBarrierArrive(barrier, 16);
    cufortEmuAsyncBarrierArrive(barrier, 0);
    return;
  case 3:
    cufortEmuAsyncBarrierInit(barrier, count);
    return cufortEmuAsyncBulkLoad(barrier, global, dataOfBlock(), 20, 1);
  case 4:
    cufortEmuAsyncBarrierInit(barrier, count);
    return cufortEmuAsyncBulkLoad(barrier, global + 8, dataOfBlock(), 16, 0);
  case 5:
    return cufortEmuAsyncBulkStore(global, global + 32, 16);
  case 6:
    cufortEmuAsyncBarrierInit(barrier, 2);
    cufortEmuAsyncBarrierWait(barrier, cufortEmuAsyncBarrierArrive(barrier, 0));
  }
}

TEST_F(AsyncBarriers, misuseIsReported) {
  const char *reports[] = {
      "barrier_init: the barrier is not in shared memory, or not aligned",
      "barrier_init: the number of arrivals is not between 1 and 1048575",
      "barrier_arrive: more arrivals in one phase than barrier_init was told",
      "tma_bulk_load: the number of bytes is no multiple of 16",
      "tma_bulk_g2s: the address of a bulk copy is no multiple of 16",
      "tma_bulk_store: one side of the copy is not in shared memory",
      "wait for ever: 1 asynchronous barrier at an unknown place",
  };
  for (int i = 0; i < 7; ++i) {
    std::string output;
    Shape shape{1, 1};
    shape.dynamicShared = 16 + 64;
    EXPECT_NE(launchAndCapture(output, misuse, shape, {&i}), CUDA_SUCCESS);
    EXPECT_NE(output.find(reports[i]), std::string::npos) << output;
    restart();
  }
}

} // namespace
} // namespace cufort::rt::emulated
