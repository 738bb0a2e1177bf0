#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True if `op` gives the same whenever it is done in one statement.
bool onlyReads(Operation *op) {
  auto reads = [](Operation *part) {
    return isa<fir::LoadOp, hlfir::ElementalOp, hlfir::YieldElementOp>(part) || isMemoryEffectFree(part);
  };
  return !op->walk([&](Operation *part) {
              return reads(part) ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

class Comparison {
public:
  bool isSame(Value a, Value b) {
    if (a == b || inRegions.lookup(a) == b)
      return true;
    Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
    if (!first || !second || cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber() ||
        !onlyReads(first))
      return false;
    return OperationEquivalence::isEquivalentTo(
        first, second, [this](Value x, Value y) { return success(isSame(x, y)); },
        [this](Value x, Value y) { inRegions[x] = y; }, OperationEquivalence::IgnoreLocations);
  }

private:
  llvm::DenseMap<Value, Value> inRegions; ///< values of elementals that have been compared
};

} // namespace

bool cufort::cufx::isSameInStatement(Value a, Value b) { return Comparison().isSame(a, b); }

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
