// The kernel's body becomes phases in these steps:
//
//   1. Blocks are split before each meeting point: its block begins with the call.
//   2. Local variables move to the memory of the thread.
//   3. A value that is needed behind a meeting is stored where it is computed, and loaded at the start of the meeting's
//      block. Values that are the same in all threads are kept once. What can be computed again from arguments is.
//   4. A phase is a copy that begins at one meeting's block and returns at the next ones. The meeting itself is left to
//      the loops around the phases (PhaseLoops.h); its result is all that the phase sees of it.
//   5. The copy that finishes a thread on its own has the calls as they were.

#include "codegen/DeviceLink/Phases.h"
#include "codegen/DeviceLink/ParallelThreads.h"
#include "codegen/DeviceLink/ThreadRounds.h"
#include "codegen/DeviceLink/Uniformity.h"
#include "codegen/Support/CloneFunction.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr uint64_t maxInstructions = 100000, maxBytesPerThread = 64 << 10;

//===-- Meetings -------------------------------------------------------------------------------------------------===//

namespace {

std::optional<Meeting> meetingOf(const CallInst &call) {
  if (!call.getCalledFunction())
    return std::nullopt;
  return StringSwitch<std::optional<Meeting>>(call.getCalledFunction()->getName())
      .Case("cufortEmuBarrier", Meeting::Barrier)
      .Case("cufortEmuBarrierCount", Meeting::CountTrue)
      .Case("cufortEmuBarrierAnd", Meeting::AllTrue)
      .Case("cufortEmuBarrierOr", Meeting::AnyTrue)
      .Case("cufortEmuWarpBarrier", Meeting::Warp)
      .Case("cufortEmuVoteAll", Meeting::VoteAll)
      .Case("cufortEmuVoteAny", Meeting::VoteAny)
      .Case("cufortEmuVoteBallot", Meeting::Ballot)
      .Cases({"cufortEmuShuffle32", "cufortEmuShuffle64"}, Meeting::Shuffle)
      .Case(extremesFunction, Meeting::Extremes)
      .Case(roundFunction, Meeting::Round)
      .Default(std::nullopt);
}

bool isOfBlock(Meeting meeting) { return meeting <= Meeting::AnyTrue; }
bool hasSharedResult(Meeting meeting) {
  return (meeting > Meeting::Barrier && isOfBlock(meeting)) || meeting >= Meeting::Extremes;
}

/// The lanes that take part in a meeting of a warp.
Value *maskOf(const CallInst &call, Meeting meeting) { return call.getArgOperand(meeting == Meeting::Shuffle ? 1 : 0); }

/// What a thread comes to the meeting with; null if nothing.
Value *operandOf(const CallInst &call, Meeting meeting) {
  if (meeting == Meeting::Barrier || meeting == Meeting::Warp || meeting == Meeting::Round)
    return nullptr;
  return call.getArgOperand(hasSharedResult(meeting) ? 0 : meeting == Meeting::Shuffle ? 2 : 1);
}

struct MeetingPoint {
  CallInst *call;
  Meeting meeting;
  uint64_t sharedResult = 0;
  BasicBlock *block() const { return call->getParent(); }
};

} // namespace

bool cufort::codegen::isMeetingOfPhases(const CallInst &call) {
  std::optional<Meeting> meeting = meetingOf(call);
  if (!meeting)
    return false;
  if (isOfBlock(*meeting))
    return true;
  auto *mask = dyn_cast<ConstantInt>(maskOf(call, *meeting));
  return mask && mask->isMinusOne() && (*meeting != Meeting::Shuffle || isa<ConstantInt>(call.getArgOperand(0)));
}

