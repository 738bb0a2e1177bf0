#include "codegen/DeviceLink/DistanceSums.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

bool cufort::codegen::addUpDistances(GetElementPtrInst &element, function_ref<bool(Value &)> isOrigin) {
  SmallVector<Value *> distances;
  Value *address = &element;
  while (auto *step = dyn_cast<GetElementPtrInst>(address)) {
    if (step->getNumIndices() != 1 || !step->getSourceElementType()->isIntegerTy(8) ||
        isa<Constant>(step->getOperand(1)) || !step->getOperand(1)->getType()->isIntegerTy(64))
      break;
    distances.push_back(step->getOperand(1));
    address = step->getPointerOperand();
  }
  if (distances.size() < 2 || !isOrigin(*address))
    return false;
  IRBuilder<> builder(&element);
  Value *sum = distances.pop_back_val();
  while (!distances.empty())
    sum = builder.CreateAdd(sum, distances.pop_back_val());
  element.replaceAllUsesWith(builder.CreateGEP(builder.getInt8Ty(), address, sum));
  return true;
}
