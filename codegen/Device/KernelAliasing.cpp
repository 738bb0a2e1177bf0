// Kernels whose threads may see each other's stores.

#include "codegen/Device/KernelAliasing.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True for calls of functions that compute and print, and do not wait for threads.
bool isLibraryCall(fir::CallOp call) {
  auto callee = call.getCallee();
  auto func = callee ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, *callee) : func::FuncOp();
  return func && func->hasAttr(fir::FIROpsDialect::getFirRuntimeAttrName());
}

/// True if threads that run `kernel` may wait for each other, or order their accesses to memory.
bool threadsMeetIn(func::FuncOp kernel) {
  llvm::SetVector<func::FuncOp> reached;
  reached.insert(kernel);
  auto isMeetingPoint = [&](Operation *op) {
    if (auto call = dyn_cast<fir::CallOp>(op)) {
      if (func::FuncOp callee = definedCallee(call))
        return reached.insert(callee), false;
      return !isLibraryCall(call);
    }
    return isa<BarrierOp, WarpBarrierOp, FenceOp, VoteOp, MatchOp, ShuffleOp, AtomicRMWOp, AtomicCASOp, GridReduceOp>(
        op);
  };
  for (unsigned next = 0; next < reached.size(); ++next) {
    func::FuncOp func = reached[next];
    WalkResult walked =
        func.walk([&](Operation *op) { return isMeetingPoint(op) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (walked.wasInterrupted())
      return true;
  }
  return false;
}

bool isArrayDescriptor(Type type) {
  auto box = dyn_cast<fir::BoxType>(type);
  return box && !isa<fir::PointerType>(box.getEleTy());
}

} // namespace

void cufort::codegen::markUnchangedArrays(func::FuncOp kernel) {
  UnitAttr mark = UnitAttr::get(kernel.getContext());
  bool threadsMeet = threadsMeetIn(kernel);
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned index = argument.getArgNumber();
    Type type = argument.getType();
    if (kernel.getArgAttr(index, fir::getTargetAttrName()))
      continue;
    if (isArrayDescriptor(type) && isOnlyRead(argument))
      kernel.setArgAttr(index, readOnlyAttribute, mark);
    bool isPassedAsAddress = fir::isa_ref_type(type) && !isReferenceByValue(kernel, index) &&
                             !isa<fir::BaseBoxType>(fir::unwrapRefType(type));
    if (isPassedAsAddress && (!threadsMeet || isOnlyRead(argument)))
      kernel.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), mark);
  }
}
