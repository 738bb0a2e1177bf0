#include "codegen/DeviceLink/FoldTruncations.h"
#include "llvm/IR/Analysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// What `extension` extends, if that was made narrower from its own type without loss; else null.
static Value *sourceOf(const CastInst &extension) {
  auto *trunc = dyn_cast<TruncInst>(extension.getOperand(0));
  if (!trunc || trunc->getOperand(0)->getType() != extension.getType())
    return nullptr;
  bool keepsValue = isa<SExtInst>(extension) ? trunc->hasNoSignedWrap() : trunc->hasNoUnsignedWrap();
  return keepsValue ? trunc->getOperand(0) : nullptr;
}

PreservedAnalyses cufort::codegen::FoldTruncations::run(Function &function, FunctionAnalysisManager &) {
  PreservedAnalyses preserved = PreservedAnalyses::all();
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *extension = dyn_cast<CastInst>(&instruction);
    Value *source = extension && isa<SExtInst, ZExtInst>(extension) ? sourceOf(*extension) : nullptr;
    if (!source)
      continue;
    instruction.replaceAllUsesWith(source);
    instruction.eraseFromParent();
    preserved = PreservedAnalyses::none();
    preserved.preserveSet<CFGAnalyses>();
  }
  return preserved;
}