/// Emits what lane `number` of its warp gets from a shuffle (PTX: shfl.sync).
static Value *createShuffleResult(IRBuilder<> &builder, CallInst &call, Value *thread, Value *threadCount,
                                  Value *operands) {
  Value *lane = builder.CreateTrunc(builder.CreateAnd(thread, 31), builder.getInt32Ty());
  Value *b = builder.CreateAnd(call.getArgOperand(3), 31), *clamp = call.getArgOperand(4);
  Value *segment = builder.CreateAnd(builder.CreateLShr(clamp, 8), 31), *within = builder.CreateNot(segment);
  Value *first = builder.CreateAnd(lane, segment);
  Value *last = builder.CreateOr(first, builder.CreateAnd(builder.CreateAnd(clamp, 31), within));
  enum { Index, Up, Down, Xor };
  uint64_t mode = cast<ConstantInt>(call.getArgOperand(0))->getZExtValue() & 3;
  Value *source = mode == Index  ? builder.CreateOr(first, builder.CreateAnd(b, within))
                  : mode == Up   ? builder.CreateSub(lane, b)
                  : mode == Down ? builder.CreateAdd(lane, b)
                                 : builder.CreateXor(lane, b);
  Value *inRange = mode == Up ? builder.CreateICmpSGE(source, last) : builder.CreateICmpSLE(source, last);
  Value *distance = builder.CreateSExt(builder.CreateSub(source, lane), thread->getType());
  Value *other = builder.CreateAdd(thread, distance);
  // A lane that is not there does not take part.
  inRange = builder.CreateAnd(inRange, builder.CreateICmpULT(other, threadCount));
  other = builder.CreateSelect(inRange, other, thread);
  Value *result = builder.CreateLoad(builder.getInt64Ty(), builder.CreateGEP(builder.getInt64Ty(), operands, other));
  return builder.CreateTrunc(result, call.getType());
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

namespace {

/// Says whether values can be computed again wherever the arguments of the function are known.
class Recomputing {
public:
  explicit Recomputing(const SmallPtrSetImpl<Argument *> &constants) : constants(constants) {}

  bool canRecompute(Value *value) { return costOf(value) <= maxCost; }

  /// Emits `value` again; `known` has what has been emitted there already.
  Value *emit(Value *value, IRBuilder<> &builder, DenseMap<Value *, Value *> &known) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      return value;
    if (Value *copy = known.lookup(value))
      return copy;
    Instruction *copy = instruction->clone();
    for (Use &operand : copy->operands())
      operand.set(emit(operand.get(), builder, known));
    builder.Insert(copy);
    return known[value] = copy;
  }

private:
  static constexpr unsigned maxCost = 24;

  unsigned costOf(Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      return 0;
    auto [known, isNew] = costs.try_emplace(value, maxCost + 1);
    if (!isNew)
      return known->second;
    unsigned cost = isCheap(*instruction) ? 1 : maxCost + 1;
    for (Value *operand : instruction->operands())
      cost = std::min(cost + costOf(operand), maxCost + 1);
    return costs[value] = cost;
  }

  bool isCheap(Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      return isConstant(*load);
    if (auto *operation = dyn_cast<BinaryOperator>(&instruction))
      return operation->getType()->isIntegerTy() && !operation->isIntDivRem();
    return isa<CastInst, GetElementPtrInst, ICmpInst, SelectInst>(instruction);
  }

  bool isConstant(LoadInst &load) {
    auto *object = dyn_cast<Argument>(getUnderlyingObject(load.getPointerOperand()));
    return object && constants.contains(object) && load.isSimple();
  }

  const SmallPtrSetImpl<Argument *> &constants;
  DenseMap<Value *, unsigned> costs;
};

/// The blocks at whose start `value` is needed.
SmallPtrSet<BasicBlock *, 16> liveInBlocks(Instruction &value) {
  SmallPtrSet<BasicBlock *, 16> live;
  SmallVector<BasicBlock *> open;
  auto isNeededIn = [&](BasicBlock *block) {
    if (block != value.getParent() && live.insert(block).second)
      open.push_back(block);
  };
  for (Use &use : value.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    isNeededIn(phi ? phi->getIncomingBlock(use) : user->getParent());
  }
  while (!open.empty())
    for (BasicBlock *block : predecessors(open.pop_back_val()))
      isNeededIn(block);
  return live;
}

/// A value that is needed behind a meeting.
struct LiveValue {
  Instruction *value;
  bool isShared;                           ///< it is the same in all threads
  SmallPtrSet<BasicBlock *, 16> blocks;    ///< at whose start it is needed
  MapVector<BasicBlock *, Value *> copies; ///< at the starts of meetings' blocks
};

//===-- Splitting ------------------------------------------------------------------------------------------------===//

class Splitter {
public:
  Splitter(Function &body, unsigned firstIdentity)
      : module(*body.getParent()), layout(module.getDataLayout()), firstIdentity(firstIdentity) {
    createWork(body);
  }
  ~Splitter() { work->eraseFromParent(); }

  std::optional<Phases> split(bool hasMeetings) {
    copyWrittenArguments();
    simplifyFunction(*work);
    removeUnreachableBlocks(*work);
    bool hasRounds =
        alignRounds(*work, [&](const Value &value) { return originOf(value); }, /*onlyStrides=*/!hasMeetings);
    if (!hasMeetings && !hasRounds)
      return std::nullopt;
    splitBlocks();
    if (!moveVariables())
      return std::nullopt;
    keepValues();
    bool tooLarge = work->getInstructionCount() * (points.size() + 2) > maxInstructions;
    if (tooLarge || bytesPerThread > maxBytesPerThread)
      return std::nullopt;
    Phases phases;
    for (unsigned number = 0; number <= points.size(); ++number)
      phases.list.push_back(createPhase(number));
    phases.resume = createResume();
    phases.sharedBytes = sharedBytes;
    phases.bytes = bytesPerThread * emulatedThreads;
    return phases;
  }

private:
  void createWork(Function &body);
  void copyWrittenArguments();
  void splitBlocks();
  bool moveVariables();
  void keepValues();
  SmallPtrSet<const BasicBlock *, 16> findBlocksOutOfStep(const Uniformity &uniformity);
  void keepValue(LiveValue &live);
  void storeValue(LiveValue &live);
  Phase createPhase(unsigned number);
  PhaseCode createCode(unsigned number, unsigned state);
  void describeNext(Phase &phase);
  void replaceMeeting(CallInst &call, const MeetingPoint &point, Function &function, unsigned state);
  Function *createResume();

  Argument *parameter(Function &function, PhaseParameter which) const {
    return function.getArg(firstIdentity + IdentityCount + which);
  }

  Value *sharedPlace(IRBuilder<> &builder, Function &function, PhaseParameter memory, const MeetingPoint &point) const {
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), parameter(function, memory), point.sharedResult);
  }

  Uniformity::Origin originOf(const Value &value) const;
  uint64_t takeBytes(uint64_t &total, Type *type) {
    uint64_t at = alignTo(total, layout.getPrefTypeAlign(type));
    total = at + layout.getTypeAllocSize(type);
    return at;
  }
  /// Where thread number `parameter(PhaseThread)` has something of `type` that lies at `offset` of each.
  Value *placeOf(IRBuilder<> &builder, PhaseParameter memory, Type *type, uint64_t offset) {
    Value *size = builder.getInt64(layout.getTypeAllocSize(type));
    Value *at = builder.CreateNUWMul(parameter(*work, PhaseThread), size);
    at = builder.CreateNUWAdd(at, builder.getInt64(offset * emulatedThreads));
    return builder.CreateGEP(builder.getInt8Ty(), parameter(*work, memory), at);
  }

  Module &module;
  const DataLayout &layout;
  unsigned firstIdentity;
  Function *work = nullptr;             ///< a copy of the body, with the parameters of phases
  SmallPtrSet<Argument *, 4> constants; ///< of `work`: addresses of arguments that nobody writes
  SmallVector<MeetingPoint> points;
  DenseMap<BasicBlock *, DenseMap<Value *, Value *>> recomputed; ///< by block of a meeting
  uint64_t bytesPerThread = phaseOperandsOffset + 2 * phaseOperandsBytes;
  uint64_t sharedBytes = 0;
};

