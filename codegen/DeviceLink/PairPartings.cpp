// In:  if (x(i) > 0) then
//        ways
//      end if
//      meeting
//
// Out: if (both or none of x(i) and x(i') are > 0)
//        if (x(i) > 0) the ways of both blocks
//      else
//        if (x(i) > 0) the ways of the first block
//        if (x(i') > 0) the ways of the second block
//      meeting
//
// Within the ways of both blocks the same is done for branches in them; those for one block alone are as they were. A
// loop that blocks leave in different rounds is done for both until one of them leaves it; the other goes on alone.
// What it computed on the way to the branch it then has from the rounds for both.

#include "codegen/DeviceLink/PairPartings.h"
#include "codegen/DeviceLink/TakingTurns.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace cufort::codegen;

/// Instructions that may be copied for one block alone. Branches within branches are copied several times.
static constexpr size_t mostCopied = 3000;

void PairPartings::drop() {
  for (auto &parting : partings)
    for (Copy &copy : parting->copies) {
      copy.map.clear();
      for (BasicBlock *way : copy.ways)
        way->dropAllReferences();
      for (BasicBlock *way : copy.ways)
        delete way;
      delete copy.branch;
    }
  partings.clear();
}

Uniformity::Origin PairPartings::originOf(const Value &value, OriginOf others) const {
  if (same.contains(&value))
    return Uniformity::Same;
  return different.contains(&value) ? Uniformity::Different : others(value);
}

/// The only block outside of `ways` to which they lead from `branch`; null if there is none, or several.
static BasicBlock *meetingOf(BasicBlock *branch, const DenseSet<const BasicBlock *> &ways) {
  SmallSetVector<BasicBlock *, 2> found;
  auto look = [&](const BasicBlock *from) {
    for (const BasicBlock *to : successors(from))
      if (!ways.contains(to))
        found.insert(const_cast<BasicBlock *>(to));
  };
  look(branch);
  for (const BasicBlock *way : ways)
    look(way);
  return found.size() == 1 ? found.front() : nullptr;
}

/// True if `ways` leave values to `meeting` alone, and have nothing for which threads have to come together.
static bool canCopy(const BasicBlock *meeting, const DenseSet<const BasicBlock *> &ways) {
  auto isUsedOutside = [&](const User *user) {
    const BasicBlock *place = cast<Instruction>(user)->getParent();
    return place == meeting ? !isa<PHINode>(user) : !ways.contains(place);
  };
  for (const BasicBlock *way : ways)
    for (const Instruction &instruction : *way)
      if (isMeetingOfThreads(instruction) || any_of(instruction.users(), isUsedOutside))
        return false;
  return true;
}

