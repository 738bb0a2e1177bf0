#include "codegen/DeviceLink/AddressSpaces.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

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

} // namespace

unsigned cufort::codegen::spaceOfAddress(const Value *address) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  unsigned space = objects.empty() ? genericSpace : spaceOf(objects.front());
  return all_of(objects, [&](const Value *object) { return spaceOf(object) == space; }) ? space : genericSpace;
}
