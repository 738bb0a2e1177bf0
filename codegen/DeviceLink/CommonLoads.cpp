// In:  if (is_water(i)) then; f = 3 * a(i); end if     Out: x = a(i)
//      flux(i) = f / a(i)                                   if (is_water(i)) then; f = 3 * x; end if
//                                                           flux(i) = f / x
//
// All paths load the element, so that it may be loaded early, and then is on its way while the condition is found out.
// LLVM does so with arithmetic only. Loops are left as they are: a sum over what a mask leaves became slower. What both
// branches of a condition load is loaded before it, in loops, too.

#include "codegen/DeviceLink/CommonLoads.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/MemorySSAUpdater.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// True for what has the same value wherever its operands have.
bool isArithmetic(const Instruction &instruction) {
  return isa<BinaryOperator, CastInst, GetElementPtrInst>(instruction) && !instruction.getType()->isVectorTy() &&
         isSafeToSpeculativelyExecute(&instruction);
}

/// True for a load of what never changes while a kernel runs, from memory that is there.
bool loadsConstant(const Instruction &instruction) {
  constexpr unsigned constantMemory = 4;
  auto *load = dyn_cast<LoadInst>(&instruction);
  auto *variable = load ? dyn_cast<GlobalVariable>(getUnderlyingObject(load->getPointerOperand())) : nullptr;
  return variable && load->isSimple() && variable->getAddressSpace() == constantMemory &&
         isa<Constant>(load->getPointerOperand());
}

/// Numbers for values: the same for instructions that compute alike.
class Numbers {
public:
  unsigned of(Value *value) {
    auto known = numbers.find(value);
    if (known != numbers.end())
      return known->second;
    unsigned number = compute(value);
    numbers[value] = number;
    return number;
  }

  /// What a variable is whose values on all ways to it are computed alike, or null. LLVM makes such variables of what
  /// it finds computed in a branch and again behind it.
  Value *sameOnAllWays(Value *value) {
    auto *phi = dyn_cast<PHINode>(value);
    if (!phi || !all_of(phi->incoming_values(), [](Value *in) {
          auto *instruction = dyn_cast<Instruction>(in);
          return instruction && isArithmetic(*instruction);
        }))
      return nullptr;
    auto *first = cast<Instruction>(phi->getIncomingValue(0));
    bool isSame = all_of(phi->incoming_values(), [&](Value *in) {
      return isa<CastInst>(in) && first->isSameOperationAs(cast<Instruction>(in)) &&
             cast<Instruction>(in)->getOperand(0) == first->getOperand(0);
    });
    return isSame ? first : nullptr;
  }

private:
  using Form = std::vector<uintptr_t>;

  unsigned compute(Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (Value *same = sameOnAllWays(value))
      return of(same);
    if (!instruction || !(isArithmetic(*instruction) || loadsConstant(*instruction)))
      return next++;
    Form form = {instruction->getOpcode(), reinterpret_cast<uintptr_t>(instruction->getType())};
    if (auto *address = dyn_cast<GetElementPtrInst>(instruction))
      form.push_back(reinterpret_cast<uintptr_t>(address->getSourceElementType()));
    for (Value *operand : instruction->operands())
      form.push_back(of(operand));
    auto [place, isNew] = forms.try_emplace(std::move(form), next);
    next += isNew;
    return place->second;
  }

  DenseMap<Value *, unsigned> numbers;
  std::map<Form, unsigned> forms;
  unsigned next = 0;
};

/// Loads of one type from one address, in an order in which no block comes before those that lead to it.
using Group = SmallVector<LoadInst *, 4>;

class Loads {
public:
  Loads(Function &function, FunctionAnalysisManager &analyses)
      : function(function), tree(analyses.getResult<DominatorTreeAnalysis>(function)),
        ends(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        loops(analyses.getResult<LoopAnalysis>(function)),
        memory(analyses.getResult<MemorySSAAnalysis>(function).getMSSA()), updater(&memory) {}

  bool run() {
    MapVector<std::pair<unsigned, Type *>, Group> groups;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
      for (Instruction &instruction : *block)
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple() && !loadsConstant(*load))
          groups[{numbers.of(load->getPointerOperand()), load->getType()}].push_back(load);
    bool changed = false;
    for (auto &[place, group] : groups)
      while (joinTwo(group))
        changed = true;
    return changed;
  }

private:
  /// Joins two loads of `group` if the second is on every way from where the first one's branch begins.
  bool joinTwo(Group &group) {
    for (auto second = group.begin(); second != group.end(); ++second)
      for (auto first = group.begin(); first != second; ++first)
        if (BasicBlock *head = commonHead(**first, **second)) {
          join(**first, **second, *head);
          group.erase(first);
          return true;
        }
    return false;
  }

