#include "codegen/Host/HostFunctions.h"

using namespace llvm;

void cufort::codegen::prepareHostFunctions(Module &host, const CodegenOptions &options) {
  for (Function &function : host) {
    if (function.isDeclaration())
      continue;
    if (options.framePointer)
      function.addFnAttr("frame-pointer", "all");
    if (!options.inlineCalls && !function.hasFnAttribute(Attribute::AlwaysInline))
      function.addFnAttr(Attribute::NoInline);
  }
}
