#include "codegen/DeviceLink/LikelyCode.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static constexpr StringLiteral decisionMetadata = "cufort.decision";

static bool isDecision(const Instruction &instruction) {
  auto *branch = dyn_cast<BranchInst>(&instruction);
  return branch && branch->isConditional() && branch->hasMetadata(decisionMetadata);
}

void cufort::codegen::markDecision(BranchInst &decision) {
  decision.setMetadata(decisionMetadata, MDNode::get(decision.getContext(), {}));
}

StringMap<unsigned> cufort::codegen::kernelsWithVersions(const Module &module) {
  StringMap<unsigned> result;
  for (const Function &kernel : module)
    if (kernel.getCallingConv() == CallingConv::PTX_Kernel && !isBounded(kernel) &&
        any_of(instructions(kernel), isDecision))
      result[kernel.getName()] = warpsOfBlock(kernel);
  return result;
}

std::unique_ptr<Module> cufort::codegen::likelyCode(const Module &module) {
  std::unique_ptr<Module> copy = CloneModule(module);
  for (Function &function : *copy) {
    SmallVector<BranchInst *> decisions;
    for (Instruction &instruction : instructions(function))
      if (isDecision(instruction))
        decisions.push_back(cast<BranchInst>(&instruction));
    for (BranchInst *decision : decisions)
      decision->setCondition(ConstantInt::getTrue(copy->getContext()));
    for (BranchInst *decision : decisions)
      ConstantFoldTerminator(decision->getParent(), /*DeleteDeadConditions=*/true);
    if (!decisions.empty())
      removeUnreachableBlocks(function);
  }
  return copy;
}
