#include "codegen/DeviceLink/LikelyCode.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr StringLiteral decisionMetadata = "cufort.decision";

static bool isDecision(const Instruction &instruction) {
  auto *branch = dyn_cast<BranchInst>(&instruction);
  return branch && branch->isConditional() && branch->hasMetadata(decisionMetadata);
}

void cufort::codegen::markDecision(BranchInst &decision, UnlikelyNeed need) {
  LLVMContext &context = decision.getContext();
  Metadata *isMany = ConstantAsMetadata::get(ConstantInt::getBool(context, need == UnlikelyNeed::Many));
  decision.setMetadata(decisionMetadata, MDNode::get(context, {isMany}));
}

static UnlikelyNeed needOf(const Instruction &decision) {
  auto *isMany = mdconst::extract<ConstantInt>(decision.getMetadata(decisionMetadata)->getOperand(0));
  return isMany->isOne() ? UnlikelyNeed::Many : UnlikelyNeed::AFew;
}

StringMap<KernelWithVersions> cufort::codegen::kernelsWithVersions(const Module &module) {
  StringMap<KernelWithVersions> result;
  for (const Function &kernel : module) {
    if (kernel.getCallingConv() != CallingConv::PTX_Kernel || isBounded(kernel))
      continue;
    for (const Instruction &instruction : instructions(kernel))
      if (isDecision(instruction)) {
        auto [known, isFirst] = result.try_emplace(kernel.getName(), KernelWithVersions{warpsOfBlock(kernel)});
        known->second.need = std::max(known->second.need, needOf(instruction));
      }
  }
  return result;
}

static bool isOther(const Function &function, const StringSet<> &kernels) {
  return function.getCallingConv() == CallingConv::PTX_Kernel && !kernels.contains(function.getName());
}

std::unique_ptr<Module> cufort::codegen::likelyCode(const Module &module, const StringSet<> &kernels) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> copy = CloneModule(module, map, [&](const GlobalValue *value) {
    auto *function = dyn_cast<Function>(value);
    return !function || !isOther(*function, kernels);
  });
  for (Function &function : make_early_inc_range(*copy)) {
    if (isOther(function, kernels) && function.use_empty()) {
      function.eraseFromParent();
      continue;
    }
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
