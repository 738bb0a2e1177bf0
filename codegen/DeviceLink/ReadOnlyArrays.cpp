#include "codegen/DeviceLink/ReadOnlyArrays.h"
#include "codegen/Device/DeviceLLVM.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

using Descriptors = SmallPtrSet<const Argument *, 8>;

Descriptors readOnlyDescriptors(const Function &kernel) {
  Descriptors result;
  SmallVector<StringRef> numbers;
  kernel.getFnAttribute(readOnlyFunctionAttribute).getValueAsString().split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (StringRef number : numbers)
    if (unsigned index; !number.getAsInteger(10, index) && index < kernel.arg_size())
      result.insert(kernel.getArg(index));
  return result;
}

/// True if `object`, which an address derives from, is a parameter that nothing is written to by, or what one of
/// `descriptors` says.
bool isFrom(const Descriptors &descriptors, const Value *object) {
  if (auto *parameter = dyn_cast<Argument>(object))
    return parameter->getType()->isPointerTy() && parameter->onlyReadsMemory() && parameter->hasNoAliasAttr();
  auto *load = dyn_cast<LoadInst>(object);
  auto *argument = load ? dyn_cast<Argument>(getUnderlyingObject(load->getPointerOperand())) : nullptr;
  return argument && descriptors.contains(argument);
}

bool isReadOnly(const LoadInst &load, const Descriptors &descriptors) {
  if (load.isVolatile() || load.isAtomic())
    return false;
  SmallVector<const Value *> objects;
  getUnderlyingObjects(load.getPointerOperand(), objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return !objects.empty() && all_of(objects, [&](const Value *object) { return isFrom(descriptors, object); });
}

} // namespace

void cufort::codegen::markReadOnlyLoads(Module &module) {
  MDNode *none = MDNode::get(module.getContext(), {});
  for (Function &kernel : module) {
    if (kernel.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    Descriptors descriptors = readOnlyDescriptors(kernel);
    for (Instruction &instruction : instructions(kernel))
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && isReadOnly(*load, descriptors))
        load->setMetadata(LLVMContext::MD_invariant_load, none);
  }
}
