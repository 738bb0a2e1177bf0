#include "codegen/Host/MainProgram.h"
#include "mlir-dialects/Cufx/Transforms/InitialTargets.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

/// Behind the constructors that tell the runtime of device code.
static constexpr int associatePriority = 200;

void cufort::codegen::prepareMainProgram(Module &host, const CodegenOptions &options) {
  Function *mainProgram = host.getFunction("_QQmain");
  if (!mainProgram || mainProgram->isDeclaration())
    return;
  IRBuilder<> builder(&*mainProgram->getEntryBlock().getFirstInsertionPt());
  builder.CreateCall(host.getOrInsertFunction("cufortEndAfterCrash", builder.getVoidTy()));
  if (options.deviceReadsHost)
    builder.CreateCall(host.getOrInsertFunction("cufortRequireHostAccess", builder.getVoidTy()));
  if (options.traceback)
    builder.CreateCall(host.getOrInsertFunction("cufortEnableTraceback", builder.getVoidTy()));
  if (options.floatTraps)
    builder.CreateCall(host.getOrInsertFunction("cufortEnableTraps", builder.getVoidTy(), builder.getInt32Ty()),
                       builder.getInt32(options.floatTraps));
}

void cufort::codegen::associateAtStart(Module &host) {
  for (Function &function : host)
    if (function.getName().starts_with(cufx::associatePrefix) && !function.isDeclaration()) {
      function.setLinkage(GlobalValue::InternalLinkage);
      appendToGlobalCtors(host, &function, associatePriority);
    }
}