void Splitter::createWork(Function &body) {
  LLVMContext &context = module.getContext();
  SmallVector<Type *> types(PhaseValues, Type::getInt64Ty(context));
  types.append(PhaseParameterCount - PhaseValues, PointerType::get(context, 0));
  ClonedFunction clone;
  cloneWithParameters(body, types, body.getReturnType(), body.getName(), clone);
  work = clone.function;
  for (PhaseParameter which : {PhaseValues, PhaseOperandsIn, PhaseOperandsOut})
    parameter(*work, which)->addAttr(Attribute::NoAlias);
}

bool isOnlyRead(Value &address) {
  return all_of(address.users(),
                [&](User *user) { return isa<LoadInst>(user) || (isa<GetElementPtrInst>(user) && isOnlyRead(*user)); });
}

/// Arguments in memory are the same memory for all threads: one that the kernel writes becomes a local variable.
void Splitter::copyWrittenArguments() {
  for (Argument &argument : work->args()) {
    Type *type = argument.getParamByValType();
    if (!type)
      continue;
    Align align = argument.getParamAlign().valueOrOne();
    argument.removeAttr(Attribute::ByVal);
    for (Attribute::AttrKind attribute : {Attribute::ReadOnly, Attribute::NoAlias})
      argument.addAttr(attribute);
    constants.insert(&argument);
    if (isOnlyRead(argument))
      continue;
    IRBuilder<> builder(&*work->getEntryBlock().getFirstInsertionPt());
    AllocaInst *copy = builder.CreateAlloca(type);
    argument.replaceAllUsesWith(copy);
    builder.CreateMemCpy(copy, copy->getAlign(), &argument, align, layout.getTypeAllocSize(type).getFixedValue());
  }
}

