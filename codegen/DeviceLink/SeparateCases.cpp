// In:  head: switch x, end [1: a, 32: b]      Out: head: x == 1 -> a, next
//      a -> end                                    a -> next
//      b -> end                                    next: x == 32 -> b, end
//                                                  b -> end

#include "codegen/DeviceLink/SeparateCases.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

constexpr unsigned mostCases = 4, mostInstructions = 32;

/// True if `way` is short, reads or writes memory, and does nothing that needs all threads.
bool isShort(const BasicBlock &way) {
  bool usesMemory = false;
  for (const Instruction &instruction : way) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (isa<PHINode>(instruction) || (call && (call->isConvergent() || !isa<IntrinsicInst>(call))))
      return false;
    usesMemory |= isa<LoadInst, StoreInst>(instruction);
  }
  return usesMemory && way.sizeWithoutDebug() <= mostInstructions;
}

/// True if each case of `choice` has a short block of its own, behind which all meet, and there is no other.
bool isOfShortCases(const SwitchInst &choice, const LoopInfo &loops) {
  BasicBlock *end = choice.getDefaultDest();
  const BasicBlock *head = choice.getParent();
  if (choice.getNumCases() < 2 || choice.getNumCases() > mostCases || loops.isLoopHeader(end) ||
      loops.getLoopFor(head) != loops.getLoopFor(end))
    return false;
  return all_of(successors(head), [&](const BasicBlock *way) {
    return way == end ? count(successors(head), end) == 1
                      : way->getSinglePredecessor() == head && isa<BranchInst>(way->getTerminator()) &&
                            way->getSingleSuccessor() == end && isShort(*way);
  });
}

/// For each variable of `end`, the value that it has behind `head`.
SmallVector<Value *> valuesBehind(BasicBlock &head, BasicBlock &end) {
  SmallVector<Value *> values;
  for (PHINode &variable : end.phis())
    values.push_back(variable.getIncomingValueForBlock(&head));
  return values;
}

/// Lets `way` go on to `next` instead of `end`, where the variables get the values of `way` or those that they had
/// behind `head`.
void goOn(BasicBlock &way, BasicBlock &head, BasicBlock &next, BasicBlock &end, SmallVectorImpl<Value *> &values) {
  IRBuilder<> builder(&next, next.begin());
  for (auto [variable, value] : zip_equal(end.phis(), values)) {
    PHINode *behind = builder.CreatePHI(variable.getType(), 2);
    behind->addIncoming(value, &head);
    behind->addIncoming(variable.getIncomingValueForBlock(&way), &way);
    value = behind;
  }
  end.removePredecessor(&way, /*KeepOneInputPHIs=*/true);
  way.getTerminator()->replaceSuccessorWith(&end, &next);
}

void separate(SwitchInst &choice) {
  BasicBlock *first = choice.getParent(), *head = first, *end = choice.getDefaultDest();
  Value *selector = choice.getCondition();
  SmallVector<std::pair<ConstantInt *, BasicBlock *>> cases;
  for (auto &one : choice.cases())
    cases.push_back({one.getCaseValue(), one.getCaseSuccessor()});
  SmallVector<Value *> values = valuesBehind(*first, *end);
  for (auto [constant, way] : cases) {
    bool isLast = way == cases.back().second;
    BasicBlock *next = isLast ? end : BasicBlock::Create(end->getContext(), "", end->getParent(), end);
    // The first head still has the choice.
    IRBuilder<> builder(head);
    if (head == first)
      builder.SetInsertPoint(&choice);
    builder.SetCurrentDebugLocation(choice.getDebugLoc());
    builder.CreateCondBr(builder.CreateICmpEQ(selector, constant), way, next);
    if (!isLast)
      goOn(*way, *head, *next, *end, values);
    else
      for (auto [variable, value] : zip_equal(end->phis(), values)) {
        variable.setIncomingValueForBlock(first, value);
        variable.replaceIncomingBlockWith(first, head);
      }
    head = next;
  }
  choice.eraseFromParent();
}

} // namespace

PreservedAnalyses cufort::codegen::SeparateCases::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<SwitchInst *> found;
  for (BasicBlock &block : function)
    if (auto *choice = dyn_cast<SwitchInst>(block.getTerminator()); choice && isOfShortCases(*choice, loops))
      found.push_back(choice);
  for (SwitchInst *choice : found)
    separate(*choice);
  return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
