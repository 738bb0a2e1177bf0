// In: the loops of mean = sum(a(i, :)) / m and greatest = maxval(a(i, :))
//
//   if m > 0: do                                   Out: if m > 0: do
//     sum += a(i, j)                                      sum += a(i, j), greatest = max(greatest, a(i, j))
//   mean = sum / m
//   if m > 0: do                                        mean = sum / m
//     greatest = max(greatest, a(i, j))
//
// The second loop moves to where the first one is, over what stands between them: that must not write what it reads.

#include "codegen/DeviceLink/JoinedLoops.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Both loops together may have so many instructions: more would need too many registers at a time.
constexpr size_t mostInstructions = 80;

/// The condition under which a loop runs; null if it always does.
struct Guard {
  Value *condition = nullptr;
  bool runsIfTrue = true;
};

/// What leads from one loop to the next.
struct Way {
  SmallVector<BasicBlock *, 4> between; ///< with the preheader of the second loop
  Guard guard;                          ///< of both
};

/// The guard of `loop`, if `block` decides between it and `otherwise`.
std::optional<Guard> guardIn(const BasicBlock &block, const Loop &loop, const BasicBlock &otherwise) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  for (unsigned successor : {0u, 1u})
    if (branch->getSuccessor(successor) == loop.getLoopPreheader() && branch->getSuccessor(1 - successor) == &otherwise)
      return Guard{branch->getCondition(), successor == 0};
  return std::nullopt;
}

/// The block other than `known` that leads to `block`, which has two before it; null if it has not.
BasicBlock *otherPredecessor(BasicBlock &block, const BasicBlock &known) {
  BasicBlock *other = nullptr;
  unsigned count = 0;
  for (BasicBlock *before : predecessors(&block)) {
    ++count;
    if (before != &known)
      other = before;
  }
  return count == 2 ? other : nullptr;
}

/// The way from `first` to `second` if every thread that takes one of these loops takes the other.
std::optional<Way> findWay(const Loop &first, const Loop &second) {
  constexpr size_t mostBlocks = 6;
  Way way;
  const BasicBlock *before = first.getLoopLatch();
  BasicBlock *block = first.getExitBlock();
  for (; block && way.between.size() < mostBlocks; before = block, block = block->getSingleSuccessor()) {
    if (!block->getSinglePredecessor()) {
      BasicBlock *other = otherPredecessor(*block, *before);
      std::optional<Guard> guard = other && !way.guard.condition ? guardIn(*other, first, *block) : std::nullopt;
      if (!guard)
        return std::nullopt;
      way.guard = *guard;
    }
    way.between.push_back(block);
    if (block == second.getLoopPreheader())
      return way.guard.condition ? std::nullopt : std::make_optional(way);
    if (block->getSingleSuccessor())
      continue;
    // A second guard, which must be the same.
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !way.guard.condition || branch->getCondition() != way.guard.condition ||
        branch->getSuccessor(way.guard.runsIfTrue ? 0 : 1) != second.getLoopPreheader() ||
        !second.getLoopPreheader()->getSinglePredecessor())
      return std::nullopt;
    way.between.push_back(second.getLoopPreheader());
    return way;
  }
  return std::nullopt;
}

bool isSimple(const Loop &loop) {
  return loop.isInnermost() && loop.getNumBlocks() == 1 && loop.isLoopSimplifyForm() && loop.getExitBlock() &&
         none_of(*loop.getHeader(), [](const Instruction &instruction) {
           auto *load = dyn_cast<LoadInst>(&instruction);
           auto *call = dyn_cast<CallBase>(&instruction);
           return instruction.mayHaveSideEffects() || (load && !load->isSimple()) || (call && call->isConvergent());
         });
}

/// Joins two loops.
class Join {
public:
  Join(Loop &first, Loop &second, FunctionAnalysisManager &analyses, Function &function)
      : first(first), second(second), evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        tree(analyses.getResult<DominatorTreeAnalysis>(function)), aliases(analyses.getResult<AAManager>(function)) {}

  bool isPossible() {
    const SCEV *rounds = evolution.getBackedgeTakenCount(&first);
    if (isa<SCEVCouldNotCompute>(rounds) || rounds != evolution.getBackedgeTakenCount(&second) ||
        first.getHeader()->size() + second.getHeader()->size() > mostInstructions)
      return false;
    std::optional<Way> way = findWay(first, second);
    return way && readTheSame() && all_of(way->between, [&](BasicBlock *block) { return mayMoveOver(*block); }) &&
           all_of(*second.getHeader(), [&](Instruction &instruction) {
             return all_of(instruction.operands(), [&](Value *operand) { return isKnownEarly(operand); });
           });
  }

