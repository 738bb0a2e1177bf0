#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

bool cufort::cufx::isSameInStatement(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || !(isa<fir::LoadOp>(first) || isMemoryEffectFree(first)))
    return false;
  return OperationEquivalence::isEquivalentTo(
      first, second, [](Value x, Value y) { return success(isSameInStatement(x, y)); }, nullptr,
      OperationEquivalence::IgnoreLocations);
}
