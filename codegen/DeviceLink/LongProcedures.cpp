// In kernels all loops are in the loops over threads. Whenever LLVM rotates, unrolls or removes a loop it forgets what
// it knows of the outermost loop around, which is everything, and finds it out again. So loops times instructions are
// what compiling a kernel costs: two procedures inlined into one cost four times as much as one of them.
//
// From procedures that call no others up to the kernels, calls of long procedures with loops stay calls as
// long as the caller would cost too much. The longest come first: the fewer calls remain, the better.

#include "codegen/DeviceLink/LongProcedures.h"
#include "codegen/DeviceLink/WaitAnalysis.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

struct Length {
  uint64_t instructions = 0, loops = 0;

  Length &operator+=(const Length &other) {
    instructions += other.instructions, loops += other.loops;
    return *this;
  }
  Length &operator-=(const Length &other) {
    instructions -= other.instructions, loops -= other.loops;
    return *this;
  }
  uint64_t cost() const { return instructions * loops; }
};

/// A procedure of 40 assignments with array temporaries costs more.
constexpr uint64_t mostCost = 500000;

/// Of procedures without so much, threads may be what LLVM vectorises.
constexpr uint64_t leastInstructions = 400, leastLoops = 8;

Length lengthOf(const Function &function) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
  FindFunctionBackedges(function, edges);
  return {function.getInstructionCount(), edges.size()};
}

/// Finds procedures that do the same outside of kernels as in them.
class Independence {
public:
  explicit Independence(Module &module) {
    for (GlobalVariable &variable : module.globals())
      if (variable.getAddressSpace() == sharedSpace)
        noteUsers(variable);
  }

  bool isIndependent(Function &procedure) {
    auto [known, isNew] = results.try_emplace(&procedure, false);
    if (!isNew)
      return known->second;
    bool result = !usesShared.contains(&procedure) &&
                  all_of(instructions(procedure), [&](Instruction &each) { return isIndependent(each); });
    return results[&procedure] = result;
  }

private:
  static constexpr unsigned sharedSpace = 3;

  void noteUsers(Constant &constant) {
    for (User *user : constant.users())
      if (auto *instruction = dyn_cast<Instruction>(user))
        usesShared.insert(instruction->getFunction());
      else if (auto *outer = dyn_cast<Constant>(user))
        noteUsers(*outer);
  }

  /// Atomic and volatile accesses may be those of loops that wait.
  bool isIndependent(Instruction &instruction) {
    if (instruction.isAtomic() || instruction.isVolatile())
      return false;
    auto *call = dyn_cast<CallBase>(&instruction);
    return !call || (!waits.callMayWait(*call) && all_of(knownCallees(*call), [&](Function *callee) {
      return callee->isDeclaration() || isIndependent(*callee);
    }));
  }

  WaitAnalysis waits;
  DenseSet<Function *> usesShared;
  DenseMap<Function *, bool> results;
};

class LongProcedures {
public:
  explicit LongProcedures(Module &module) : independence(module) {}

  /// Decides about the calls in `function`. Those in what it calls have been decided about.
  void decide(Function &function) {
    Length length = lengthOf(function);
    SmallVector<CallInst *> calls;
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration() || !callee->hasFnAttribute(Attribute::AlwaysInline))
        continue;
      length += lengths[callee];
      if (mayStayOutside(*callee))
        calls.push_back(call);
    }
    leaveOutside(calls, length);
    lengths[&function] = length;
  }

private:
  bool mayStayOutside(Function &procedure) {
    const Length &length = lengths[&procedure];
    return length.instructions >= leastInstructions && length.loops >= leastLoops &&
           independence.isIndependent(procedure);
  }

  /// Subtracts from `length` what stays outside.
  void leaveOutside(MutableArrayRef<CallInst *> calls, Length &length) {
    stable_sort(calls, [&](CallInst *one, CallInst *other) {
      return lengths[one->getCalledFunction()].cost() > lengths[other->getCalledFunction()].cost();
    });
    for (CallInst *call : calls) {
      if (length.cost() <= mostCost)
        return;
      call->setIsNoInline();
      length -= lengths[call->getCalledFunction()];
    }
  }

  Independence independence;
  DenseMap<Function *, Length> lengths; ///< with what is inlined
};

} // namespace

void cufort::codegen::keepLongProceduresOutside(Module &module) {
  LongProcedures procedures(module);
  CallGraph graph(module);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    for (CallGraphNode *node : *component)
      if (Function *function = node->getFunction(); function && !function->isDeclaration())
        procedures.decide(*function);
}
