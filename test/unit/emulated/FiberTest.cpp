// Fibers and their stacks, without kernels.
#include "runtime/Emulated/FiberPool.h"
#include <cfenv>
#include <gtest/gtest.h>
#include <xmmintrin.h>

namespace cufort::rt::emulated {
namespace {

constexpr size_t stackBytes = 64 << 10;

Fiber home;
int counter;

void countUp(void *argument) {
  Fiber &me = *static_cast<Fiber *>(argument);
  for (;;) {
    ++counter;
    switchFiber(me, home);
  }
}

TEST(Fiber, SwitchesBackAndForth) {
  enterHome(home);
  counter = 0;
  Fiber *fiber = createFiber(stackBytes, 0, countUp, nullptr);
  ASSERT_NE(fiber, nullptr);
  for (int i = 1; i <= 1000; ++i) {
    switchFiber(home, *fiber);
    ASSERT_EQ(counter, i);
  }
  destroyFiber(fiber);
}

// Ten fibers with state in registers and on their stacks, run in turn.
void fibonacci(void *argument) {
  Fiber &me = *static_cast<Fiber *>(argument);
  auto &out = *static_cast<uint64_t *>(me.owner);
  volatile uint64_t onStack[64] = {out};
  uint64_t a = out, b = 1;
  for (int i = 0;; ++i) {
    uint64_t next = a + b;
    a = b;
    b = next;
    onStack[i % 64] = next;
    out = onStack[i % 64];
    switchFiber(me, home);
  }
}

TEST(Fiber, KeepTheirStates) {
  enterHome(home);
  uint64_t out[10];
  Fiber *fibers[10];
  for (unsigned i = 0; i < 10; ++i) {
    out[i] = i;
    fibers[i] = createFiber(stackBytes, i, fibonacci, &out[i]);
  }
  uint64_t a[10], b[10];
  for (unsigned i = 0; i < 10; ++i) {
    a[i] = i;
    b[i] = 1;
  }
  for (int step = 0; step < 80; ++step)
    for (int i = 0; i < 10; ++i) {
      switchFiber(home, *fibers[i]);
      uint64_t next = a[i] + b[i];
      a[i] = b[i];
      b[i] = next;
      ASSERT_EQ(out[i], next) << step << " " << i;
    }
  for (Fiber *fiber : fibers)
    destroyFiber(fiber);
}

int roundingInFiber;
unsigned mxcsrInFiber;

void changeRounding(void *argument) {
  Fiber &me = *static_cast<Fiber *>(argument);
  fesetround(FE_UPWARD);
  for (;;) {
    switchFiber(me, home);
    roundingInFiber = fegetround();
    mxcsrInFiber = _mm_getcsr() & 0x6000;
  }
}

TEST(Fiber, HaveTheirOwnRoundingDirection) {
  enterHome(home);
  Fiber *fiber = createFiber(stackBytes, 0, changeRounding, nullptr);
  switchFiber(home, *fiber);
  EXPECT_EQ(fegetround(), FE_TONEAREST) << "x87";
  EXPECT_EQ(_mm_getcsr() & 0x6000, 0u) << "SSE";
  fesetround(FE_DOWNWARD);
  switchFiber(home, *fiber);
  EXPECT_EQ(fegetround(), FE_DOWNWARD);
  fesetround(FE_TONEAREST);
  EXPECT_EQ(roundingInFiber, FE_UPWARD);
  EXPECT_EQ(mxcsrInFiber, 0x4000u);
  destroyFiber(fiber);
}

int left;

// Through a pointer, because a compiler that saw it never returns would call the recursion infinite.
void (*volatile leave)(Fiber &from, Fiber &to) = abandonFiber;

__attribute__((noinline)) int leaveFromDeep(Fiber &me, int depth) {
  volatile char frame[200] = {};
  frame[depth] = 1;
  if (depth == 0) {
    ++left;
    leave(me, home);
    return 0;
  }
  return leaveFromDeep(me, depth - 1) + frame[depth];
}

void leaveForGood(void *argument) { leaveFromDeep(*static_cast<Fiber *>(argument), 20); }

TEST(Fiber, CanBeAbandonedAndStartedAgain) {
  enterHome(home);
  left = 0;
  Fiber *fiber = createFiber(stackBytes, 0, leaveForGood, nullptr);
  for (int i = 1; i < 100; ++i) {
    switchFiber(home, *fiber);
    EXPECT_EQ(left, i);
    resetFiber(*fiber, leaveForGood);
  }
  destroyFiber(fiber);
}

TEST(Fiber, StackTopsAreStaggered) {
  FiberStack first = allocateStack(stackBytes, 0), second = allocateStack(stackBytes, 1);
  EXPECT_NE(reinterpret_cast<uintptr_t>(first.top) % 4096, reinterpret_cast<uintptr_t>(second.top) % 4096);
  for (FiberStack *stack : {&first, &second}) {
    EXPECT_GE(size_t(stack->top - stack->low), stackBytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(stack->top) % 16, 0u);
    EXPECT_TRUE(isJustBelow(*stack, stack->low - 1));
    EXPECT_TRUE(isJustBelow(*stack, stack->low - stackBytes / 2));
    EXPECT_FALSE(isJustBelow(*stack, stack->low));
    EXPECT_FALSE(isOverrun(*stack));
    *stack->low = 1;
    freeStack(*stack);
  }
}

// The kernel limits the number of mappings; stacks beyond a part of it do without a guard area.
TEST(Fiber, StacksBeyondTheLimitHaveAMarkInsteadOfAGuard) {
  long limit = limitGuardedStacks(0);
  EXPECT_GT(limit, 1000);
  FiberStack marked = allocateStack(stackBytes, 0);
  limitGuardedStacks(limit);
  FiberStack guarded = allocateStack(stackBytes, 0);
  EXPECT_TRUE(guarded.guarded);
  ASSERT_NE(marked.low, nullptr);
  ASSERT_FALSE(marked.guarded);
  EXPECT_FALSE(isOverrun(marked));
  *marked.low = 1;
  EXPECT_TRUE(isOverrun(marked));
  freeStack(marked);
  freeStack(guarded);
}

TEST(Fiber, PoolHandsOutEachFiberOnce) {
  enterHome(home);
  counter = 0;
  FiberPool pool(countUp, &counter);
  pool.setStackBytes(stackBytes);
  Fiber *first = pool.take(), *second = pool.take();
  EXPECT_NE(first, second);
  switchFiber(home, *first);
  switchFiber(home, *second);
  EXPECT_EQ(counter, 2);
  pool.give(*first);
  EXPECT_EQ(pool.take(), first);
  pool.resetTaken();
  EXPECT_NE(pool.take(), nullptr);
  pool.resetTaken();
  pool.trim(1);
  Fiber *kept = pool.take();
  switchFiber(home, *kept);
  EXPECT_EQ(counter, 3);
  pool.resetTaken();
  pool.setStackBytes(2 * stackBytes);
  Fiber *larger = pool.take();
  EXPECT_GE(size_t(larger->stack.top - larger->stack.low), 2 * stackBytes);
  pool.resetTaken();
}

} // namespace
} // namespace cufort::rt::emulated
