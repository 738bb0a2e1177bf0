// In:  s = sin(x); c = cos(x)
// Out: sincos(x, s, c)
//
// Most of the work of both is the remainder of the angle, with a loop for large ones. Inlined twice, LLVM does not see
// that it is the same. Of the hyperbolic functions it is an exponential, and functions of complex numbers consist of
// these and those.

#include "codegen/DeviceLink/SinesAndCosines.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

/// Functions of libdevice, and of the device library.
struct Family {
  StringLiteral sine, cosine, both;
};

constexpr Family families[] = {
    {"__nv_sinf", "__nv_cosf", "__nv_sincosf"},          {"__nv_sin", "__nv_cos", "__nv_sincos"},
    {"__nv_sinpif", "__nv_cospif", "__nv_sincospif"},    {"__nv_sinpi", "__nv_cospi", "__nv_sincospi"},
    {"__nv_sinhf", "__nv_coshf", "__cufx_sinh_cosh_r4"}, {"__nv_sinh", "__nv_cosh", "__cufx_sinh_cosh_r8"}};

/// Functions of complex numbers that call both of two families.
constexpr StringLiteral complexFunctions[] = {"__cufx_csin_c4",  "__cufx_ccos_c4",  "__cufx_csin_c8",
                                              "__cufx_ccos_c8",  "__cufx_csinh_c4", "__cufx_ccosh_c4",
                                              "__cufx_csinh_c8", "__cufx_ccosh_c8"};

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

/// Has `second` give what `first` has computed of the same angle.
void joinEqual(CallInst &first, CallInst &second) {
  IRBuilder<> afterFirst(first.getNextNode()), builder(&second);
  for (unsigned place : {1, 2}) {
    Type *type = first.getArgOperand(0)->getType();
    builder.CreateStore(afterFirst.CreateLoad(type, first.getArgOperand(place)), second.getArgOperand(place));
  }
  second.eraseFromParent();
}

/// True if there may be something to do in `function`.
bool callsBoth(const Family &family, Function &function) {
  Function *both = function.getParent()->getFunction(family.both);
  return both && !both->isDeclaration() &&
         ((!callsOf(family.sine, function).empty() && !callsOf(family.cosine, function).empty()) ||
          callsOf(family.both, function).size() > 1);
}

/// Inlines functions of complex numbers, if there are several. Returns true if it has.
bool inlineComplexFunctions(Function &function) {
  SmallVector<CallInst *> calls;
  for (StringRef name : complexFunctions)
    append_range(calls, callsOf(name, function));
  if (calls.size() < 2)
    return false;
  bool changed = false;
  for (CallInst *call : calls) {
    InlineFunctionInfo info;
    changed |= !call->getCalledFunction()->isDeclaration() && InlineFunction(*call, info).isSuccess();
  }
  return changed;
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
  SmallVector<CallInst *> kept;
  for (CallInst *call : callsOf(family.both, function)) {
    auto *first = find_if(kept, [&](CallInst *each) {
      return each->getArgOperand(0) == call->getArgOperand(0) && tree.dominates(each, call);
    });
    if (first == kept.end())
      kept.push_back(call);
    else
      joinEqual(**first, *call);
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
  bool isInlined = inlineComplexFunctions(function);
  if (isInlined) {
    analyses.invalidate(function, PreservedAnalyses::none());
    analyses.invalidate(function, SROAPass(SROAOptions::PreserveCFG).run(function, analyses));
  }
  SmallVector<const Family *> used;
  for (const Family &family : families)
    if (callsBoth(family, function))
      used.push_back(&family);
  if (used.empty())
    return isInlined ? PreservedAnalyses::none() : PreservedAnalyses::all();
  // The angle may be an element that is loaded for each.
  EarlyCSEPass(/*UseMemorySSA=*/true).run(function, analyses);
  analyses.invalidate(function, PreservedAnalyses::none());
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  for (const Family *family : used)
    joinFamily(*family, function, tree);
  return PreservedAnalyses::none();
}
