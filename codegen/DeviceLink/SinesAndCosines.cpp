// In:  s = sin(x); c = cos(x)
// Out: sincos(x, s, c)
//
// Most of the work of both is the remainder of the angle, with a loop for large ones. Inlined twice, LLVM does not see
// that it is the same.

#include "codegen/DeviceLink/SinesAndCosines.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

using namespace llvm;

namespace {

/// Functions of libdevice.
struct Family {
  StringLiteral sine, cosine, both;
};

constexpr Family families[] = {{"__nv_sinf", "__nv_cosf", "__nv_sincosf"},
                               {"__nv_sin", "__nv_cos", "__nv_sincos"},
                               {"__nv_sinpif", "__nv_cospif", "__nv_sincospif"},
                               {"__nv_sinpi", "__nv_cospi", "__nv_sincospi"}};

SmallVector<CallInst *> callsOf(StringRef name, Function &function) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == name)
      calls.push_back(call);
  }
  return calls;
}

/// Replaces `sine` and `cosine`, one of which `first` is and dominates the other.
void join(CallInst &sine, CallInst &cosine, CallInst &first, Function &both) {
  IRBuilder<> entry(&first.getFunction()->getEntryBlock().front()), builder(&first);
  Type *type = sine.getType();
  AllocaInst *places[] = {entry.CreateAlloca(type), entry.CreateAlloca(type)};
  builder.CreateCall(&both, {sine.getArgOperand(0), places[0], places[1]});
  sine.replaceAllUsesWith(builder.CreateLoad(type, places[0]));
  cosine.replaceAllUsesWith(builder.CreateLoad(type, places[1]));
  sine.eraseFromParent();
  cosine.eraseFromParent();
}

/// True if there may be something to do in `function`.
bool callsBoth(const Family &family, Function &function) {
  Function *both = function.getParent()->getFunction(family.both);
  return both && !both->isDeclaration() && !callsOf(family.sine, function).empty() &&
         !callsOf(family.cosine, function).empty();
}

void joinFamily(const Family &family, Function &function, const DominatorTree &tree) {
  Function &both = *function.getParent()->getFunction(family.both);
  SmallVector<CallInst *> cosines = callsOf(family.cosine, function);
  for (CallInst *sine : callsOf(family.sine, function)) {
    auto *found = find_if(cosines, [&](CallInst *cosine) {
      return cosine->getArgOperand(0) == sine->getArgOperand(0) &&
             (tree.dominates(sine, cosine) || tree.dominates(cosine, sine));
    });
    if (found == cosines.end())
      continue;
    CallInst *cosine = *found;
    cosines.erase(found);
    join(*sine, *cosine, tree.dominates(sine, cosine) ? *sine : *cosine, both);
  }
}

} // namespace

void cufort::codegen::declareSinesWithCosines(Module &module) {
  for (const Family &family : families) {
    Function *sine = module.getFunction(family.sine), *cosine = module.getFunction(family.cosine);
    if (!sine || !cosine || sine->use_empty() || cosine->use_empty())
      continue;
    Type *pointer = PointerType::getUnqual(module.getContext());
    module.getOrInsertFunction(family.both, Type::getVoidTy(module.getContext()), sine->getReturnType(), pointer,
                               pointer);
  }
}

PreservedAnalyses cufort::codegen::SinesAndCosines::run(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<const Family *> used;
  for (const Family &family : families)
    if (callsBoth(family, function))
      used.push_back(&family);
  if (used.empty())
    return PreservedAnalyses::all();
  // The angle may be an element that is loaded for each.
  EarlyCSEPass(/*UseMemorySSA=*/true).run(function, analyses);
  analyses.invalidate(function, PreservedAnalyses::none());
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  for (const Family *family : used)
    joinFamily(*family, function, tree);
  return PreservedAnalyses::none();
}
