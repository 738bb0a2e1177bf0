// In:  for x in threads:                      Out: for strip in threads by w:
//        s = start(x)                                for x in strip: s[x] = start(x)
//        for k in rounds: s = s + a(x, k)            for k in rounds: for x in strip: s[x] = s[x] + a(x, k)
//        result(x) = s                               for x in strip: result(x) = s[x]
//
// The new code has the blocks of the old one to which all threads come together; each does once what is the same for
// all threads, and everything else in a loop over the threads of the strip. It exists twice: for whole strips, whose
// width is a constant, so that LLVM unrolls the loops over vectors and promotes the arrays to registers, and for what
// is left. If inner loops keep nothing, a strip is as wide as it may be. The old loop is for rows of a few threads, and
// for the few that the narrowest strips leave: a second version would take as long to compile as all else.

#include "codegen/DeviceLink/StripsOfThreads.h"
#include "codegen/DeviceLink/CountOfThreads.h"
#include "codegen/DeviceLink/ThreadNests.h"
#include "codegen/DeviceLink/WideVersions.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace cufort::codegen;

/// Rows of fewer threads than this run one thread after the other.
static constexpr unsigned fewThreads = 4;
/// Threads of a wide strip; bytes that a strip keeps in registers at most, and threads of such strips.
static constexpr unsigned widestStrip = 256, mostBytesInRegisters = 256, leastStrip = 8, mostStrip = 32;

namespace {

/// Emits what the threads of one strip do.
class StripBuilder {
public:
  StripBuilder(const ThreadNest &nest, MDNode *parallel, MDNode *ownAccesses, Value *first, Value *width,
               unsigned mostWidth)
      : nest(nest), parallel(parallel), ownAccesses(ownAccesses), first(first), width(width), mostWidth(mostWidth),
        builder(nest.head->getContext()) {}

  /// Returns where the strip begins; it ends with a branch to `exit`.
  BasicBlock *build(BasicBlock *exit);

private:
  BasicBlock *newBlock(const Twine &name) {
    return BasicBlock::Create(builder.getContext(), name, nest.head->getParent(), nest.exit);
  }
  void createPart(const NestPart &part, BasicBlock *exit);
  bool hasWork(const NestPart &part) const;
  void createThreads(const NestPart &part);
  BasicBlock *createWays(const NestPart &part, BasicBlock *start);
  void keepForSuccessors(const NestPart &part);
  void endPart(const NestPart &part, BasicBlock *exit);
  void completePhis();

  Value *same(Value *value) const {
    Value *known = sameValues.lookup(value);
    return known ? known : value;
  }
  Instruction *copy(Instruction &instruction, function_ref<Value *(Value *)> operandFor) {
    Instruction *result = instruction.clone();
    for (Use &operand : result->operands())
      operand.set(operandFor(operand.get()));
    if (instruction.mayReadOrWriteMemory() && !instruction.getMetadata(LLVMContext::MD_access_group))
      result->setMetadata(LLVMContext::MD_access_group, ownAccesses);
    builder.Insert(result);
    return result;
  }
  Value *ofThread(Value *value);
  Value *computeForThread(Instruction &instruction);
  PHINode *placeOfThread(PHINode &place);
  AllocaInst *memoryOf(Instruction &instruction);
  Value *addressFor(Instruction &instruction);
  Value *load(Instruction &instruction);
  void store(Instruction &instruction, Value *value);

  const ThreadNest &nest;
  MDNode *parallel, *ownAccesses;
  Value *first, *width;
  unsigned mostWidth;
  IRBuilder<> builder;

  DenseMap<Value *, Value *> sameValues;
  DenseMap<const PHINode *, Value *> firstPlaces; ///< of the strip
  DenseMap<const PHINode *, PHINode *> added;     ///< what inner loops have added to their counters
  DenseMap<Instruction *, AllocaInst *> memory;
  DenseMap<const BasicBlock *, BasicBlock *> starts, ends;