/// Copies the ways, with the branch to them, for each block alone. The copies are in no function yet.
void PairPartings::copyWays(Parting &parting, ArrayRef<BasicBlock *> ways) {
  for (Copy &copy : parting.copies) {
    copy.branch = BasicBlock::Create(parting.branch->getContext(), "alone");
    copy.map[parting.branch] = copy.branch;
  }
  parting.copies[0].map[parting.meeting] = parting.copies[1].branch;
  for (Copy &copy : parting.copies) {
    for (BasicBlock *way : ways) {
      BasicBlock *alone = CloneBasicBlock(way, copy.map, ".alone");
      copy.map[way] = alone;
      copy.ways.push_back(alone);
    }
    for (BasicBlock *way : copy.ways)
      for (Instruction &instruction : *way)
        RemapInstruction(&instruction, copy.map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    for (BasicBlock *way : ways)
      for (PHINode &value : way->phis()) {
        auto *alone = cast<PHINode>(copy.map.lookup(&value));
        alone->removeIncomingValueIf(
            [&](unsigned index) {
              BasicBlock *from = alone->getIncomingBlock(index);
              return from != copy.branch && !is_contained(copy.ways, from);
            },
            /*DeletePHIIfEmpty=*/false);
        if (parting.isLoop && is_contained(parting.successors, way))
          copy.begun.push_back({alone, value.getIncomingValueForBlock(parting.branch)});
      }
  }
}

/// Lets the blocks go the way of the first one.
void PairPartings::branchTogether(Parting &parting) {
  BasicBlock *branch = parting.branch;
  parting.together = BasicBlock::Create(branch->getContext(), "together", branch->getParent(), branch->getNextNode());
  auto *jump = cast<BranchInst>(branch->getTerminator());
  jump->moveBefore(*parting.together, parting.together->end());
  auto *condition = PHINode::Create(parting.condition->getType(), 1, "", parting.together->begin());
  condition->addIncoming(parting.condition, branch);
  jump->setCondition(condition);
  for (BasicBlock *successor : parting.successors)
    successor->replacePhiUsesWith(branch, parting.together);
  BranchInst::Create(parting.together, branch);
  same.insert(condition);
}

/// Splits off `meeting` a block to which `ends` lead, and where all that comes from the ways is a value of several
/// paths.
static BasicBlock *splitMeeting(BasicBlock *meeting, ArrayRef<BasicBlock *> ends,
                                const DenseSet<const BasicBlock *> &ways) {
  BasicBlock *result = SplitBlockPredecessors(meeting, ends, ".meeting");
  for (PHINode &value : meeting->phis()) {
    auto *incoming = dyn_cast<Instruction>(value.getIncomingValueForBlock(result));
    if (!incoming || !ways.contains(incoming->getParent()))
      continue;
    auto *merged = PHINode::Create(value.getType(), ends.size(), "", result->begin());
    for (BasicBlock *end : ends)
      merged->addIncoming(incoming, end);
    value.setIncomingValueForBlock(result, merged);
  }
  return result;
}

bool PairPartings::takeOut(const Uniformity::Parting &found) {
  auto *branch = const_cast<BasicBlock *>(found.branch);
  auto *jump = dyn_cast<BranchInst>(branch->getTerminator());
  BasicBlock *meeting = jump ? meetingOf(branch, found.ways) : nullptr;
  if (!meeting || jump->getSuccessor(0) == jump->getSuccessor(1) || !canCopy(meeting, found.ways))
    return false;
  for (const BasicBlock *way : found.ways)
    copied += 2 * way->size();
  if (copied > mostCopied)
    return false;
  SmallVector<BasicBlock *> ways, ends;
  for (BasicBlock &block : *branch->getParent()) {
    if (found.ways.contains(&block))
      ways.push_back(&block);
    if ((found.ways.contains(&block) || &block == branch) && is_contained(successors(&block), meeting))
      ends.push_back(&block);
  }
  Parting &parting = *partings.emplace_back(std::make_unique<Parting>());
  parting.branch = branch;
  parting.condition = jump->getCondition();
  parting.meeting = splitMeeting(meeting, ends, found.ways);
  parting.isLoop = found.ways.contains(branch);
  for (unsigned i : {0, 1})
    parting.successors[i] = jump->getSuccessor(i);
  for (PHINode &value : parting.meeting->phis()) {
    Result &result = parting.results.emplace_back();
    result.value = &value;
    for (auto [from, what] : zip(value.blocks(), value.incoming_values()))
      result.incoming.push_back({from, what});
    different.insert(&value);
  }
  if (parting.isLoop) {
    DominatorTree tree(*branch->getParent());
    for (BasicBlock *way : ways)
      if (tree.dominates(way, branch))
        for (Instruction &instruction : *way)
          parting.carried.push_back(&instruction);
  }
  onWays.insert_range(ways);
  copyWays(parting, ways);
  branchTogether(parting);
  return true;
}

bool PairPartings::takeOut(Function &function, OriginOf others) {
  // Not once there are copies, whose blocks are in no loop yet.
  if (partings.empty()) {
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops)
      formLCSSARecursively(*loop, tree, &loops, nullptr);
  }
  while (true) {
    Uniformity uniformity(function, [&](const Value &value) { return originOf(value, others); });
    if (uniformity.partings().empty())
      return true;
    // Branches on the ways come later: what is copied for them uses values on the ways.
    auto *outer = llvm::max_element(uniformity.partings(),
                                    [](const auto &a, const auto &b) { return a.ways.size() < b.ways.size(); });
    if (!takeOut(*outer))
      return false;
  }
}

/// What `value` is in a copy, or what it is outside of it.
static Value *inCopy(const ValueToValueMapTy &map, Value *value, function_ref<Value *(Value *)> outside) {
  Value *copied = map.lookup(value);
  return copied ? copied : outside(value);
}

