#include "codegen/DeviceLink/MatrixAddresses.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

constexpr unsigned genericSpace = 0, globalSpace = 1, sharedSpace = 3;

bool isKernel(const Function &function) { return function.getCallingConv() == CallingConv::PTX_Kernel; }

bool isKernelArgument(const Value *value) {
  auto *argument = dyn_cast<Argument>(value);
  return argument && isKernel(*argument->getParent());
}

/// The address space of `object`, which an address derives from, or `genericSpace` if it is not known. Hosts pass
/// addresses of global memory, as arguments and in descriptors that are passed by value.
unsigned spaceOf(const Value *object) {
  if (auto *variable = dyn_cast<GlobalVariable>(object)) {
    unsigned space = variable->getAddressSpace();
    return space == globalSpace || space == sharedSpace ? space : genericSpace;
  }
  if (isKernelArgument(object))
    return globalSpace;
  if (auto *load = dyn_cast<LoadInst>(object))
    return isKernelArgument(getUnderlyingObject(load->getPointerOperand())) ? globalSpace : genericSpace;
  return genericSpace;
}

unsigned spaceOfAddress(const Value *address) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  unsigned space = objects.empty() ? genericSpace : spaceOf(objects.front());
  return all_of(objects, [&](const Value *object) { return spaceOf(object) == space; }) ? space : genericSpace;
}

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
