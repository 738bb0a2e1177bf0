#include "codegen/DeviceLink/LocalElements.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// True if `value` is another one in each round of `loop`, whatever loops inside it do.
static bool changesWith(const Loop &loop, const SCEV *value) {
  return SCEVExprContains(value, [&](const SCEV *part) {
    if (auto *counter = dyn_cast<SCEVAddRecExpr>(part))
      return counter->getLoop() == &loop;
    auto *other = dyn_cast<SCEVUnknown>(part);
    auto *phi = other ? dyn_cast<PHINode>(other->getValue()) : nullptr;
    return phi && phi->getParent() == loop.getHeader();
  });
}

static bool isOfLocalArray(const Value *address, uint64_t mostBytes) {
  auto *array = address ? dyn_cast<AllocaInst>(getUnderlyingObject(address, /*MaxLookup=*/0)) : nullptr;
  auto bytes = array ? array->getAllocationSize(array->getDataLayout()) : std::nullopt;
  return bytes && bytes->getFixedValue() <= mostBytes;
}

bool cufort::codegen::choosesLocalElements(Loop &loop, ScalarEvolution &evolution, uint64_t mostBytes) {
  bool hasArray = false;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (Value *address = getLoadStorePointerOperand(&instruction); isOfLocalArray(address, mostBytes)) {
        hasArray = true;
        if (changesWith(loop, evolution.getSCEV(address)))
          return true;
      }
  return hasArray && any_of(loop.getLoopsInPreorder(), [&](Loop *inner) {
           return inner != &loop && (!evolution.hasLoopInvariantBackedgeTakenCount(inner) ||
                                     changesWith(loop, evolution.getBackedgeTakenCount(inner)));
         });
}