/// Lets what the ways leave behind be that of each block.
void PairPartings::mergeResults(Parting &parting, ValueOf ofFirst, ValueOf ofSecond) {
  auto &[first, second] = parting.copies;
  auto placeIn = [&](const Copy &copy, BasicBlock *from) { return cast<BasicBlock>(inCopy(copy.map, from, ofFirst)); };
  for (Result &result : parting.results) {
    auto *ofOne = PHINode::Create(result.value->getType(), result.incoming.size(), "", second.branch->begin());
    auto *ofOther = cast<PHINode>(ofSecond(result.value));
    auto comeFrom = [&](BasicBlock *end, Value *value) {
      result.value->addIncoming(ofOne, end);
      ofOther->addIncoming(value, end);
    };
    for (auto [from, value] : result.incoming) {
      ofOne->addIncoming(inCopy(first.map, value, ofFirst), placeIn(first, from));
      comeFrom(placeIn(second, from), inCopy(second.map, value, ofSecond));
      if (parting.isLoop && from == parting.branch) {
        ofOne->addIncoming(value, first.branch);
        comeFrom(second.branch, ofSecond(value));
      }
    }
  }
}

/// Lets `copy`, which is entered at its branch, use what comes with it there.
static void carry(ArrayRef<Instruction *> carried, const ValueToValueMapTy &map, BasicBlock *branch,
                  function_ref<Value *(Value *)> valueOf) {
  for (Instruction *each : carried) {
    auto *alone = dyn_cast_or_null<Instruction>(static_cast<Value *>(map.lookup(each)));
    if (!alone || alone->getType()->isVoidTy())
      continue;
    SmallVector<Use *> uses;
    for (Use &use : alone->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->getParent() != alone->getParent() || isa<PHINode>(user))
        uses.push_back(&use);
    }
    SSAUpdater updater;
    updater.Initialize(alone->getType(), alone->getName());
    updater.AddAvailableValue(alone->getParent(), alone);
    updater.AddAvailableValue(branch, valueOf(each));
    for (Use *use : uses)
      updater.RewriteUse(*use);
  }
}

void PairPartings::putBack(Parting &parting, ValueOf ofFirst, ValueOf ofSecond) {
  auto &[first, second] = parting.copies;
  for (Copy &copy : parting.copies) {
    copy.branch->insertInto(parting.branch->getParent(), parting.meeting);
    for (BasicBlock *way : copy.ways)
      way->insertInto(parting.branch->getParent(), parting.meeting);
  }
  for (BasicBlock *way : second.ways)
    for (Instruction &instruction : *way)
      for (Use &operand : instruction.operands())
        operand.set(ofSecond(operand));
  mergeResults(parting, ofFirst, ofSecond);
  // The ways of the first block lead to where the second is alone.
  auto branchIn = [&](const Copy &copy, ValueOf valueOf) {
    auto target = [&](BasicBlock *successor) { return cast<BasicBlock>(inCopy(copy.map, successor, ofFirst)); };
    BranchInst::Create(target(parting.successors[0]), target(parting.successors[1]), valueOf(parting.condition),
                       copy.branch);
    for (auto [value, incoming] : copy.begun)
      value->addIncoming(valueOf(incoming), copy.branch);
  };
  branchIn(first, ofFirst);
  branchIn(second, ofSecond);
  Instruction *jump = parting.branch->getTerminator();
  IRBuilder<> builder(jump);
  Value *agree = builder.CreateICmpEQ(parting.condition, ofSecond(parting.condition));
  builder.CreateCondBr(agree, parting.together, first.branch);
  jump->eraseFromParent();
  carry(parting.carried, first.map, first.branch, ofFirst);
  carry(parting.carried, second.map, second.branch, ofSecond);
}

void PairPartings::putBack(const DenseMap<const Value *, Value *> &second) {
  auto ofFirst = [](Value *value) { return value; };
  auto ofSecond = [&](Value *value) {
    Value *other = second.lookup(value);
    return other ? other : value;
  };
  for (auto &parting : partings)
    putBack(*parting, ofFirst, ofSecond);
  partings.clear();
}
