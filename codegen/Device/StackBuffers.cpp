#include "codegen/Device/StackBuffers.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

using Functions = SmallPtrSet<Function *, 16>;

/// True if `function` takes stack that depends on values, or calls what is not known.
bool takesUnforeseenStack(Function &function) {
  return any_of(instructions(function), [](Instruction &instruction) {
    auto *variable = dyn_cast<AllocaInst>(&instruction);
    auto *call = dyn_cast<CallBase>(&instruction);
    return (variable && !variable->isStaticAlloca()) || (call && call->isIndirectCall());
  });
}

/// The functions of which ptxas does not know how much stack they and what they call take.
Functions findUnforeseen(CallGraph &graph) {
  Functions found;
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    for (CallGraphNode *node : *component)
      if (Function *function = node->getFunction();
          function && (component.hasCycle() || takesUnforeseenStack(*function)))
        found.insert(function);
  return found;
}

/// Adds to `functions` those that call them, directly or through others.
void addCallers(CallGraph &graph, Functions &functions) {
  // Callees come first.
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    for (CallGraphNode *node : *component)
      for (auto &[call, callee] : *node)
        if (Function *function = node->getFunction(); function && functions.contains(callee->getFunction()))
          functions.insert(function);
}

/// Adds to `functions` those that they call, directly or through others.
void addCallees(CallGraph &graph, Functions &functions) {
  SmallVector<Function *> work(functions.begin(), functions.end());
  while (!work.empty())
    for (auto &[call, callee] : *graph[work.pop_back_val()])
      if (Function *function = callee->getFunction(); function && functions.insert(function).second)
        work.push_back(function);
}

/// Replaces the question by its answer, which `answer` gives for a function.
void answerQuestions(Module &module, function_ref<bool(Function &)> answer) {
  Function *question = module.getFunction(hasStackBuffersName);
  if (!question)
    return;
  for (User *user : make_early_inc_range(question->users())) {
    auto *call = cast<CallInst>(user);
    call->replaceAllUsesWith(ConstantInt::getBool(module.getContext(), answer(*call->getFunction())));
    call->eraseFromParent();
  }
  question->eraseFromParent();
}

} // namespace

void cufort::codegen::answerForLimitedStack(Module &module) {
  if (!module.getFunction(hasStackBuffersName))
    return;
  CallGraph graph(module);
  Functions around = findUnforeseen(graph), within = around;
  addCallers(graph, around);
  addCallees(graph, within);
  answerQuestions(module,
                  [&](Function &function) { return !around.contains(&function) && !within.contains(&function); });
}

void cufort::codegen::answerForLargeStack(Module &module) {
  answerQuestions(module, [](Function &) { return true; });
}
