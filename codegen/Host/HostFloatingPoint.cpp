#include "codegen/Host/HostFloatingPoint.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Estimates are refined by one Newton step, which LLVM's default is, too.
static void allowReciprocals(Function &function) {
  for (Instruction &operation : instructions(function)) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(&operation);
    if (operation.getOpcode() != Instruction::FDiv && !(intrinsic && intrinsic->getIntrinsicID() == Intrinsic::sqrt))
      continue;
    operation.setHasAllowReciprocal(true);
    operation.setHasApproxFunc(true);
    operation.setHasAllowReassoc(true);
    operation.setHasNoInfs(true);
  }
  function.addFnAttr("reciprocal-estimates", "all");
}

void cufort::codegen::applyHostFloatingPoint(Module &host, const CodegenOptions &options) {
  for (Function &function : host)
    if (options.relaxedMath && !function.isDeclaration())
      allowReciprocals(function);
}
