// Threads that wait for each other in vain: the launch ends with an error that says who waits where.
#include "test/unit/emulated/EmulatedTest.h"

namespace cufort::rt::emulated {
namespace {

class Deadlock : public EmulatedTest {
protected:
  /// Launches `kernel` and expects it to fail with `message` behind "cufort: kernel 'k': ".
  void expectFailure(ThreadFunction kernel, const Shape &shape, const std::string &message) {
    std::string output;
    EXPECT_EQ(launchAndCapture(output, kernel, shape), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(output, "cufort: kernel 'k': " + message + "\n");
    EXPECT_EQ(driver.ctxSynchronize(), CUDA_ERROR_LAUNCH_FAILED) << "the error stays";
    restart();
    EXPECT_EQ(driver.ctxSynchronize(), CUDA_SUCCESS);
  }
};

void twoBarriers(void **) {
  if (threadNumber() < 32)
    cufortEmuBarrier("x.cuf:12");
  else
    cufortEmuBarrier("x.cuf:18");
}

TEST_F(Deadlock, DifferentBarriers) {
  expectFailure(twoBarriers, {1, 64},
                "threads of block (1,1,1) wait at different barriers: 32 at x.cuf:12, 32 at "
                "x.cuf:18");
}

// The counts would add up on a GPU; the language requires the same statement.
void crossedBarriers(void **) {
  cufortEmuBarrier(threadNumber() ? "x.cuf:1" : "x.cuf:2");
  cufortEmuBarrier(threadNumber() ? "x.cuf:2" : "x.cuf:1");
}

TEST_F(Deadlock, BarriersInDifferentOrder) {
  expectFailure(crossedBarriers, {1, 33},
                "threads of block (1,1,1) wait at different barriers: 32 at x.cuf:1, 1 at "
                "x.cuf:2");
}

void differentKinds(void **) {
  if (threadNumber() < 5)
    cufortEmuBarrierAnd(1, "x.cuf:7");
  else
    cufortEmuBarrierOr(1, "x.cuf:7");
}

TEST_F(Deadlock, DifferentReductionsAtOnePlace) {
  expectFailure(differentKinds, {1, 8}, "threads of block (1,1,1) wait for ever: 8 at x.cuf:7");
}

void warpAgainstBarrier(void **) {
  if (threadNumber() == 2)
    return;
  if (threadNumber() < 8)
    cufortEmuShuffle32(0, 0xffff, 1, 0, 0x1f, "x.cuf:20");
  else
    cufortEmuBarrier("x.cuf:30");
}

TEST_F(Deadlock, WarpOperationThatLanesNeverReach) {
  expectFailure(warpAgainstBarrier, {1, 32},
                "threads of block (1,1,1) wait for ever: 24 barrier at x.cuf:30, 7 shuffle with mask 0000ffff at "
                "x.cuf:20; 1 has ended");
}

void differentMasks(void **) { cufortEmuVoteBallot(threadNumber() % 2 ? 0x3 : 0x7, 1, "x.cuf:5"); }

TEST_F(Deadlock, MasksThatDoNotAgree) {
  expectFailure(differentMasks, {1, 2},
                "threads of block (1,1,1) wait for ever: 1 vote with mask 00000003 at x.cuf:5, "
                "1 vote with mask 00000007 at x.cuf:5");
}

void onlyInThirdBlock(void **) {
  if (cufortEmuThread->blockIdx[1] == 2 && threadNumber() == 0)
    cufortEmuBarrier("x.cuf:1");
  else if (cufortEmuThread->blockIdx[1] == 2)
    cufortEmuBarrier(nullptr);
}

TEST_F(Deadlock, NamesTheBlock) {
  Shape shape{2, 3};
  shape.gridY = 3;
  set("CUFORT_EMULATED_THREADS", "1");
  expectFailure(onlyInThirdBlock, shape,
                "threads of block (1,3,1) wait at different barriers: 2 at an unknown place, 1 "
                "at x.cuf:1");
}

void gridBarrier(void **) { cufortEmuGridBarrier("x.cuf:3"); }

TEST_F(Deadlock, GridBarrierInAnOrdinaryLaunch) {
  expectFailure(gridBarrier, {1, 3}, "grid barrier in a launch that is not cooperative, at x.cuf:3");
}

void blockLeavesBeforeGridBarrier(void **) {
  if (blockNumber() != 2)
    cufortEmuGridBarrier("x.cuf:3");
}

TEST_F(Deadlock, GridBarrierThatABlockNeverReaches) {
  Shape shape{5, 40};
  shape.cooperative = true;
  expectFailure(blockLeavesBeforeGridBarrier, shape,
                "blocks wait for ever at the grid barrier: 4 at x.cuf:3; 1 have "
                "ended");
}

void blocksAtDifferentGridBarriers(void **) { cufortEmuGridBarrier(blockNumber() < 3 ? "x.cuf:3" : "x.cuf:4"); }

TEST_F(Deadlock, DifferentGridBarriers) {
  Shape shape{5, 40};
  shape.cooperative = true;
  expectFailure(blocksAtDifferentGridBarriers, shape,
                "blocks wait for ever at the grid barrier: 3 at x.cuf:3, 2 at "
                "x.cuf:4");
}

void gridAgainstBlockBarrier(void **) {
  if (blockNumber() == 1 && threadNumber() == 7)
    cufortEmuBarrier("x.cuf:9");
  cufortEmuGridBarrier("x.cuf:3");
}

TEST_F(Deadlock, BlockBarrierAgainstGridBarrier) {
  Shape shape{3, 8};
  shape.cooperative = true;
  expectFailure(gridAgainstBlockBarrier, shape,
                "threads of block (2,1,1) wait for ever: 1 barrier at x.cuf:9, 7 grid "
                "barrier at x.cuf:3");
}

void barrierOfALoopKernel(void **, const CufortEmuBlocks *) { cufortEmuBarrier("x.cuf:1"); }

TEST_F(Deadlock, BarrierInAKernelCompiledAsHavingNone) {
  KernelTraits traits;
  traits.blocks = barrierOfALoopKernel;
  std::string output;
  EXPECT_EQ(launchAndCapture(output, gridBarrier, {4, 3}, {}, traits), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(output, "cufort: kernel 'k': a barrier or warp operation in a kernel that was compiled as having none\n");
}

} // namespace
} // namespace cufort::rt::emulated
