#include "codegen/DeviceLink/ThreadNests.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

/// Of a loop over threads: what is worth to be compiled several times.
static constexpr unsigned mostInstructions = 600;

/// Whether `phi` grows by the same in each round of a loop from `before` to `latch`.
static std::optional<NestCounter> counterOf(PHINode &phi, const Loop &loop) {
  Value *step;
  auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!phi.getType()->isIntegerTy() || phi.getType()->getIntegerBitWidth() > 64 || !next ||
      !match(next, m_c_Add(m_Specific(&phi), m_Value(step))) || !loop.isLoopInvariant(step))
    return std::nullopt;
  return NestCounter{phi.getIncomingValueForBlock(loop.getLoopPreheader()), step, next};
}

bool ThreadNest::findPlaces() {
  for (PHINode &phi : head->phis()) {
    auto counter = counterOf(phi, threads);
    if (!counter)
      return false;
    places.insert({&phi, *counter});
  }
  return true;
}

bool ThreadNest::canRun(const Instruction &instruction) const {
  if (isa<AllocaInst>(instruction) || instruction.getType()->isTokenTy())
    return false;
  if (instruction.isTerminator())
    return isa<BranchInst, SwitchInst>(instruction);
  if (isa<LoadInst, StoreInst>(instruction))
    return true;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects() && !(call && call->isConvergent());
}

//===-- Differences ----------------------------------------------------------------------------------------------===//

bool ThreadNest::spreadTo(Instruction &instruction) {
  if (differs(&instruction) || instruction.isTerminator())
    return false;
  auto *phi = dyn_cast<PHINode>(&instruction);
  bool isDifferent =
      instruction.mayReadOrWriteMemory() || (phi && (places.count(phi) || mixed.contains(phi->getParent())));
  isDifferent |= any_of(instruction.operands(), [&](Value *operand) { return differs(operand); });
  if (isDifferent)
    different.insert(&instruction);
  return isDifferent;
}

/// Where threads go different ways behind `block`, they come from several sides until they meet.
bool ThreadNest::part(BasicBlock &block) {
  auto *node = postTree.getNode(&block);
  BasicBlock *meeting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<BasicBlock *> waiting(successors(&block));
  DenseSet<const BasicBlock *> seen;
  bool changed = false;
  while (!waiting.empty()) {
    BasicBlock *way = waiting.pop_back_val();
    if (!seen.insert(way).second)
      continue;
    changed |= mixed.insert(way).second;
    if (way == meeting)
      continue;
    // A way that leads out of the loop, or round it, or into another loop.
    if (!meeting || way == head || !threads.contains(way) || loops.getLoopFor(way) != loops.getLoopFor(&block)) {
      isPossible = false;
      return false;
    }
    append_range(waiting, successors(way));
  }
  isPossible &= loops.getLoopFor(meeting) == loops.getLoopFor(&block);
  return changed;
}

