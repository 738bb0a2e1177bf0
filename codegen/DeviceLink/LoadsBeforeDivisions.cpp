// ptxas makes a branch of each division, because it calls a function for unusual numbers, and moves no load over one.
// In
//
//   (b(i) - a(i)) / h + (c(i) - b(i)) / h + (d(i) - c(i)) / h
//
// a thread would wait for memory three times. With all loads before the first division it waits once. The same goes for
// loads behind conditions, as those of mathematical functions for unusual arguments, that a thread comes to in any
// case.

#include "codegen/DeviceLink/LoadsBeforeDivisions.h"
#include "codegen/DeviceLink/ExactDivisions.h"
#include "codegen/DeviceLink/Speculation.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Registers of 32 bits that loads may take which wait for a division.
constexpr unsigned mostRegisters = 24;

constexpr unsigned globalSpace = 1;

/// True for what ptxas makes a branch of.
bool becomesBranch(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return instruction.getType()->isIntegerTy(64) && !isa<Constant>(instruction.getOperand(1));
  default:
    return isExactDivision(instruction) || isExactRoot(instruction);
  }
}

/// True for a load that takes long. Shared, local and constant memory is near.
bool isFromGlobalMemory(const LoadInst &load) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(load.getPointerOperand(), objects);
  return load.isSimple() && (load.getPointerAddressSpace() == globalSpace || load.getPointerAddressSpace() == 0) &&
         none_of(objects, [](const Value *object) {
           unsigned space = object->getType()->getPointerAddressSpace();
           return isa<AllocaInst>(object) || (space != globalSpace && space != 0);
         });
}

bool isConvergent(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isConvergent();
}

/// Moves loads to one place.
class Mover {
public:
  Mover(Instruction &place, const DominatorTree &tree) : place(place), tree(tree) {}

  /// Does nothing if registers are short, or if the address is loaded or divided for: the thread would wait for it
  /// before the other loads.
  bool move(LoadInst &load) {
    unsigned needed = (load.getType()->getPrimitiveSizeInBits() + 31) / 32;
    SmallVector<Instruction *> moved;
    SmallPtrSet<Instruction *, 16> seen;
    if (!needed || registers + needed > mostRegisters || !collect(load, moved, seen))
      return false;
    registers += needed;
    for (Instruction *instruction : moved)
      instruction->moveBefore(place.getIterator());
    return true;
  }

private:
  /// Adds `instruction` to `moved`, behind those operands that are not known at the place.
  bool collect(Instruction &instruction, SmallVectorImpl<Instruction *> &moved,
               SmallPtrSetImpl<Instruction *> &seen) const {
    for (Value *value : instruction.operands()) {
      auto *operand = dyn_cast<Instruction>(value);
      if (!operand || tree.dominates(operand, &place) || !seen.insert(operand).second)
        continue;
      if (isa<PHINode>(operand) || operand->mayReadOrWriteMemory() || becomesBranch(*operand) ||
          !canComputeEarly(*operand) || seen.size() > mostInstructions || !collect(*operand, moved, seen))
        return false;
    }
    moved.push_back(&instruction);
    return true;
  }

  static constexpr size_t mostInstructions = 16; ///< of an address
  Instruction &place;
  const DominatorTree &tree;
  unsigned registers = 0;
};

class Blocks {
public:
  Blocks(const DominatorTree &tree, const PostDominatorTree &ends, const LoopInfo &loops)
      : tree(tree), ends(ends), loops(loops) {}

  bool runOn(Function &function) {
    ReversePostOrderTraversal<Function *> order(&function);
    bool changed = false;
    for (BasicBlock *block : order) {
      if (auto first = find_if(*block, becomesBranch); first != block->end())
        changed |= moveWithin(*first);
      changed |= moveToAbove(*block);
    }
    return changed;
  }

private:
  /// Where loads go to that wait for `block`.
  Mover &moverOf(BasicBlock &block) {
    auto found = movers.find(&block);
    if (found != movers.end())
      return found->second;
    auto first = find_if(block, becomesBranch);
    Instruction &place = first == block.end() ? *block.getTerminator() : *first;
    return movers.insert({&block, Mover(place, tree)}).first->second;
  }

  /// Moves what follows `first` in its block to before it.
  bool moveWithin(Instruction &first) {
    bool writes = false, changed = false;
    for (Instruction &instruction : make_early_inc_range(make_range(first.getIterator(), first.getParent()->end()))) {
      if (isConvergent(instruction))
        break;
      writes |= instruction.mayWriteToMemory();
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (load && isFromGlobalMemory(*load) && (!writes || load->hasMetadata(LLVMContext::MD_invariant_load)))
        changed |= moverOf(*first.getParent()).move(*load);
    }
    return changed;
  }

  /// Moves loads of what never changes to the first block from which every thread comes here.
  bool moveToAbove(BasicBlock &block) {
    BasicBlock *top = topAbove(block);
    if (!top)
      return false;
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (isConvergent(instruction))
        break;
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (load && isFromGlobalMemory(*load) && load->hasMetadata(LLVMContext::MD_invariant_load))
        changed |= moverOf(*top).move(*load);
    }
    return changed;
  }

  /// Null if there is none, or if a loop or a barrier lies between.
  BasicBlock *topAbove(BasicBlock &block) const {
    BasicBlock *top = nullptr;
    for (BasicBlock *above = &block; auto *node = tree.getNode(above)->getIDom();) {
      BasicBlock *next = node->getBlock();
      if (!ends.dominates(&block, next) || !isStraightBetween(*next, *above))
        break;
      top = above = next;
    }
    return top;
  }

  /// True if the ways from `top` to `end`, which dominate each other, go through few blocks without loops and barriers.
  bool isStraightBetween(BasicBlock &top, BasicBlock &end) const {
    SmallSetVector<BasicBlock *, mostBlocks> between;
    between.insert(succ_begin(&top), succ_end(&top));
    for (size_t next = 0; next < between.size(); ++next) {
      BasicBlock *block = between[next];
      if (loops.getLoopFor(block) != loops.getLoopFor(&top) || between.size() > mostBlocks)
        return false;
      if (block == &end)
        continue;
      if (any_of(*block, isConvergent))
        return false;
      between.insert(succ_begin(block), succ_end(block));
    }
    return none_of(top, isConvergent);
  }

  static constexpr unsigned mostBlocks = 16;
  const DominatorTree &tree;
  const PostDominatorTree &ends;
  const LoopInfo &loops;
  DenseMap<BasicBlock *, Mover> movers;
};

} // namespace

PreservedAnalyses cufort::codegen::LoadsBeforeDivisions::run(Function &function, FunctionAnalysisManager &analyses) {
  Blocks blocks(analyses.getResult<DominatorTreeAnalysis>(function),
                analyses.getResult<PostDominatorTreeAnalysis>(function), analyses.getResult<LoopAnalysis>(function));
  if (!blocks.runOn(function))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
