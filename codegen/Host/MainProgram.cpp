#include "codegen/Host/MainProgram.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

void cufort::codegen::prepareMainProgram(Module &host, const CodegenOptions &options) {
  Function *mainProgram = host.getFunction("_QQmain");
  if (!mainProgram || mainProgram->isDeclaration())
    return;
  IRBuilder<> builder(&*mainProgram->getEntryBlock().getFirstInsertionPt());
  if (options.deviceReadsHost)
    builder.CreateCall(host.getOrInsertFunction("cufortRequireHostAccess", builder.getVoidTy()));
  if (options.floatTraps)
    builder.CreateCall(host.getOrInsertFunction("cufortEnableTraps", builder.getVoidTy(), builder.getInt32Ty()),
                       builder.getInt32(options.floatTraps));
}