void Splitter::splitBlocks() {
  for (Instruction &instruction : instructions(*work))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (auto meeting = meetingOf(*call))
        points.push_back({call, *meeting});
  for (MeetingPoint &point : points) {
    BasicBlock *before = point.block();
    SplitBlock(before, point.call);
    if (hasSharedResult(point.meeting))
      point.sharedResult = takeBytes(sharedBytes, point.call->getType());
    IRBuilder<> builder(before->getTerminator());
    if (point.meeting == Meeting::Round)
      builder.CreateStore(point.call->getArgOperand(0), sharedPlace(builder, *work, PhaseSharedOut, point));
    Value *operand = operandOf(*point.call, point.meeting);
    if (!operand)
      continue;
    Value *place =
        builder.CreateGEP(builder.getInt64Ty(), parameter(*work, PhaseOperandsOut), parameter(*work, PhaseThread));
    builder.CreateStore(builder.CreateZExt(operand, builder.getInt64Ty()), place);
  }
}

/// False if a variable has a size that is known only at run time.
bool Splitter::moveVariables() {
  SmallVector<AllocaInst *> variables;
  SmallVector<Instruction *> lifetimes;
  for (Instruction &instruction : instructions(*work)) {
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      variables.push_back(variable);
    else if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && call->isLifetimeStartOrEnd())
      lifetimes.push_back(call);
  }
  for (Instruction *lifetime : lifetimes)
    lifetime->eraseFromParent();
  for (AllocaInst *variable : variables) {
    if (!variable->isStaticAlloca())
      return false;
    auto count = cast<ConstantInt>(variable->getArraySize())->getZExtValue();
    Type *type = ArrayType::get(variable->getAllocatedType(), count);
    IRBuilder<> builder(variable);
    Value *place = placeOf(builder, PhaseVariables, type, takeBytes(bytesPerThread, type));
    variable->replaceAllUsesWith(builder.CreateAddrSpaceCast(place, variable->getType()));
    variable->eraseFromParent();
  }
  return true;
}

Uniformity::Origin Splitter::originOf(const Value &value) const {
  if (auto *argument = dyn_cast<Argument>(&value)) {
    unsigned identity = argument->getArgNo() - firstIdentity;
    bool isOfThread = identity < IdentityBlockIdx || identity == IdentityCount + PhaseThread;
    return isOfThread ? Uniformity::Different : Uniformity::Same;
  }
  if (auto *load = dyn_cast<LoadInst>(&value)) {
    auto *object = dyn_cast<Argument>(getUnderlyingObject(load->getPointerOperand()));
    bool isConstant = object && load->isSimple() && object->hasAttribute(Attribute::ReadOnly);
    return isConstant ? Uniformity::AsOperands : Uniformity::Different;
  }
  if (auto *call = dyn_cast<CallInst>(&value)) {
    if (auto meeting = meetingOf(*call))
      return hasSharedResult(*meeting) ? Uniformity::Same : Uniformity::Different;
    return call->doesNotAccessMemory() ? Uniformity::AsOperands : Uniformity::Different;
  }
  return isa<PHINode>(value) ? Uniformity::AsOperands : Uniformity::Different;
}

void Splitter::keepValues() {
  parameter(*work, PhaseSharedIn)->addAttr(Attribute::ReadOnly);
  Uniformity uniformity(*work, [&](const Value &value) { return originOf(value); });
  SmallPtrSet<const BasicBlock *, 16> outOfStep = findBlocksOutOfStep(uniformity);
  Recomputing recomputing(constants);
  std::vector<LiveValue> values;
  for (Instruction &instruction : instructions(*work))
    if (!instruction.getType()->isVoidTy() && !instruction.use_empty()) {
      bool isShared = uniformity.isUniform(&instruction) && !outOfStep.contains(instruction.getParent());
      LiveValue value = {&instruction, isShared, liveInBlocks(instruction), {}};
      if (any_of(points, [&](const MeetingPoint &point) { return value.blocks.contains(point.block()); }))
        values.push_back(std::move(value));
    }
  // Before any use changes: what is merged from several sides cannot be computed again, nor what depends on that.
  for (LiveValue &value : values)
    if (recomputing.canRecompute(value.value))
      for (MeetingPoint &point : points)
        if (IRBuilder<> builder(point.call); value.blocks.contains(point.block()))
          value.copies[point.block()] = recomputing.emit(value.value, builder, recomputed[point.block()]);
  for (LiveValue &value : values)
    keepValue(value);
}

