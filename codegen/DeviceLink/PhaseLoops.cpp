// For each phase:
//
//   meeting:    what the meeting gives to all threads or to all lanes of a warp
//   run:        for all threads: next = phase(thread)
//   choose:     all the same: on to that phase, or to the next block; else: the runtime finishes the block
//
// What threads share, and the memory for operands, exist twice, so that a thread sees what was there before the phase
// although others have run it already.

#include "codegen/DeviceLink/PhaseLoops.h"
#include "runtime/ABI/EmulatedABI.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace cufort::codegen;

/// Room for what all threads keep.
static AllocaInst *createShared(IRBuilder<> &builder, const Phases &phases) {
  AllocaInst *shared = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), phases.sharedBytes), nullptr, "shared");
  shared->setAlignment(Align(16));
  return shared;
}

static Value *loadMemory(IRBuilder<> &builder, Value *range) {
  return loadOfRange(builder, builder.getPtrTy(), range, offsetof(CufortEmuBlocks, memory));
}

static Value *placeInMemory(IRBuilder<> &builder, Value *memory, uint64_t offset) {
  return builder.CreateConstGEP1_64(builder.getInt8Ty(), memory, offset * emulatedThreads);
}

namespace {

class PhaseLoops {
public:
  PhaseLoops(IRBuilder<> &builder, const Phases &phases, Value *range, ArrayRef<Value *> arguments, bool storeIdentity)
      : builder(builder), phases(phases), arguments(arguments), storeIdentity(storeIdentity) {
    sharedIn = createShared(builder, phases);
    sharedOut = createShared(builder, phases);
    operandsIn = builder.CreateAlloca(builder.getPtrTy(), nullptr, "operands.in");
    operandsOut = builder.CreateAlloca(builder.getPtrTy(), nullptr, "operands.out");
    lowest = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "lowest");
    highest = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "highest");
    memory = loadMemory(builder, range);
    numbers = placeInMemory(builder, memory, phaseNumbersOffset);
  }

  /// Emits one block.
  void run(const EmulatedBlock &theBlock) {
    block = &theBlock;
    threadCount = countThreads(builder, theBlock);
    builder.CreateStore(placeInMemory(builder, memory, phaseOperandsOffset), operandsOut);
    builder.CreateStore(placeInMemory(builder, memory, phaseOperandsOffset + phaseOperandsBytes), operandsIn);
    starts.clear();
    for (size_t number = 0; number < phases.list.size(); ++number)
      starts.push_back(newBlock("phase." + Twine(number)));
    end = newBlock("block.end");
    builder.CreateBr(starts.front());
    for (auto [start, phase] : zip(starts, phases.list)) {
      builder.SetInsertPoint(start);
      if (start != starts.front())
        meet(phase);
      runThreads(phase);
      chooseNext(phase);
    }
    builder.SetInsertPoint(end);
  }

private:
  BasicBlock *newBlock(const Twine &name) {
    return BasicBlock::Create(builder.getContext(), name, builder.GetInsertBlock()->getParent());
  }
  Value *load(AllocaInst *variable) { return builder.CreateLoad(variable->getAllocatedType(), variable); }
  CallInst *call(StringRef name, Type *result, ArrayRef<Value *> operands) {
    SmallVector<Type *> types;
    for (Value *operand : operands)
      types.push_back(operand->getType());
    Module &module = *builder.GetInsertBlock()->getModule();
    return builder.CreateCall(module.getOrInsertFunction(name, FunctionType::get(result, types, false)), operands);
  }

  void meet(const Phase &phase);
  void runThreads(const Phase &phase);
  void noteNext(const Phase &phase, Value *next, Value *thread);
  void chooseNext(const Phase &phase);

  IRBuilder<> &builder;
  const Phases &phases;
  ArrayRef<Value *> arguments;
  bool storeIdentity;
  AllocaInst *sharedIn, *sharedOut;
  AllocaInst *operandsIn, *operandsOut;
  AllocaInst *lowest, *highest; ///< numbers of the phases that follow
  Value *memory, *numbers;

  const EmulatedBlock *block = nullptr;
  Value *threadCount = nullptr;
  SmallVector<BasicBlock *> starts;
  BasicBlock *end = nullptr;
};

