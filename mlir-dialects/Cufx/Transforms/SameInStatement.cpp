#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cufort::cufx;

bool cufort::cufx::isSameInStatement(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber() ||
      !(isa<fir::LoadOp>(first) || isMemoryEffectFree(first)))
    return false;
  return OperationEquivalence::isEquivalentTo(
      first, second, [](Value x, Value y) { return success(isSameInStatement(x, y)); }, nullptr,
      OperationEquivalence::IgnoreLocations);
}

/// True if `convert` changes nothing: integers that become too large are errors of the program.
static bool isWidening(fir::ConvertOp convert) {
  auto bits = [](Type type) { return isa<IndexType>(type) ? 64 : type.isInteger() ? type.getIntOrFloatBitWidth() : 0; };
  unsigned from = bits(convert.getValue().getType()), to = bits(convert.getType());
  return from > 1 && from <= to;
}

Sum cufort::cufx::sumOf(Value value) {
  int64_t constant = 0;
  while (Operation *op = value.getDefiningOp()) {
    if (auto whole = fir::getIntIfConstant(value))
      return {Value(), constant + *whole};
    if (auto convert = dyn_cast<fir::ConvertOp>(op); convert && isWidening(convert)) {
      value = convert.getValue();
      continue;
    }
    if (!isa<arith::AddIOp, arith::SubIOp>(op))
      break;
    bool isAddition = isa<arith::AddIOp>(op);
    if (auto second = fir::getIntIfConstant(op->getOperand(1))) {
      constant += isAddition ? *second : -*second;
      value = op->getOperand(0);
    } else if (auto first = isAddition ? fir::getIntIfConstant(op->getOperand(0)) : std::nullopt) {
      constant += *first;
      value = op->getOperand(1);
    } else {
      break;
    }
  }
  return {value, constant};
}

std::optional<int64_t> cufort::cufx::constantDifference(Value a, Value b) {
  Sum left = sumOf(a), right = sumOf(b);
  bool isSame = left.variable && right.variable ? isSameInStatement(left.variable, right.variable)
                                                : !left.variable && !right.variable;
  return isSame ? std::make_optional(left.constant - right.constant) : std::nullopt;
}