  // Of the loop over threads that is being made:
  BasicBlock *entry = nullptr, *enteredFrom = nullptr;
  PHINode *thread = nullptr;
  DenseMap<Value *, Value *> values;
  SmallMapVector<PHINode *, const NestCounter *, 4> placesOfThread;
};

//===-- Values ---------------------------------------------------------------------------------------------------===//

AllocaInst *StripBuilder::memoryOf(Instruction &instruction) {
  AllocaInst *&result = memory[&instruction];
  if (!result) {
    IRBuilder<> atStart(&nest.head->getParent()->getEntryBlock().front());
    Type *type = instruction.getType()->isIntegerTy(1) ? atStart.getInt8Ty() : instruction.getType();
    result = atStart.CreateAlloca(ArrayType::get(type, mostWidth), nullptr, "kept");
    result->setAlignment(Align(64));
  }
  return result;
}

Value *StripBuilder::addressFor(Instruction &instruction) {
  AllocaInst *array = memoryOf(instruction);
  return builder.CreateInBoundsGEP(array->getAllocatedType()->getArrayElementType(), array, thread);
}

Value *StripBuilder::load(Instruction &instruction) {
  Value *address = addressFor(instruction);
  Type *type = memoryOf(instruction)->getAllocatedType()->getArrayElementType();
  LoadInst *loaded = builder.CreateLoad(type, address);
  loaded->setMetadata(LLVMContext::MD_access_group, ownAccesses);
  return type == instruction.getType() ? loaded : builder.CreateTrunc(loaded, instruction.getType());
}

void StripBuilder::store(Instruction &instruction, Value *value) {
  Value *address = addressFor(instruction);
  if (value->getType()->isIntegerTy(1))
    value = builder.CreateZExt(value, builder.getInt8Ty());
  builder.CreateStore(value, address)->setMetadata(LLVMContext::MD_access_group, ownAccesses);
}

/// A number of the running thread, counted in the loop over threads.
PHINode *StripBuilder::placeOfThread(PHINode &place) {
  PHINode *phi = PHINode::Create(place.getType(), 2, place.getName(), entry->begin());
  phi->addIncoming(firstPlaces.lookup(&place), enteredFrom);
  placesOfThread.insert({phi, &nest.places.find(&place)->second});
  return phi;
}

/// Emits at the start of the loop over threads what comes from other parts or can be computed anywhere.
Value *StripBuilder::computeForThread(Instruction &instruction) {
  IRBuilder<>::InsertPointGuard guard(builder);
  builder.SetInsertPoint(entry->getTerminator());
  if (auto *phi = dyn_cast<PHINode>(&instruction)) {
    if (nest.places.count(phi))
      return placeOfThread(*phi);
    if (auto counter = nest.counters.find(phi); counter != nest.counters.end())
      return builder.CreateAdd(ofThread(counter->second.first), added.lookup(phi), "",
                               counter->second.next->hasNoUnsignedWrap(), counter->second.next->hasNoSignedWrap());
  }
  if (!nest.isCheap(&instruction))
    return load(instruction);
  SmallVector<Value *> operands;
  for (Value *operand : instruction.operands())
    operands.push_back(ofThread(operand));
  Instruction *result = builder.Insert(instruction.clone());
  for (auto [number, operand] : enumerate(operands))
    result->setOperand(number, operand);
  return result;
}

/// What the running thread has for `value`.
Value *StripBuilder::ofThread(Value *value) {
  if (Value *known = values.lookup(value))
    return known;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !nest.differs(instruction))
    return same(value);
  Value *result = computeForThread(*instruction);
  return values[value] = result;
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

/// True if threads do something in `part` that is not the same for all.
bool StripBuilder::hasWork(const NestPart &part) const {
  if (part.meeting)
    return true;
  for (Instruction &instruction : *part.block)
    if (nest.differs(&instruction) && !isa<PHINode>(instruction) && !nest.isCheap(&instruction))
      return true;
  return part.block != nest.latch && any_of(successors(part.block), [&](BasicBlock *next) {
           return any_of(next->phis(), [&](PHINode &phi) { return nest.isKeptPhi(phi); });
         });
}

/// Copies the ways that threads go behind `part`; returns where they meet.
BasicBlock *StripBuilder::createWays(const NestPart &part, BasicBlock *start) {
  DenseMap<const BasicBlock *, BasicBlock *> copies{{part.block, start}};
  for (BasicBlock *way : part.ways)
    copies[way] = newBlock("way");
  BasicBlock *meeting = copies[part.meeting] = newBlock("meet");
  auto operandFor = [&](Value *value) { return ofThread(value); };
  auto endBlock = [&](BasicBlock &block) {
    Instruction *end = copy(*block.getTerminator(), [&](Value *value) {
      auto *target = dyn_cast<BasicBlock>(value);
      return target ? static_cast<Value *>(copies.lookup(target)) : operandFor(value);
    });
    end->setMetadata(LLVMContext::MD_loop, nullptr);
  };
  auto join = [&](PHINode &phi) {
    PHINode *result = builder.CreatePHI(phi.getType(), phi.getNumIncomingValues());
    for (auto [value, from] : zip(phi.incoming_values(), phi.blocks()))
      if (BasicBlock *copied = copies.lookup(from); copied && from != part.meeting)
        result->addIncoming(ofThread(value), copied);
    return result;
  };
  endBlock(*part.block);
  for (BasicBlock *way : part.ways) {
    builder.SetInsertPoint(copies[way]);
    for (Instruction &instruction : *way) {
      if (instruction.isTerminator())
        continue;
      auto *phi = dyn_cast<PHINode>(&instruction);
      Instruction *result = phi ? join(*phi) : copy(instruction, operandFor);
      values[&instruction] = result;
    }
    endBlock(*way);
  }
  builder.SetInsertPoint(meeting);
  SmallVector<std::pair<PHINode *, Value *>> joined;
  for (PHINode &phi : part.meeting->phis())
    joined.push_back({&phi, join(phi)});
  for (auto [phi, value] : joined)
    store(*phi, value);
  return meeting;
}

/// Keeps what parts behind `part` join. All is loaded at the start of the loop over threads, before anything changes.
void StripBuilder::keepForSuccessors(const NestPart &part) {
  SmallVector<std::pair<PHINode *, Value *>> joined;
  for (BasicBlock *next : SmallSetVector<BasicBlock *, 2>(succ_begin(part.block), succ_end(part.block)))
    for (PHINode &phi : next->phis())
      if (nest.isKeptPhi(phi))
        joined.push_back({&phi, ofThread(phi.getIncomingValueForBlock(part.block))});
  for (auto [phi, value] : joined)
    store(*phi, value);
}

/// Emits a loop over the threads of the strip, for all that differs between them in `part`.
void StripBuilder::createThreads(const NestPart &part) {
  values.clear();
  placesOfThread.clear();
  enteredFrom = builder.GetInsertBlock();
  entry = newBlock("thread");
  BasicBlock *body = newBlock("do"), *after = newBlock("after");
  builder.CreateBr(entry);
  builder.SetInsertPoint(entry);
  thread = builder.CreatePHI(builder.getInt64Ty(), 2, "thread");
  thread->addIncoming(builder.getInt64(0), enteredFrom);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  for (Instruction &instruction : *part.block) {
    if (!nest.differs(&instruction) || isa<PHINode>(instruction) || nest.isCheap(&instruction))
      continue;
    Instruction *result = copy(instruction, [&](Value *value) { return ofThread(value); });
    values[&instruction] = result;
    if (nest.kept.contains(&instruction))
      store(instruction, result);
  }
  if (part.meeting)
    createWays(part, body);
  else if (part.block != nest.latch)
    keepForSuccessors(part);
  BasicBlock *last = builder.GetInsertBlock();
  auto step = [&](PHINode *phi, Value *by, bool unsignedWrap, bool signedWrap) {
    phi->addIncoming(builder.CreateAdd(phi, by, "", !unsignedWrap, !signedWrap), last);
  };
  for (auto [phi, counter] : placesOfThread)
    step(phi, counter->step, !counter->next->hasNoUnsignedWrap(), !counter->next->hasNoSignedWrap());
  step(thread, builder.getInt64(1), false, false);
  Value *isLast = builder.CreateICmpEQ(thread->getIncomingValueForBlock(last), width);
  BranchInst *branch = builder.CreateCondBr(isLast, after, entry);
  MDNode *id = MDNode::getDistinct(builder.getContext(), {nullptr, parallel});
  id->replaceOperandWith(0, id);
  branch->setMetadata(LLVMContext::MD_loop, id);
  MergeBlockIntoPredecessor(body);
  builder.SetInsertPoint(after);
}

void StripBuilder::endPart(const NestPart &part, BasicBlock *exit) {
  if (part.meeting) {
    builder.CreateBr(starts[part.meeting]);
  } else if (part.block == nest.latch) {
    builder.CreateBr(exit);
  } else {
    Instruction *end = copy(*part.block->getTerminator(), [&](Value *value) {
      auto *target = dyn_cast<BasicBlock>(value);
      return target ? static_cast<Value *>(starts.lookup(target)) : same(value);
    });
    end->setMetadata(LLVMContext::MD_loop, nullptr);
  }
  ends[part.block] = builder.GetInsertBlock();
}

void StripBuilder::createPart(const NestPart &part, BasicBlock *exit) {
  builder.SetInsertPoint(starts[part.block]);
  for (Instruction &instruction : *part.block) {
    auto *phi = dyn_cast<PHINode>(&instruction);
    if (phi && nest.counters.count(phi))
      added[phi] = builder.CreatePHI(phi->getType(), 2);
    if (nest.differs(&instruction) || instruction.isTerminator())
      continue;
    // Completed later.
    sameValues[&instruction] = phi ? builder.CreatePHI(phi->getType(), phi->getNumIncomingValues())
                                   : copy(instruction, [&](Value *value) { return same(value); });
  }
  if (hasWork(part))
    createThreads(part);
  endPart(part, exit);
}

void StripBuilder::completePhis() {
  for (const NestPart &part : nest.parts)
    for (PHINode &phi : part.block->phis())
      if (auto *result = dyn_cast_or_null<PHINode>(sameValues.lookup(&phi)))
        for (auto [value, from] : zip(phi.incoming_values(), phi.blocks()))
          result->addIncoming(same(value), ends.lookup(from));
  for (auto &[phi, counter] : nest.counters) {
    Loop *loop = nest.loops.getLoopFor(phi->getParent());
    BasicBlock *latch = ends.lookup(loop->getLoopLatch());
    PHINode *sum = added.lookup(phi);
    builder.SetInsertPoint(latch->getTerminator());
    sum->addIncoming(ConstantInt::get(sum->getType(), 0), ends.lookup(loop->getLoopPreheader()));
    sum->addIncoming(builder.CreateAdd(sum, same(counter.step)), latch);
  }
}

BasicBlock *StripBuilder::build(BasicBlock *exit) {
  BasicBlock *start = newBlock("strip");
  builder.SetInsertPoint(start);
  for (auto &[place, counter] : nest.places) {
    Value *round = builder.CreateTrunc(first, place->getType());
    firstPlaces[place] = builder.CreateAdd(counter.first, builder.CreateMul(round, counter.step));
  }
  for (const NestPart &part : nest.parts)
    starts[part.block] = newBlock("part");
  builder.CreateBr(starts[nest.head]);
  for (const NestPart &part : nest.parts)
    createPart(part, exit);
  completePhis();
  return start;
}

//===-- Strips ---------------------------------------------------------------------------------------------------===//

/// The list of accesses that do not depend on other threads, with `ownAccesses` added.
MDNode *parallelWith(Loop &threads, MDNode *ownAccesses) {
  SmallVector<Metadata *> groups(findOptionMDForLoop(&threads, "llvm.loop.parallel_accesses")->operands());
  groups.push_back(ownAccesses);
  return MDNode::get(ownAccesses->getContext(), groups);
}

/// The number of threads of a strip that is whole, or nothing if registers do not pay.
std::optional<unsigned> widthOfStrips(const ThreadNest &nest) {
  bool isRare = nest.head->getParent()->hasFnAttribute(rarelyRunAttribute);
  if (isRare || nest.nearAccesses > 2 * nest.valuesInLoops)
    return std::nullopt;
  return std::clamp<unsigned>(bit_floor(mostBytesInRegisters / std::max<uint64_t>(nest.keptInLoops, 1)), leastStrip,
                              mostStrip);
}

/// A block from which the threads from `first` on go through the loop of `nest`, which nothing else leads to.
BasicBlock *startOldLoop(const ThreadNest &nest, Value *first) {
  auto *start = BasicBlock::Create(nest.head->getContext(), "strips.rest", nest.head->getParent(), nest.head);
  IRBuilder<> builder(start);
  for (PHINode &phi : nest.head->phis()) {
    const NestCounter &counter = nest.places.find(&phi)->second;
    Value *done = builder.CreateMul(builder.CreateTrunc(first, phi.getType()), counter.step);
    phi.setIncomingValueForBlock(nest.before, builder.CreateAdd(counter.first, done));
    phi.replaceIncomingBlockWith(nest.before, start);
  }
  builder.CreateBr(nest.head);
  return start;
}

/// Puts strips beside the loop of `nest`, which has `count` threads, an i64 that is known before the loop.
void createStrips(const ThreadNest &nest, Value *count) {
  LLVMContext &context = nest.head->getContext();
  MDNode *ownAccesses = MDNode::getDistinct(context, {}), *parallel = parallelWith(nest.threads, ownAccesses);
  std::optional<unsigned> whole = widthOfStrips(nest);
  unsigned mostWidth = whole.value_or(widestStrip);
  bool leavesFew = mostWidth == leastStrip;
  Function *function = nest.head->getParent();
  auto *strips = BasicBlock::Create(context, "strips", function, nest.exit);
  auto *next = BasicBlock::Create(context, "strips.next", function, nest.exit);
  IRBuilder<> builder(nest.before->getTerminator());
  if (leavesFew)
    builder.CreateBr(strips);
  else
    builder.CreateCondBr(builder.CreateICmpULT(count, builder.getInt64(fewThreads)), nest.head, strips);
  nest.before->getTerminator()->eraseFromParent();

  builder.SetInsertPoint(strips);
  PHINode *first = builder.CreatePHI(builder.getInt64Ty(), 2, "first");
  first->addIncoming(builder.getInt64(0), nest.before);
  Value *left = builder.CreateSub(count, first), *most = builder.getInt64(mostWidth);
  Value *isWhole = builder.CreateICmpUGE(left, most);
  Value *width = whole ? left : builder.CreateSelect(isWhole, most, left);
  BasicBlock *rest = leavesFew ? startOldLoop(nest, first)
                               : StripBuilder(nest, parallel, ownAccesses, first, width, mostWidth).build(next);
  if (whole)
    builder.CreateCondBr(isWhole, StripBuilder(nest, parallel, ownAccesses, first, most, mostWidth).build(next), rest);
  else
    builder.CreateBr(rest);

  builder.SetInsertPoint(next);
  Value *behind = builder.CreateNUWAdd(first, most);
  first->addIncoming(behind, next);
  builder.CreateCondBr(builder.CreateICmpULT(behind, count), strips, nest.exit);
  for (PHINode &phi : nest.exit->phis())
    phi.addIncoming(phi.getIncomingValueForBlock(nest.latch), next);
}

} // namespace

PreservedAnalyses cufort::codegen::StripsOfThreads::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.hasFnAttribute(compileBrieflyAttribute))
    return PreservedAnalyses::all();
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<Loop *> candidates;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (!loop->isInnermost() && findOptionMDForLoop(loop, "llvm.loop.parallel_accesses"))
      candidates.push_back(loop);
  if (candidates.empty())
    return PreservedAnalyses::all();
  DominatorTree &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  ScalarEvolution &scalars = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : candidates) {
    simplifyLoop(loop, &tree, &loops, &scalars, &analyses.getResult<AssumptionAnalysis>(function), nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSARecursively(*loop, tree, &loops, &scalars);
  }
  // The analyses are of the function as it is before the first change.
  PostDominatorTree postTree(function);
  SmallVector<std::pair<std::unique_ptr<ThreadNest>, Value *>> nests;
  for (Loop *loop : candidates)
    if (auto nest = std::make_unique<ThreadNest>(*loop, loops, postTree); nest->analyse())
      if (CountOfThreads count(*loop, scalars); count.isKnown())
        nests.push_back({std::move(nest), count.emit()});
  for (auto &[nest, count] : nests)
    createStrips(*nest, count);
  return PreservedAnalyses::none();
}