void PhaseLoops::meet(const Phase &phase) {
  Value *in = load(operandsIn), *out = load(operandsOut);
  builder.CreateStore(out, operandsIn);
  builder.CreateStore(in, operandsOut);
  auto vote = [&](CufortEmuVote vote) {
    call("cufortEmuVoteInWarps", builder.getVoidTy(), {out, threadCount, builder.getInt32(vote)});
  };
  auto share = [&](auto resultOf) {
    Value *trueCount = call("cufortEmuCountTrue", builder.getInt64Ty(), {out, threadCount});
    Value *result = builder.CreateZExtOrTrunc(resultOf(trueCount), builder.getInt32Ty());
    for (AllocaInst *shared : {sharedIn, sharedOut})
      builder.CreateStore(result, builder.CreateConstGEP1_64(builder.getInt8Ty(), shared, phase.sharedResult));
  };
  switch (phase.meeting) {
  case Meeting::CountTrue:
    return share([](Value *count) { return count; });
  case Meeting::AllTrue:
    return share([&](Value *count) { return builder.CreateICmpEQ(count, threadCount); });
  case Meeting::AnyTrue:
    return share([&](Value *count) { return builder.CreateIsNotNull(count); });
  case Meeting::VoteAll:
    return vote(CufortEmuVoteForAll);
  case Meeting::VoteAny:
    return vote(CufortEmuVoteForAny);
  case Meeting::Ballot:
    return vote(CufortEmuVoteForBallot);
  case Meeting::Barrier:
  case Meeting::Warp:
  case Meeting::Shuffle:
    return;
  }
}

void PhaseLoops::runThreads(const Phase &phase) {
  builder.CreateStore(builder.getInt32(~0u), lowest);
  builder.CreateStore(builder.getInt32(0), highest);
  createThreadLoops(builder, *block, storeIdentity, [&](ArrayRef<Value *> identity, Value *thread) {
    SmallVector<Value *> all(arguments);
    append_range(all, identity);
    Value *further[PhaseParameterCount] = {thread,   threadCount, memory,           memory,
                                           sharedIn, sharedOut,   load(operandsIn), load(operandsOut)};
    append_range(all, further);
    noteNext(phase, builder.CreateCall(phase.function, all), thread);
  });
  builder.CreateMemCpy(sharedIn, Align(16), sharedOut, Align(16), phases.sharedBytes);
}

/// What follows is only noted if it is not known.
void PhaseLoops::noteNext(const Phase &phase, Value *next, Value *thread) {
  if (phase.next.size() < 2)
    return;
  if (phase.staysTogether) {
    builder.CreateStore(next, highest);
    return;
  }
  builder.CreateStore(next, builder.CreateGEP(builder.getInt32Ty(), numbers, thread));
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::umin, load(lowest), next), lowest);
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::umax, load(highest), next), highest);
}

void PhaseLoops::chooseNext(const Phase &phase) {
  auto startOf = [&](unsigned number) { return number ? starts[number] : end; };
  if (phase.next.empty()) {
    builder.CreateUnreachable();
    return;
  }
  if (phase.next.size() == 1) {
    builder.CreateBr(startOf(phase.next.front()));
    return;
  }
  Value *next = load(highest);
  if (!phase.staysTogether) {
    auto *apart = newBlock("apart"), *together = newBlock("together");
    builder.CreateCondBr(builder.CreateICmpEQ(load(lowest), next), together, apart);
    builder.SetInsertPoint(apart);
    call("cufortEmuFinishBlock", builder.getVoidTy(), {block->range, block->number, numbers, sharedIn});
    builder.CreateBr(end);
    builder.SetInsertPoint(together);
  }
  SwitchInst *choice = builder.CreateSwitch(next, startOf(phase.next.back()));
  for (unsigned number : drop_end(phase.next))
    choice->addCase(builder.getInt32(number), startOf(number));
}

} // namespace

void cufort::codegen::createPhaseLoops(IRBuilder<> &builder, const Phases &phases, Value *range,
                                       ArrayRef<Value *> arguments, bool storeIdentity) {
  PhaseLoops loops(builder, phases, range, arguments, storeIdentity);
  createBlockLoop(builder, range, [&](const EmulatedBlock &block) { loops.run(block); });
}

SmallVector<Value *> cufort::codegen::createResumeArguments(IRBuilder<> &builder, const Phases &phases, Value *range,
                                                            Value *thread, Value *shared) {
  Value *own = createShared(builder, phases);
  builder.CreateMemCpy(own, Align(16), shared, Align(16), phases.sharedBytes);
  Value *memory = loadMemory(builder, range);
  // Operands go through the calls; those that the phases note are not looked at.
  Value *operandsIn = placeInMemory(builder, memory, phaseOperandsOffset);
  Value *operandsOut = placeInMemory(builder, memory, phaseOperandsOffset + phaseOperandsBytes);
  return {thread, builder.getInt64(0), memory, memory, own, own, operandsIn, operandsOut};
}
