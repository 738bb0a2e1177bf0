// What scalar evolution makes of a row of blocks has a division, by a number that it does not know not to be 0. The
// row's length is there, though: the latch compares with it.

#include "codegen/DeviceLink/CountOfThreads.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

CountOfThreads::CountOfThreads(Loop &loop, ScalarEvolution &scalars) : loop(loop), scalars(scalars) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() || loop.getExitingBlock() != loop.getLoopLatch() || findLimit())
    return;
  const SCEV *last = scalars.getBackedgeTakenCount(&loop);
  if (!isa<SCEVCouldNotCompute>(last) && last->getType()->getIntegerBitWidth() <= 64 &&
      SCEVExpander(scalars, "threads").isSafeToExpand(last))
    lastRound = last;
}

bool CountOfThreads::findLimit() {
  auto *branch = dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  Value *counter;
  if (!compare || !match(compare->getOperand(0), m_Add(m_Value(counter), m_One())) ||
      !loop.isLoopInvariant(compare->getOperand(1)) || compare->getOperand(1)->getType()->getIntegerBitWidth() > 64)
    return false;
  auto *phi = dyn_cast<PHINode>(counter);
  goesOn = branch->getSuccessor(0) == loop.getHeader() ? compare->getPredicate() : compare->getInversePredicate();
  if (!phi || phi->getParent() != loop.getHeader() ||
      phi->getIncomingValueForBlock(loop.getLoopLatch()) != compare->getOperand(0) ||
      (goesOn != CmpInst::ICMP_ULT && goesOn != CmpInst::ICMP_NE && goesOn != CmpInst::ICMP_SLT))
    return false;
  first = phi->getIncomingValueForBlock(loop.getLoopPreheader());
  limit = compare->getOperand(1);
  return true;
}

Value *CountOfThreads::emit() {
  IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  Type *i64 = builder.getInt64Ty();
  if (lastRound) {
    SCEVExpander expander(scalars, "threads");
    Value *last = expander.expandCodeFor(lastRound, lastRound->getType(), builder.GetInsertPoint());
    return builder.CreateAdd(builder.CreateZExt(last, i64), builder.getInt64(1));
  }
  Value *end = limit;
  if (goesOn != CmpInst::ICMP_NE) {
    Value *second = builder.CreateAdd(first, ConstantInt::get(first->getType(), 1));
    end = builder.CreateBinaryIntrinsic(goesOn == CmpInst::ICMP_SLT ? Intrinsic::smax : Intrinsic::umax, limit, second);
  }
  return builder.CreateZExt(builder.CreateSub(end, first), i64);
}