  /// True if every thread that leaves `head` comes to `block` or to `other`, which are
  /// behind different ends of its branch.
  bool coverBothWays(const BasicBlock &head, const BasicBlock &block, const BasicBlock &other) const {
    auto *branch = dyn_cast<BranchInst>(head.getTerminator());
    if (!branch || !branch->isConditional())
      return false;
    const BasicBlock *way = branch->getSuccessor(0), *otherWay = branch->getSuccessor(1);
    if (tree.dominates(way, &other))
      std::swap(way, otherWay);
    auto isReached = [&](const BasicBlock *from, const BasicBlock &end) {
      return from->getSinglePredecessor() == &head && tree.dominates(from, &end) && ends.dominates(&end, from);
    };
    return isReached(way, block) && isReached(otherWay, other);
  }

  /// The block at whose end `second` may be loaded for `first`, too, or null.
  BasicBlock *commonHead(LoadInst &first, LoadInst &second) {
    BasicBlock *before = first.getParent(), *behind = second.getParent();
    BasicBlock *head = tree.findNearestCommonDominator(before, behind);
    if (head == before || head == behind)
      return nullptr;
    bool isBehind = ends.dominates(behind, head) && !loops.getLoopFor(head) && !loops.getLoopFor(behind);
    return (isBehind || coverBothWays(*head, *before, *behind)) && isUnchangedSince(first, *head) &&
                   isUnchangedSince(second, *head) && canMove(*second.getPointerOperand(), *head)
               ? head
               : nullptr;
  }

  /// True if nothing that is behind `head` writes what `load` loads.
  bool isUnchangedSince(LoadInst &load, const BasicBlock &head) {
    MemoryAccess *write = memory.getWalker()->getClobberingMemoryAccess(&load);
    return memory.isLiveOnEntryDef(write) || tree.dominates(write->getBlock(), &head);
  }

  /// True if `value` can be computed at the end of `head`.
  bool canMove(Value &value, const BasicBlock &head) {
    auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction || tree.dominates(instruction, head.getTerminator()))
      return true;
    if (Value *same = numbers.sameOnAllWays(&value))
      return canMove(*same, head);
    return (isArithmetic(*instruction) || loadsConstant(*instruction)) &&
           all_of(instruction->operands(), [&](const Use &operand) { return canMove(*operand, head); });
  }

  void join(LoadInst &first, LoadInst &second, BasicBlock &head) {
    updater.removeMemoryAccess(&first);
    move(second, head);
    updater.moveToPlace(memory.getMemoryAccess(&second), &head, MemorySSA::BeforeTerminator);
    combineMetadataForCSE(&second, &first, /*DoesKMove=*/true);
    second.setAlignment(std::min(first.getAlign(), second.getAlign()));
    first.replaceAllUsesWith(&second);
    first.eraseFromParent();
  }

  /// Moves `value` and what it needs to the end of `head`.
  void move(Instruction &value, BasicBlock &head) {
    const Instruction *end = head.getTerminator();
    if (tree.dominates(&value, end))
      return;
    for (Use &operand : value.operands())
      if (auto *instruction = dyn_cast<Instruction>(operand); instruction && !tree.dominates(instruction, end)) {
        if (Value *same = numbers.sameOnAllWays(instruction))
          operand.set(same);
        move(*cast<Instruction>(operand), head);
      }
    value.moveBefore(head.getTerminator()->getIterator());
    if (MemoryUseOrDef *access = memory.getMemoryAccess(&value); access && loadsConstant(value))
      updater.moveToPlace(access, &head, MemorySSA::BeforeTerminator);
  }

  Function &function;
  DominatorTree &tree;
  PostDominatorTree &ends;
  LoopInfo &loops;
  MemorySSA &memory;
  MemorySSAUpdater updater;
  Numbers numbers;
};

} // namespace

PreservedAnalyses CommonLoads::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!Loads(function, analyses).run())
    return PreservedAnalyses::all();
  // Heads that follow each other may load the same now.
  analyses.invalidate(function, PreservedAnalyses::none());
  EarlyCSEPass(/*UseMemorySSA=*/true).run(function, analyses);
  return PreservedAnalyses::none();
}
