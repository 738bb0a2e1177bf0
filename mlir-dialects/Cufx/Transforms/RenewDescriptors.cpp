#include "mlir-dialects/Cufx/Transforms/RenewDescriptors.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

class RenewedDescriptors {
public:
  explicit RenewedDescriptors(Region &region) : region(region), builder(OpBuilder::atBlockBegin(&region.front())) {
    SmallVector<Operation *> operations;
    region.walk([&](Operation *op) { operations.push_back(op); });
    for (Operation *op : operations) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(renewed(operand.get()));
      if (isDescriptorLoad(op))
        op->replaceAllUsesWith(ValueRange(loadOf(cast<fir::LoadOp>(op))));
    }
  }

private:
  static bool isDescriptorLoad(Operation *op) {
    auto load = dyn_cast<fir::LoadOp>(op);
    return load && isa<fir::BaseBoxType>(load.getType());
  }

  bool isInside(Value value) { return region.isAncestor(value.getParentRegion()); }

  /// `value`, which the operations get from outside of the region, made of descriptors that are loaded here.
  Value renewed(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || isInside(value))
      return value;
    if (isDescriptorLoad(op))
      return loadOf(cast<fir::LoadOp>(op));
    if (op->getNumRegions() || !isMemoryEffectFree(op))
      return value;
    if (!values.contains(value)) {
      IRMapping operands;
      for (Value operand : op->getOperands())
        operands.map(operand, renewed(operand));
      bool isSame = llvm::all_of(op->getOperands(), [&](Value each) { return operands.lookup(each) == each; });
      Operation *copy = isSame ? op : builder.clone(*op, operands);
      values.map(op->getResults(), copy->getResults());
    }
    return values.lookup(value);
  }

  /// The address `memory` at the start of the region, or null if it cannot be computed there.
  Value atStart(Value memory) {
    Operation *op = memory.getDefiningOp();
    if (!isInside(memory))
      return renewed(memory);
    if (op && isDescriptorLoad(op))
      return loadOf(cast<fir::LoadOp>(op));
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
      return {};
    IRMapping operands;
    for (Value operand : op->getOperands()) {
      operands.map(operand, atStart(operand));
      if (!operands.lookup(operand))
        return {};
    }
    return builder.clone(*op, operands)->getResult(cast<OpResult>(memory).getResultNumber());
  }

  /// What is loaded at the start instead of `load`, if it can be.
  Value loadOf(fir::LoadOp load) {
    if (llvm::is_contained(loads, load))
      return load;
    Value memory = atStart(load.getMemref());
    if (!memory)
      return load;
    for (fir::LoadOp known : loads)
      if (known.getType() == load.getType() && isSameInStatement(known.getMemref(), memory))
        return known;
    loads.push_back(fir::LoadOp::create(builder, load.getLoc(), memory));
    return loads.back();
  }

  Region &region;
  OpBuilder builder;
  SmallVector<fir::LoadOp> loads;
  IRMapping values; ///< by those that were made of descriptors
};

} // namespace

void cufort::cufx::renewDescriptors(Region &region) { RenewedDescriptors renewed(region); }