/// The blocks in loops in which some threads can be a round ahead of others that wait on the way: what they compute is
/// not the same at the same time.
SmallPtrSet<const BasicBlock *, 16> Splitter::findBlocksOutOfStep(const Uniformity &uniformity) {
  DominatorTree tree(*work);
  LoopInfo loops(tree);
  SmallPtrSet<const BasicBlock *, 16> result;
  for (const Uniformity::Parting &parting : uniformity.partings())
    if (any_of(points, [&](const MeetingPoint &point) { return parting.ways.contains(point.block()); }))
      if (const Loop *loop = loops.getLoopFor(parting.branch))
        result.insert_range(loop->getOutermostLoop()->blocks());
  return result;
}

void Splitter::keepValue(LiveValue &live) {
  Instruction &value = *live.value;
  SmallVector<Use *> uses;
  for (Use &use : value.uses())
    uses.push_back(&use);
  SSAUpdater updater;
  updater.Initialize(value.getType(), value.getName());
  updater.AddAvailableValue(value.getParent(), &value);
  if (live.copies.empty())
    storeValue(live);
  for (auto [block, copy] : live.copies)
    updater.AddAvailableValue(block, copy);
  for (Use *use : uses)
    updater.RewriteUseAfterInsertions(*use);
}

/// Keeps the value in memory, from where it is loaded at the meetings.
void Splitter::storeValue(LiveValue &live) {
  Type *type = live.value->getType();
  uint64_t offset = takeBytes(live.isShared ? sharedBytes : bytesPerThread, type);
  auto place = [&](IRBuilder<> &builder, bool store) {
    if (!live.isShared)
      return placeOf(builder, PhaseValues, type, offset);
    Argument *memory = parameter(*work, store ? PhaseSharedOut : PhaseSharedIn);
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), memory, offset);
  };
  IRBuilder<> builder(&*live.value->getInsertionPointAfterDef().value());
  builder.CreateStore(live.value, place(builder, true));
  for (MeetingPoint &point : points)
    if (live.blocks.contains(point.block())) {
      builder.SetInsertPoint(point.call);
      live.copies[point.block()] = builder.CreateLoad(type, place(builder, false));
    }
}

//===-- Phases ---------------------------------------------------------------------------------------------------===//

Phase Splitter::createPhase(unsigned number) {
  Phase phase;
  if (number) {
    phase.meeting = points[number - 1].meeting;
    phase.sharedResult = points[number - 1].sharedResult;
  }
  unsigned states = number && phase.meeting == Meeting::Round ? RoundStateCount : 1;
  for (unsigned state = 0; state < states; ++state)
    phase.code.push_back(createCode(number, state));
  describeNext(phase);
  return phase;
}

/// `state` is that of the round that the phase begins with, if it does.
PhaseCode Splitter::createCode(unsigned number, unsigned state) {
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context);
  ClonedFunction clone;
  cloneWithParameters(*work, {}, i32, work->getName() + ".phase", clone);
  auto &[function, map, returns] = clone;
  auto returnNumber = [&](Instruction *end, unsigned next) {
    ReturnInst::Create(context, ConstantInt::get(i32, next), end->getIterator());
    end->eraseFromParent();
  };
  for (ReturnInst *end : returns)
    returnNumber(end, 0);
  for (auto [next, point] : enumerate(points))
    returnNumber(cast<BasicBlock>(map[point.block()->getSinglePredecessor()])->getTerminator(), next + 1);
  if (number) {
    const MeetingPoint &point = points[number - 1];
    auto *call = cast<CallInst>(map[point.call]);
    BasicBlock *entry = BasicBlock::Create(context, "", function, &function->getEntryBlock());
    BasicBlock *start = call->getParent();
    BranchInst::Create(start, entry);
    replaceMeeting(*call, point, *function, state);
    ConstantFoldTerminator(start);
  }
  removeUnreachableBlocks(*function);
  PhaseCode code = {function, markAccessesOfThread(*function)};
  simplifySharedAtomics(*function, {function->getArg(firstIdentity + IdentitySharedBase),
                                    function->getArg(firstIdentity + IdentityDynamicShared)});
  return code;
}