void ThreadNest::findDifferences() {
  bool changed = true;
  while (changed && isPossible) {
    changed = false;
    for (BasicBlock *block : threads.blocks()) {
      for (Instruction &instruction : *block)
        changed |= spreadTo(instruction);
      if (goesApart(*block))
        changed |= part(*block);
    }
  }
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

bool ThreadNest::findParts() {
  LoopBlocksRPO order(&threads);
  order.perform(&loops);
  for (BasicBlock *block : order) {
    if (owner.count(block))
      continue;
    owner[block] = block;
    NestPart &part = parts.emplace_back();
    part.block = block;
    if (!goesApart(*block))
      continue;
    part.meeting = postTree.getNode(block)->getIDom()->getBlock();
    SmallVector<BasicBlock *> waiting(successors(block));
    while (!waiting.empty()) {
      BasicBlock *way = waiting.pop_back_val();
      if (way != part.meeting && owner.try_emplace(way, block).second)
        append_range(waiting, successors(way));
    }
    for (BasicBlock *way : order)
      if (way != block && owner.lookup(way) == block)
        part.ways.push_back(way);
    for (BasicBlock *way : part.ways)
      for (BasicBlock *from : predecessors(way))
        if (owner.lookup(from) != block)
          return false;
  }
  return true;
}

bool ThreadNest::findCounters() {
  for (const NestPart &part : parts) {
    Loop *loop = loops.getLoopFor(part.block);
    if (loop == &threads || loop->getHeader() != part.block)
      continue;
    if (!loop->getLoopPreheader() || !loop->getLoopLatch())
      return false;
    for (PHINode &phi : part.block->phis())
      if (auto counter = differs(&phi) ? counterOf(phi, *loop) : std::nullopt; counter && !differs(counter->step))
        counters.insert({&phi, *counter});
  }
  return true;
}

bool ThreadNest::isCheapOperation(Instruction &instruction) const {
  if (auto *phi = dyn_cast<PHINode>(&instruction)) {
    auto counter = counters.find(phi);
    return places.count(phi) ||
           (counter != counters.end() && (!differs(counter->second.first) || isCheap(counter->second.first)));
  }
  bool isSimple = isa<CastInst, GetElementPtrInst, ICmpInst, SelectInst>(instruction) ||
                  (instruction.isBinaryOp() && instruction.getType()->isIntegerTy() && !instruction.isIntDivRem()) ||
                  isa<MinMaxIntrinsic>(instruction);
  return isSimple &&
         all_of(instruction.operands(), [&](Value *operand) { return !differs(operand) || isCheap(operand); });
}

void ThreadNest::findCheap() {
  for (const NestPart &part : parts)
    for (Instruction &instruction : *part.block)
      if (differs(&instruction) && isCheapOperation(instruction))
        cheap.insert(&instruction);
}

void ThreadNest::keep(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (instruction && differs(instruction) && !isCheap(instruction) && !isa<PHINode>(instruction))
    kept.insert(instruction);
}

/// Finds what parts need from others, and how much of it inner loops do.
void ThreadNest::findKept() {
  for (const NestPart &part : parts)
    for (Instruction &instruction : *part.block) {
      auto *phi = dyn_cast<PHINode>(&instruction);
      bool isKept = phi && isKeptPhi(*phi), inLoop = isKept && loops.getLoopFor(part.block) != &threads;
      for (User *user : instruction.users()) {
        auto *where = dyn_cast<Instruction>(user);
        if (!where || !threads.contains(where) || !differs(&instruction) || isCheap(&instruction))
          continue;
        auto *join = dyn_cast<PHINode>(where);
        bool elsewhere = false;
        for (Use &use : where->operands()) {
          BasicBlock *from = join ? join->getIncomingBlock(use) : where->getParent();
          if (use != &instruction || owner.lookup(from) == part.block)
            continue;
          elsewhere = true;
          inLoop |= loops.getLoopFor(from) != &threads;
        }
        if (elsewhere || (join && counters.count(join)))
          keep(&instruction);
      }
      if (inLoop && (isKept || kept.contains(&instruction))) {
        keptInLoops += part.block->getDataLayout().getTypeStoreSize(instruction.getType());
        ++valuesInLoops;
      }
    }
}

//===-- Cost -----------------------------------------------------------------------------------------------------===//

/// By how many bytes `value`, an address or an integer, differs between neighbouring threads, if that is known.
std::optional<int64_t> ThreadNest::distance(Value *value) const {
  Value *left, *right;
  const APInt *factor;
  if (!differs(value))
    return 0;
  if (auto *phi = dyn_cast<PHINode>(value)) {
    auto place = places.find(phi), counter = counters.find(phi);
    if (counter != counters.end())
      return distance(counter->second.first);
    auto *step = place != places.end() ? dyn_cast<ConstantInt>(place->second.step) : nullptr;
    return step ? std::optional(step->getSExtValue()) : std::nullopt;
  }
  if (match(value, m_SExt(m_Value(left))) || match(value, m_ZExt(m_Value(left))) ||
      match(value, m_Trunc(m_Value(left))))
    return distance(left);
  if (match(value, m_Mul(m_Value(left), m_APInt(factor))) && factor->getSignificantBits() <= 32) {
    auto by = distance(left);
    return by ? std::optional(*by * factor->getSExtValue()) : std::nullopt;
  }
  if (match(value, m_Shl(m_Value(left), m_APInt(factor))) && factor->ult(32)) {
    auto by = distance(left);
    return by ? std::optional(*by << factor->getZExtValue()) : std::nullopt;
  }
  bool isSum = match(value, m_AddLike(m_Value(left), m_Value(right))),
       isDifference = match(value, m_Sub(m_Value(left), m_Value(right)));
  if (isSum || isDifference) {
    auto first = distance(left), second = distance(right);
    return first && second ? std::optional(isSum ? *first + *second : *first - *second) : std::nullopt;
  }
  if (auto *address = dyn_cast<GEPOperator>(value)) {
    const DataLayout &layout = head->getDataLayout();
    auto total = distance(address->getPointerOperand());
    for (auto place = gep_type_begin(address), end = gep_type_end(address); place != end && total; ++place) {
      auto by = distance(place.getOperand());
      total = by ? std::optional(*total + (*by ? *by * int64_t(place.getSequentialElementStride(layout)) : 0))
                 : std::nullopt;
    }
    return total;
  }
  return std::nullopt;
}

bool ThreadNest::pays() {
  unsigned far = 0;
  for (BasicBlock *block : threads.blocks()) {
    Loop *loop = loops.getLoopFor(block);
    if (loop == &threads || !loop->isInnermost())
      continue;
    for (Instruction &instruction : *block)
      if (Value *address = getLoadStorePointerOperand(&instruction)) {
        auto by = distance(address);
        int64_t bytes = head->getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
        if (by && *by)
          ++(*by == bytes ? nearAccesses : far);
        else if (!by)
          ++far;
      }
  }
  return nearAccesses >= far;
}

//===-- Accesses -------------------------------------------------------------------------------------------------===//

/// Finds accesses without the mark of those that do not depend on other threads. False if one is not ordinary.
bool ThreadNest::findUnmarked() {
  SmallPtrSet<const Metadata *, 4> groups;
  for (const MDOperand &group : drop_begin(findOptionMDForLoop(&threads, "llvm.loop.parallel_accesses")->operands()))
    groups.insert(group);
  for (BasicBlock *block : threads.blocks())
    for (Instruction &instruction : *block) {
      MDNode *group = instruction.getMetadata(LLVMContext::MD_access_group);
      if (!instruction.mayReadOrWriteMemory() || (group && groups.contains(group)))
        continue;
      auto *load = dyn_cast<LoadInst>(&instruction);
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (group || !(load ? load->isSimple() : store && store->isSimple()))
        return false;
      unmarked.push_back(&instruction);
    }
  return true;
}

/// True if no thread has access to what another one has access to without a mark: LLVM drops it where it keeps an
/// element in a register as long as a loop runs. The same becomes of atomic updates of shared memory, though, so what
/// has no mark must be one element for each thread.
bool ThreadNest::areUnmarkedApart() const {
  DenseMap<const Value *, const Value *> addresses;
  for (Instruction *access : unmarked) {
    Value *address = getLoadStorePointerOperand(access);
    auto by = distance(address);
    int64_t bytes = head->getDataLayout().getTypeStoreSize(getLoadStoreType(access));
    const Value *object = getUnderlyingObject(address, /*MaxLookup=*/0);
    if (!by || std::abs(*by) < bytes || isa<AllocaInst, PHINode, SelectInst>(object) ||
        addresses.try_emplace(object, address).first->second != address)
      return false;
  }
  return true;
}

bool ThreadNest::analyse() {
  if (threads.isInnermost() || !before || !latch || !exit || threads.getExitingBlock() != latch ||
      exit->getSinglePredecessor() != latch || !isa<BranchInst>(latch->getTerminator()) || !findUnmarked())
    return false;
  unsigned count = 0;
  for (BasicBlock *block : threads.blocks())
    for (Instruction &instruction : *block) {
      Type *type = instruction.getType();
      if (++count > mostInstructions || !canRun(instruction) ||
          !(type->isVoidTy() || type->isIntOrPtrTy() || type->isFloatingPointTy()))
        return false;
    }
  for (PHINode &phi : exit->phis())
    if (!threads.isLoopInvariant(phi.getIncomingValueForBlock(latch)))
      return false;
  if (!findPlaces())
    return false;
  findDifferences();
  if (!isPossible || !findParts() || !findCounters())
    return false;
  findCheap();
  if (!areUnmarkedApart())
    return false;
  findKept();
  return pays();
}
