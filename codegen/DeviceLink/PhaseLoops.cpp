// For each phase:
//
//   meeting:    what the meeting gives to all threads or to all lanes of a warp
//   run:        for all threads: next = phase(thread)
//   choose:     all the same: on to that phase, or to the next block
//   part:       else the runtime chooses phases and warps for them, until all threads are at the same place again
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
    parted = builder.CreateAlloca(builder.getInt1Ty(), nullptr, "parted");
    first = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "first");
    last = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "last");
    threads = builder.CreateAlloca(threadsType(), nullptr, "threads");
    threads->setAlignment(Align(16));
    extremes = builder.CreateAlloca(StructType::get(builder.getInt64Ty(), builder.getInt64Ty()), nullptr, "extremes");
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
    builder.CreateStore(builder.getFalse(), parted);
    builder.CreateStore(builder.getInt64(0), first);
    builder.CreateStore(threadCount, last);
    starts.clear();
    for (size_t number = 0; number < phases.list.size(); ++number)
      starts.push_back(newBlock("phase." + Twine(number)));
    end = newBlock("block.end");
    part = newBlock("part");
    partNext = PHINode::Create(builder.getInt32Ty(), phases.list.size(), "next", part);
    builder.CreateBr(starts.front());
    for (auto [start, phase] : zip(starts, phases.list)) {
      builder.SetInsertPoint(start);
      if (start != starts.front())
        meet(phase);
      runThreads(phase);
      chooseNext(phase);
    }
    createPart();
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
  void runCode(const Phase &phase, const PhaseCode &code);
  void noteNext(const Phase &phase, const PhaseCode &code, Value *next, Value *thread);
  Value *sharedResult(AllocaInst *shared, const Phase &phase) {
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), shared, phase.sharedResult);
  }
  void chooseNext(const Phase &phase);
  /// True if threads may go on to different phases. Otherwise all of a block run each.
  bool mayPart() const {
    return any_of(phases.list, [](const Phase &phase) { return phase.next.size() > 1 && !phase.staysTogether; });
  }
  void createPart();
  void createSwitch(Value *next, ArrayRef<unsigned> numbers);
  Value *describePhases();

  /// A CufortEmuThreads, and what the threads keep together.
  StructType *threadsType() {
    Type *i64 = builder.getInt64Ty(), *pointer = builder.getPtrTy();
    return StructType::get(i64, i64, pointer, pointer, ArrayType::get(builder.getInt8Ty(), phases.sharedBytes));
  }
  Value *fieldOfThreads(unsigned field) { return builder.CreateStructGEP(threadsType(), threads, field); }

  IRBuilder<> &builder;
  const Phases &phases;
  ArrayRef<Value *> arguments;
  bool storeIdentity;
  AllocaInst *sharedIn, *sharedOut;
  AllocaInst *operandsIn, *operandsOut;
  AllocaInst *parted;           ///< the threads have
  AllocaInst *first, *last;     ///< the threads that run phases now, and one more
  AllocaInst *threads;          ///< for the runtime
  AllocaInst *extremes;         ///< of what threads have come with
  AllocaInst *lowest, *highest; ///< numbers of the phases that follow
  Value *memory, *numbers;

  const EmulatedBlock *block = nullptr;
  Value *threadCount = nullptr;
  SmallVector<BasicBlock *> starts;
  BasicBlock *end = nullptr, *part = nullptr;
  PHINode *partNext = nullptr; ///< the phase that the threads go on with which have run, or -1 if each has noted it
};

void PhaseLoops::meet(const Phase &phase) {
  Value *in = load(operandsIn), *out = load(operandsOut);
  builder.CreateStore(out, operandsIn);
  builder.CreateStore(in, operandsOut);
  Value *from = builder.CreateGEP(builder.getInt64Ty(), out, load(first));
  Value *count = builder.CreateSub(load(last), load(first));
  auto vote = [&](CufortEmuVote vote) {
    call("cufortEmuVoteInWarps", builder.getVoidTy(), {from, count, builder.getInt32(vote)});
  };
  auto share = [&](auto resultOf) {
    Value *trueCount = call("cufortEmuCountTrue", builder.getInt64Ty(), {out, threadCount});
    Value *result = builder.CreateZExtOrTrunc(resultOf(trueCount), builder.getInt32Ty());
    for (AllocaInst *shared : {sharedIn, sharedOut})
      builder.CreateStore(result, sharedResult(shared, phase));
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
  case Meeting::Extremes:
    call("cufortEmuExtremes", builder.getVoidTy(), {from, count, extremes});
    for (AllocaInst *shared : {sharedIn, sharedOut})
      builder.CreateStore(load(extremes), sharedResult(shared, phase));
    return;
  case Meeting::Barrier:
  case Meeting::Warp:
  case Meeting::Shuffle:
  case Meeting::Round:
    return;
  }
}