  void run() {
    computeEarly();
    copyRound();
    replaceResults();
    removeSecond();
  }

private:
  /// An address in `loop`, by where it is in the first round and how far it moves; null if it does not move.
  const SCEVAddRecExpr *placeIn(const Loop &loop, Value *value) {
    auto *place = evolution.isSCEVable(value->getType()) ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(value)) : nullptr;
    return place && place->getLoop() == &loop && place->isAffine() ? place : nullptr;
  }

  static bool areSame(const SCEVAddRecExpr *one, const SCEVAddRecExpr *other) {
    return one && other && one->getOperand(0) == other->getOperand(0) && one->getOperand(1) == other->getOperand(1);
  }

  /// True if both loops load the same element in each round.
  bool readTheSame() {
    return any_of(*second.getHeader(), [&](Instruction &instruction) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      const SCEVAddRecExpr *place = load ? placeIn(second, load->getPointerOperand()) : nullptr;
      return place && any_of(*first.getHeader(), [&](Instruction &other) {
               auto *earlier = dyn_cast<LoadInst>(&other);
               return earlier && earlier->getType() == load->getType() &&
                      areSame(placeIn(first, earlier->getPointerOperand()), place);
             });
    });
  }

  /// True if the loads of the second loop may be before `block`.
  bool mayMoveOver(BasicBlock &block) {
    return all_of(block, [&](Instruction &instruction) {
      if (instruction.isTerminator())
        return true;
      if (instruction.isVolatile() || instruction.isAtomic() ||
          !isGuaranteedToTransferExecutionToSuccessor(&instruction))
        return false;
      auto *call = dyn_cast<CallBase>(&instruction);
      if (call && call->isConvergent())
        return false;
      return !instruction.mayWriteToMemory() || none_of(*second.getHeader(), [&](Instruction &other) {
        auto *load = dyn_cast<LoadInst>(&other);
        return load && isModSet(aliases.getModRefInfo(&instruction,
                                                      MemoryLocation::getBeforeOrAfter(load->getPointerOperand())));
      });
    });
  }

  /// True if `value`, which the second loop uses, is known before the first, or can be: then it is in `early`.
  bool isKnownEarly(Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() == second.getHeader() ||
        tree.dominates(instruction, first.getLoopPreheader()->getTerminator()) || is_contained(early, instruction))
      return true;
    bool isPure = !isa<PHINode, LoadInst>(instruction) && !instruction->mayReadOrWriteMemory() &&
                  isSafeToSpeculativelyExecute(instruction) && !first.contains(instruction) &&
                  !second.contains(instruction);
    if (!isPure || !all_of(instruction->operands(), [&](Value *operand) { return isKnownEarly(operand); }))
      return false;
    early.push_back(instruction);
    return true;
  }

  /// Computes in front of the first loop what the second one needs. Others may need it where neither loop runs.
  void computeEarly() {
    for (Instruction *instruction : early) {
      Instruction *copy = instruction->clone();
      copy->insertBefore(first.getLoopPreheader()->getTerminator()->getIterator());
      RemapInstruction(copy, twins, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      twins[instruction] = copy;
    }
  }

  /// The variable of the first loop that has the values of `variable` of the second; null if there is none.
  PHINode *sameVariable(PHINode &variable) {
    for (PHINode &other : first.getHeader()->phis())
      if (other.getType() == variable.getType() && areSame(placeIn(first, &other), placeIn(second, &variable)))
        return &other;
    return nullptr;
  }

  /// Appends a round of the second loop to one of the first.
  void copyRound() {
    BasicBlock *to = first.getHeader(), *from = second.getHeader();
    SmallVector<std::pair<PHINode *, PHINode *>> variables;
    for (PHINode &variable : from->phis()) {
      PHINode *&twin = variables.emplace_back(&variable, sameVariable(variable)).second;
      if (twin) {
        twins[&variable] = twin;
        variables.pop_back();
        continue;
      }
      twin = PHINode::Create(variable.getType(), 2, variable.getName(), to->begin());
      twins[&variable] = twin;
    }
    for (Instruction &instruction : *from) {
      if (isa<PHINode>(instruction) || instruction.isTerminator())
        continue;
      Instruction *copy = instruction.clone();
      copy->insertBefore(to->getTerminator()->getIterator());
      RemapInstruction(copy, twins, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      twins[&instruction] = copy;
    }
    for (auto [variable, twin] : variables) {
      Value *start = variable->getIncomingValueForBlock(second.getLoopPreheader());
      Value *computed = twins.lookup(start);
      twin->addIncoming(computed ? computed : start, first.getLoopPreheader());
      Value *next = variable->getIncomingValueForBlock(from);
      Value *copied = twins.lookup(next);
      twin->addIncoming(copied ? copied : next, to);
    }
  }

  /// What follows gets the results from the first loop.
  void replaceResults() {
    BasicBlock *from = second.getHeader();
    for (PHINode &result : second.getExitBlock()->phis())
      result.replaceIncomingBlockWith(from, second.getLoopPreheader());
    for (Instruction &instruction : *from) {
      SmallVector<Use *> outside;
      for (Use &use : instruction.uses())
        if (cast<Instruction>(use.getUser())->getParent() != from)
          outside.push_back(&use);
      if (outside.empty())
        continue;
      SSAUpdater updater;
      updater.Initialize(instruction.getType(), instruction.getName());
      updater.AddAvailableValue(first.getHeader(), twins.lookup(&instruction));
      for (Use *use : outside)
        updater.RewriteUse(*use);
    }
  }

  void removeSecond() {
    BasicBlock *header = second.getHeader();
    second.getLoopPreheader()->getTerminator()->replaceSuccessorWith(header, second.getExitBlock());
    header->dropAllReferences();
    header->eraseFromParent();
  }

  Loop &first, &second;
  ScalarEvolution &evolution;
  DominatorTree &tree;
  AAResults &aliases;
  SmallVector<Instruction *> early; ///< in order
  ValueToValueMapTy twins;
};

/// Joins two loops of `function`, if there are any for that.
bool joinTwo(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<Loop *> simple;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (isSimple(*loop))
      simple.push_back(loop);
  for (Loop *first : simple)
    for (Loop *second : simple)
      if (first != second && first->getParentLoop() == second->getParentLoop())
        if (Join join(*first, *second, analyses, function); join.isPossible()) {
          join.run();
          return true;
        }
  return false;
}

} // namespace

PreservedAnalyses cufort::codegen::JoinedLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = false;
  while (joinTwo(function, analyses)) {
    changed = true;
    joinEqualValues(function);
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
