#include "codegen/DeviceLink/NeighbouringStores.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

std::optional<int64_t> cufort::codegen::distanceBetween(const StoreInst &store, const StoreInst &other,
                                                        ScalarEvolution &evolution) {
  auto placeOf = [&](const StoreInst &each) {
    return evolution.getSCEV(const_cast<Value *>(each.getPointerOperand()));
  };
  std::optional<APInt> distance = evolution.computeConstantDifference(placeOf(other), placeOf(store));
  return distance ? std::optional(distance->getSExtValue()) : std::nullopt;
}