void PhaseLoops::runThreads(const Phase &phase) {
  builder.CreateStore(builder.getInt32(~0u), lowest);
  builder.CreateStore(builder.getInt32(0), highest);
  if (phase.code.size() == 1) {
    runCode(phase, phase.code.front());
  } else {
    auto *after = newBlock("round.end");
    Value *state = builder.CreateLoad(builder.getInt32Ty(), sharedResult(sharedIn, phase));
    auto *nobody = newBlock("round.0");
    SwitchInst *choice = builder.CreateSwitch(state, nobody);
    for (auto [number, code] : enumerate(phase.code)) {
      BasicBlock *start = number ? newBlock("round." + Twine(number)) : nobody;
      if (number)
        choice->addCase(builder.getInt32(number), start);
      builder.SetInsertPoint(start);
      runCode(phase, code);
      builder.CreateBr(after);
    }
    builder.SetInsertPoint(after);
  }
  builder.CreateMemCpy(sharedIn, Align(16), sharedOut, Align(16), phases.sharedBytes);
}

void PhaseLoops::runCode(const Phase &phase, const PhaseCode &code) {
  auto emit = [&](ArrayRef<Value *> identity, Value *thread) {
    SmallVector<Value *> all(arguments);
    append_range(all, identity);
    Value *further[PhaseParameterCount] = {thread,   threadCount, memory,           memory,
                                           sharedIn, sharedOut,   load(operandsIn), load(operandsOut)};
    append_range(all, further);
    noteNext(phase, code, builder.CreateCall(code.function, all), thread);
  };
  if (mayPart())
    createThreadLoops(builder, *block, load(first), load(last), storeIdentity, code.accesses, emit);
  else
    createThreadLoops(builder, *block, storeIdentity, code.accesses, emit);
}

/// What follows is only noted if it is not known.
void PhaseLoops::noteNext(const Phase &phase, const PhaseCode &code, Value *next, Value *thread) {
  if (phase.next.size() < 2)
    return;
  if (phase.staysTogether) {
    builder.CreateStore(next, highest);
    return;
  }
  StoreInst *note = builder.CreateStore(next, builder.CreateGEP(builder.getInt32Ty(), numbers, thread));
  note->setMetadata(LLVMContext::MD_access_group, code.accesses);
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::umin, load(lowest), next), lowest);
  builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::umax, load(highest), next), highest);
}

void PhaseLoops::createSwitch(Value *next, ArrayRef<unsigned> numbers) {
  auto startOf = [&](unsigned number) { return number ? starts[number] : end; };
  SwitchInst *choice = builder.CreateSwitch(next, startOf(numbers.back()));
  for (unsigned number : drop_end(numbers))
    choice->addCase(builder.getInt32(number), startOf(number));
}

void PhaseLoops::chooseNext(const Phase &phase) {
  if (phase.next.empty()) {
    builder.CreateUnreachable();
    return;
  }
  Value *next = phase.next.size() == 1 ? builder.getInt32(phase.next.front()) : load(highest), *apart = load(parted);
  if (phase.next.size() > 1 && !phase.staysTogether) {
    Value *differ = builder.CreateICmpNE(load(lowest), next);
    next = builder.CreateSelect(differ, builder.getInt32(-1), next);
    apart = builder.CreateOr(apart, differ);
  }
  auto *together = newBlock("together");
  partNext->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(apart, part, together);
  builder.SetInsertPoint(together);
  createSwitch(next, phase.next);
}

/// The constant CufortEmuPhases of the kernel.
Value *PhaseLoops::describePhases() {
  SmallVector<uint8_t> kinds;
  for (const Phase &phase : phases.list)
    kinds.push_back(phase.meeting == Meeting::Barrier   ? CufortEmuStartsTogether
                    : phase.meeting <= Meeting::AnyTrue ? CufortEmuStartsWithResult
                                                        : CufortEmuStartsInWarps);
  Module &module = *builder.GetInsertBlock()->getModule();
  auto constant = [&](Constant *value) {
    return new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, "phases");
  };
  return constant(ConstantStruct::getAnon({builder.getInt32(kinds.size()), builder.getInt32(phases.sharedBytes),
                                           constant(ConstantDataArray::get(module.getContext(), kinds))}));
}

/// What follows when threads have parted. What they keep together is handed over in memory of its own, so that LLVM can
/// have it in registers elsewhere.
void PhaseLoops::createPart() {
  enum { First, Last, OperandsIn, OperandsOut, Kept };
  builder.SetInsertPoint(part);
  const std::pair<AllocaInst *, unsigned> fields[] = {
      {first, First}, {last, Last}, {operandsIn, OperandsIn}, {operandsOut, OperandsOut}};
  for (auto [variable, field] : fields)
    builder.CreateStore(load(variable), fieldOfThreads(field));
  builder.CreateMemCpy(fieldOfThreads(Kept), Align(16), sharedIn, Align(16), phases.sharedBytes);
  Value *next = call("cufortEmuNextPhase", builder.getInt32Ty(),
                     {block->range, block->number, describePhases(), numbers, partNext, threads});
  for (auto [variable, field] : fields)
    builder.CreateStore(builder.CreateLoad(variable->getAllocatedType(), fieldOfThreads(field)), variable);
  for (AllocaInst *shared : {sharedIn, sharedOut})
    builder.CreateMemCpy(shared, Align(16), fieldOfThreads(Kept), Align(16), phases.sharedBytes);
  Value *count = builder.CreateSub(load(last), load(first));
  builder.CreateStore(builder.CreateICmpNE(count, threadCount), parted);
  SmallVector<unsigned> all = to_vector(seq(1u, unsigned(phases.list.size())));
  all.push_back(0);
  createSwitch(next, all);
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
