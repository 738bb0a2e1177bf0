#include "codegen/DeviceLink/MatrixAddresses.h"
#include "codegen/DeviceLink/AddressSpaces.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// A load or store of a matrix by a generic address: its first argument.
bool isGenericAccess(const IntrinsicInst &call) {
  if (!call.getCalledFunction()->getName().starts_with("llvm.nvvm.wmma.") || call.arg_size() == 0)
    return false;
  auto *type = dyn_cast<PointerType>(call.getArgOperand(0)->getType());
  return type && type->getAddressSpace() == genericSpace;
}

void nameSpace(IntrinsicInst &call, unsigned space) {
  IRBuilder<> builder(&call);
  Type *pointer = builder.getPtrTy(space);
  SmallVector<Value *> arguments(call.args());
  arguments.front() = builder.CreateAddrSpaceCast(arguments.front(), pointer);
  CallInst *named = builder.CreateIntrinsic(call.getIntrinsicID(), {pointer}, arguments);
  named->copyMetadata(call);
  call.replaceAllUsesWith(named);
  call.eraseFromParent();
}

} // namespace

void cufort::codegen::nameMatrixAddressSpaces(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block)) {
        auto *call = dyn_cast<IntrinsicInst>(&instruction);
        if (!call || !isGenericAccess(*call))
          continue;
        if (unsigned space = spaceOfAddress(call->getArgOperand(0)))
          nameSpace(*call, space);
      }
}
