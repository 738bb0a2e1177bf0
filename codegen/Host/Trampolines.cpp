// In:  call @llvm.init.trampoline(%place, @procedure, %frame);        %address = call @llvm.adjust.trampoline(%place)
// Out: call @cufortMakeTrampoline(%place, @procedure, %frame);        %address = load %place
//
// For what remains after optimisation: where the procedure that is called has been inlined, there is none.

#include "codegen/Host/Trampolines.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static SmallVector<CallInst *> callsOf(Module &module, Intrinsic::ID intrinsic) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    if (function.getIntrinsicID() == intrinsic)
      for (User *user : function.users())
        if (auto *call = dyn_cast<CallInst>(user))
          calls.push_back(call);
  return calls;
}

void cufort::codegen::makeTrampolinesByRuntime(Module &host) {
  for (CallInst *call : callsOf(host, Intrinsic::init_trampoline)) {
    IRBuilder<> builder(call);
    Type *pointer = builder.getPtrTy();
    FunctionCallee make =
        host.getOrInsertFunction("cufortMakeTrampoline", builder.getVoidTy(), pointer, pointer, pointer);
    builder.CreateCall(make, {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)});
    call->eraseFromParent();
  }
  for (CallInst *call : callsOf(host, Intrinsic::adjust_trampoline)) {
    IRBuilder<> builder(call);
    Value *place = call->getArgOperand(0);
    Align align = getOrEnforceKnownAlignment(place, Align(sizeof(void *)), host.getDataLayout());
    call->replaceAllUsesWith(builder.CreateAlignedLoad(builder.getPtrTy(), place, align));
    call->eraseFromParent();
  }
}
