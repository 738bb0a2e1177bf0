#include "codegen/DeviceLink/ShortConversions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

PreservedAnalyses cufort::codegen::ShortConversions::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *conversion = dyn_cast<IntrinsicInst>(&instruction);
    if (!conversion || conversion->getIntrinsicID() != Intrinsic::fptosi_sat ||
        !(conversion->getType()->isIntegerTy(8) || conversion->getType()->isIntegerTy(16)))
      continue;
    IRBuilder<> builder(conversion);
    Value *real = conversion->getArgOperand(0);
    Value *whole = builder.CreateIntrinsic(Intrinsic::fptosi_sat, {builder.getInt32Ty(), real->getType()}, {real});
    conversion->replaceAllUsesWith(builder.CreateTrunc(whole, conversion->getType()));
    conversion->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
