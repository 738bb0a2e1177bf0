// In: HLFIR in which hlfir.sum and others of the host name a device array, or a host copy of one that Flang's lowering
// makes for an assignment, or an expression of device arrays. Out: for those whose result is one number or truth value,
// kernels (see ReductionKernels), whose result is a variable of the host, or the device scalar that the value is
// assigned to; for the other reductions a transfer of the array to a host temporary, which takes its place. Managed
// arrays are reduced by such a kernel if they are large, else by the host.

#include "mlir-dialects/Cufx/Transforms/ReduceDeviceArrays.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/JoinReductions.h"
#include "mlir-dialects/Cufx/Transforms/ManagedReads.h"
#include "mlir-dialects/Cufx/Transforms/ReductionKernels.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// From how many elements on managed arrays are reduced on the device: the host has these while it would launch a
/// kernel and wait for it.
constexpr int64_t elementsForKernel = 65536;

/// Leaves the value in `scalar`, a variable of the device, if there is one.
void reduceByKernel(Operation *op, const Reduction &reduction, Value scalar = {}) {
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  ReductionKernel kernel(builder, op, reduction);
  op->getResult(0).replaceAllUsesWith(scalar ? kernel.buildInto(scalar) : kernel.build());
  op->erase();
  eraseExpressions(reduction.operands());
}

//===-- Reductions of managed arrays -----------------------------------------------------------------------------===//

/// Clones at the place of a builder what expressions are evaluated by, and ends the clones.
class ExpressionCloner {
public:
  explicit ExpressionCloner(fir::FirOpBuilder &builder) : builder(builder) {}

  Value clone(Value value) {
    if (!isOfExpression(value))
      return value;
    if (values.contains(value))
      return values.lookup(value);
    Operation *op = value.getDefiningOp();
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value operand : used)
      values.map(operand, clone(operand));
    Operation *copy = builder.clone(*op, values);
    if (isa<hlfir::ExprType>(value.getType()))
      expressions.push_back(copy->getResult(0));
    return values.lookup(value);
  }

  void destroyClones(Location loc) {
    for (Value expression : llvm::reverse(expressions))
      hlfir::DestroyOp::create(builder, loc, expression);
  }

private:
  /// True for an array expression, and for its shape and extents.
  static bool isOfExpression(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa<hlfir::ExprType>(value.getType()))
      return bool(op);
    return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::any_of(op->getOperands(), isOfExpression);
  }

  fir::FirOpBuilder &builder;
  IRMapping values;
  SmallVector<Value> expressions;
};

/// True if the array or expression is known to have few elements.
bool hasFewElements(Value array) {
  auto type = dyn_cast<fir::SequenceType>(hlfir::getFortranElementOrSequenceType(array.getType()));
  return type && !type.hasDynamicExtents() && static_cast<int64_t>(type.getConstantArraySize()) < elementsForKernel;
}

bool canReduceManaged(const Reduction &reduction) {
  return isDeviceReduction(reduction) && streamArrayOf(reduction) && !hasFewElements(reduction.array);
}

/// Leaves small arrays to the host.
void reduceManaged(Operation *op, const Reduction &reduction) {
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  ReductionKernel kernel(builder, op, reduction);
  Value result = kernel.buildForMany(elementsForKernel, [&](fir::FirOpBuilder &builder) {
    ExpressionCloner cloner(builder);
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, cloner.clone(operand));
    Value value = builder.clone(*op, operands)->getResult(0);
    cloner.destroyClones(op->getLoc());
    return value;
  });
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  eraseExpressions(reduction.operands());
}

//===-- Reductions into device scalars ---------------------------------------------------------------------------===//

/// Collects the reductions that `value` is calculated from by operations that a kernel can repeat.
void collectReductions(Value value, llvm::SetVector<Operation *> &reductions) {
  Operation *op = value.getDefiningOp();
  if (op && canReduceByKernel(matchReduction(op)))
    reductions.insert(op);
  else if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op))
    for (Value operand : op->getOperands())
      collectReductions(operand, reductions);
}

/// True if `value`, which is used in the block of `op`, is known before it.
bool isKnownBefore(Operation *op, Value value) {
  Operation *definition = value.getDefiningOp();
  return !definition || definition->getBlock() != op->getBlock() || definition->isBeforeInBlock(op);
}

/// The reduction that can use the scalar to which `transfer` brings a value calculated from it, or null.
Operation *reductionFor(cuf::DataTransferOp transfer) {
  Value scalar = transfer.getDst();
  llvm::SetVector<Operation *> reductions;
  Value value = transferredScalar(transfer);
  if (value && isWritableDeviceScalar(scalar))
    collectReductions(value, reductions);
  if (reductions.size() != 1)
    return nullptr;
  Operation *op = reductions.front();
  SmallVector<Value> memory;
  collectMemoryOfScalar(value, memory);
  bool isRead = llvm::any_of(memory, [&](Value read) { return mayOverlap(scalar, read); }) ||
                llvm::any_of(op->getOperands(), [&](Value operand) { return mayRead(operand, scalar); });
  bool isOfType = op->getResult(0).getType() == fir::unwrapRefType(scalar.getType());
  bool isForTransfer = op->hasOneUse() && op->getBlock() == transfer->getBlock();
  return isOfType && isForTransfer && !isRead && isKnownBefore(op, scalar) ? op : nullptr;
}

} // namespace

void cufort::cufx::reduceIntoDeviceScalars(ModuleOp module) {
  SmallVector<cuf::DataTransferOp> transfers;
  module.walk([&](cuf::DataTransferOp transfer) {
    if (!isInDeviceCode(transfer))
      transfers.push_back(transfer);
  });
  for (cuf::DataTransferOp transfer : transfers) {
    Operation *op = reductionFor(transfer);
    if (!op)
      continue;
    dropPlaceOfScalar(transfer);
    reduceByKernel(op, matchReduction(op), transfer.getDst());
    auto load = transfer.getSrc().getDefiningOp<fir::LoadOp>();
    if (!load || load.getMemref() != transfer.getDst())
      continue;
    transfer.erase();
    load.erase();
  }
}

void cufort::cufx::reduceDeviceArrays(ModuleOp module) {
  SmallVector<Operation *> reductions;
  module.walk([&](Operation *op) {
    if (isArrayFunction(op) && !isInDeviceCode(op))
      reductions.push_back(op);
  });
  for (Operation *op : joinReductions(reductions)) {
    if (Reduction reduction = matchReduction(op); canReduceByKernel(reduction)) {
      reduceByKernel(op, reduction);
      continue;
    } else if (canReduceManaged(reduction)) {
      reduceManaged(op, reduction);
      continue;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (hlfir::isFortranVariableType(operand.get().getType()) && isHiddenFromHost(operand.get()))
        replaceByHostCopy(operand, endOfValue(op));
  }
}