void Splitter::replaceMeeting(CallInst &call, const MeetingPoint &point, Function &function, unsigned state) {
  IRBuilder<> builder(&call);
  Value *thread = parameter(function, PhaseThread), *operands = parameter(function, PhaseOperandsIn);
  Value *result = nullptr;
  if (point.meeting == Meeting::Round) {
    result = builder.getInt32(state);
  } else if (hasSharedResult(point.meeting)) {
    result = builder.CreateLoad(call.getType(), sharedPlace(builder, function, PhaseSharedIn, point));
  } else if (point.meeting == Meeting::Shuffle) {
    result = createShuffleResult(builder, call, thread, parameter(function, PhaseThreadCount), operands);
  } else if (operandOf(call, point.meeting)) {
    Value *own = builder.CreateLoad(builder.getInt64Ty(), builder.CreateGEP(builder.getInt64Ty(), operands, thread));
    result = builder.CreateTrunc(own, call.getType());
  }
  if (result)
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

/// The phases that can follow from the start of `block` on.
void collectNext(BasicBlock &block, SmallPtrSetImpl<BasicBlock *> &seen, SmallSetVector<unsigned, 4> &next) {
  if (!seen.insert(&block).second)
    return;
  if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
    next.insert(cast<ConstantInt>(end->getReturnValue())->getZExtValue());
  for (BasicBlock *successor : successors(&block))
    collectNext(*successor, seen, next);
}

SmallSetVector<unsigned, 4> nextFrom(BasicBlock &block) {
  SmallPtrSet<BasicBlock *, 16> seen;
  SmallSetVector<unsigned, 4> next;
  collectNext(block, seen, next);
  return next;
}

void Splitter::describeNext(Phase &phase) {
  SmallSetVector<unsigned, 4> next;
  phase.staysTogether = true;
  for (const PhaseCode &code : phase.code) {
    next.insert_range(nextFrom(code.function->getEntryBlock()));
    Uniformity uniformity(*code.function, [&](const Value &value) { return originOf(value); });
    // Threads that part and meet again within the phase go on together.
    phase.staysTogether &= all_of(uniformity.partings(), [&](const Uniformity::Parting &parting) {
      bool endsOnTheWay =
          any_of(parting.ways, [](const BasicBlock *way) { return isa<ReturnInst>(way->getTerminator()); });
      return !endsOnTheWay || nextFrom(*const_cast<BasicBlock *>(parting.branch)).size() < 2;
    });
  }
  phase.next = next.takeVector();
  sort(phase.next);
}

/// A thread on a stack goes through its loops alone.
void goThroughLoopsAlone(CallInst &call, Meeting meeting) {
  IRBuilder<> builder(&call);
  Value *operand = call.getArgOperand(0), *result = operand;
  if (meeting == Meeting::Extremes)
    for (unsigned end : {0, 1})
      result = builder.CreateInsertValue(end ? result : PoisonValue::get(call.getType()), operand, end);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

Function *Splitter::createResume() {
  LLVMContext &context = module.getContext();
  ClonedFunction clone;
  cloneWithParameters(*work, Type::getInt32Ty(context), work->getReturnType(), work->getName() + ".resume", clone);
  Function *function = clone.function;
  BasicBlock *start = &function->getEntryBlock();
  IRBuilder<> builder(BasicBlock::Create(context, "", function, start));
  SwitchInst *choice = builder.CreateSwitch(function->getArg(function->arg_size() - 1), start);
  for (auto [index, point] : enumerate(points))
    choice->addCase(builder.getInt32(index + 1), cast<BasicBlock>(clone.map[point.block()]));
  for (const MeetingPoint &point : points)
    if (point.meeting >= Meeting::Extremes)
      goThroughLoopsAlone(*cast<CallInst>(clone.map[point.call]), point.meeting);
  return function;
}

} // namespace

std::optional<Phases> cufort::codegen::splitIntoPhases(Function &body, unsigned firstIdentity, bool hasMeetings) {
  return Splitter(body, firstIdentity).split(hasMeetings);
}
