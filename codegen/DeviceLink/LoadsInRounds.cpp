// LLVM moves what does not change in a loop before it, without a look at registers. The means, spreads and weights of
// six components in four dimensions are 54 numbers, which each thread would keep while it goes through the few points
// that are its own.

#include "codegen/DeviceLink/LoadsInRounds.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Registers up to which elements stay there.
constexpr uint64_t mostRegisters = 24;
constexpr uint64_t registerBytes = 4;
/// Instructions that an address may be computed by to be looked at.
constexpr unsigned deepest = 8;

/// True if all threads get the same `value`: it comes from arguments and constants, and from elements of these.
bool isSameForAll(const Value *value, unsigned depth = 0) {
  if (isa<Constant, Argument>(value))
    return true;
  const auto *instruction = dyn_cast<Instruction>(value);
  const auto *load = dyn_cast_or_null<LoadInst>(instruction);
  if (!instruction || depth == deepest || (load && !load->hasMetadata(LLVMContext::MD_invariant_load)))
    return false;
  return isa<LoadInst, GetElementPtrInst, CastInst, BinaryOperator>(instruction) &&
         all_of(instruction->operands(), [&](const Value *operand) { return isSameForAll(operand, depth + 1); });
}

class Rounds {
public:
  Rounds(Loop &loop, const LoopInfo &loops, const DominatorTree &tree) : loop(loop), loops(loops), tree(tree) {}

  /// Moves elements that are loaded before the loop into it, if they are many. Returns whether there are any.
  bool takeLoads() {
    SmallVector<LoadInst *> kept;
    uint64_t registers = 0;
    for (BasicBlock *block = loop.getLoopPreheader(); block; block = block->getSinglePredecessor())
      for (Instruction &instruction : *block)
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && isKeptForRounds(*load)) {
          kept.push_back(load);
          registers +=
              divideCeil(load->getDataLayout().getTypeStoreSize(load->getType()).getFixedValue(), registerBytes);
        }
    if (registers <= mostRegisters)
      return false;
    for (LoadInst *load : kept)
      moveIn(*load);
    return true;
  }

private:
  bool isKeptForRounds(const LoadInst &load) const {
    return load.isSimple() && !load.use_empty() && load.hasMetadata(LLVMContext::MD_invariant_load) &&
           !load.getType()->isPointerTy() && isSameForAll(load.getPointerOperand()) &&
           all_of(load.users(), [&](const User *user) { return loop.contains(cast<Instruction>(user)); });
  }

  /// The block in which the value of `use` is needed.
  static BasicBlock *blockOf(const Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    return phi ? phi->getIncomingBlock(use) : user->getParent();
  }

  /// Moves `load` to where a round needs it first, but into none of the loops of a round.
  void moveIn(LoadInst &load) const {
    BasicBlock *block = nullptr;
    for (const Use &use : load.uses())
      block = block ? tree.findNearestCommonDominator(block, blockOf(use)) : blockOf(use);
    if (!loop.contains(block)) // a value that the first round begins with
      return;
    while (loops.getLoopFor(block) != &loop)
      block = tree.getNode(block)->getIDom()->getBlock();
    Instruction *before = block->getTerminator();
    for (Instruction &instruction : *block)
      if (!isa<PHINode>(instruction) && is_contained(load.users(), &instruction)) {
        before = &instruction;
        break;
      }
    load.moveBefore(before->getIterator());
  }

  Loop &loop;
  const LoopInfo &loops;
  const DominatorTree &tree;
};

} // namespace

PreservedAnalyses LoadsInRounds::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!isOfLoops(function))
    return PreservedAnalyses::all();
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops)
    changed |= Rounds(*loop, loops, tree).takeLoads();
  if (!changed)
    return PreservedAnalyses::all();
  function.addFnAttr(keptLoadsFunctionAttribute);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
