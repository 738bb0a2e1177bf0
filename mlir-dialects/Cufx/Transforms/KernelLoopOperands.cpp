// What CUF kernels use of the host: items of the chevrons, steps of loops, and scalars behind descriptors.
//
// A scalar that is a pointer or allocatable is reached through a descriptor, which is loaded again for each use. Where
// the loops assign to it, the descriptor is read once before the loops: what is reduced, or private to a thread, is
// found by its address, as for any other scalar.

#include "mlir-dialects/Cufx/Transforms/KernelLoopOperands.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cufort::cufx;

//===-- Streams --------------------------------------------------------------------------------------------------===//

/// Streams may be integers of any kind; cuf.kernel takes the address of one of kind 8.
static void widenStream(cuf::KernelOp kernel) {
  Value stream = kernel.getStream();
  if (!stream || fir::unwrapRefType(stream.getType()).isInteger(64))
    return;
  fir::FirOpBuilder builder(kernel, fir::getKindMapping(kernel->getParentOfType<ModuleOp>()));
  Location loc = kernel.getLoc();
  Value value = fir::isa_ref_type(stream.getType()) ? fir::LoadOp::create(builder, loc, stream).getResult() : stream;
  Value wide = builder.createTemporary(loc, builder.getI64Type());
  builder.setInsertionPoint(kernel);
  fir::StoreOp::create(builder, loc, builder.createConvert(loc, builder.getI64Type(), value), wide);
  kernel.getStreamMutable().assign(wide);
}

//===-- Chevrons -------------------------------------------------------------------------------------------------===//

/// The items of grid and block may be integers of any kind; cuf.kernel takes those of kind 4.
static void narrowExtents(cuf::KernelOp kernel) {
  fir::FirOpBuilder builder(kernel, fir::getKindMapping(kernel->getParentOfType<ModuleOp>()));
  for (MutableOperandRange extents : {kernel.getGridMutable(), kernel.getBlockMutable()})
    for (OpOperand &extent : extents)
      extent.set(builder.createConvert(kernel.getLoc(), builder.getI32Type(), extent.get()));
}

//===-- Steps ----------------------------------------------------------------------------------------------------===//

static bool isKnownNonZero(Value step) {
  while (auto convert = step.getDefiningOp<fir::ConvertOp>())
    step = convert.getValue();
  return fir::getIntIfConstant(step).value_or(0) != 0;
}

/// A loop whose step turns out to be zero has no iterations: their number is a quotient by the step.
static void leaveOutZeroSteps(cuf::KernelOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  for (unsigned loop = 0; loop < kernel.getStep().size(); ++loop) {
    Value lower = kernel.getLowerbound()[loop], upper = kernel.getUpperbound()[loop], step = kernel.getStep()[loop];
    if (isKnownNonZero(step))
      continue;
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(step.getType(), value));
    };
    Value one = number(1);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, step, number(0));
    Value before = arith::SubIOp::create(builder, loc, lower, one);
    kernel.getUpperboundMutable()[loop].set(arith::SelectOp::create(builder, loc, isZero, before, upper));
    kernel.getStepMutable()[loop].set(arith::SelectOp::create(builder, loc, isZero, one, step));
  }
}

//===-- Scalars behind descriptors -------------------------------------------------------------------------------===//

/// Uses of the descriptor of a scalar in the loops of a CUF kernel.
struct DescriptorUses {
  SmallVector<fir::BoxAddrOp> addresses;
  bool areAssigned = false;
  bool areOthers = false;
};

static bool isAssigned(Value address) {
  return llvm::any_of(address.getUsers(), [&](Operation *user) {
    auto assign = dyn_cast<hlfir::AssignOp>(user);
    return assign && assign.getLhs() == address;
  });
}

static DescriptorUses usesInLoops(Value descriptor, Region &loops) {
  DescriptorUses uses;
  for (Operation *user : descriptor.getUsers()) {
    if (!loops.isAncestor(user->getParentRegion()))
      continue;
    if (!isa<fir::LoadOp>(user)) {
      uses.areOthers = true;
      continue;
    }
    for (Operation *reader : user->getUsers()) {
      auto address = dyn_cast<fir::BoxAddrOp>(reader);
      if (!address) {
        uses.areOthers = true;
        continue;
      }
      uses.addresses.push_back(address);
      uses.areAssigned |= isAssigned(address);
    }
  }
  return uses;
}

/// The type of the scalar that the descriptor at `reference` describes; none for anything else.
static Type scalarBehind(Value reference) {
  auto box = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(reference.getType()));
  if (!box || !fir::isa_ref_type(reference.getType()))
    return {};
  Type element = fir::unwrapRefType(box.getEleTy());
  return fir::isa_trivial(element) ? element : Type();
}

static void addressScalar(cuf::KernelOp kernel, Value descriptor) {
  Type element = scalarBehind(descriptor);
  if (!element)
    return;
  DescriptorUses uses = usesInLoops(descriptor, kernel.getRegion());
  bool isReduced = llvm::is_contained(kernel.getReduceOperands(), descriptor);
  if (uses.areOthers || !(uses.areAssigned || isReduced))
    return;
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  Value box = fir::LoadOp::create(builder, loc, descriptor);
  Value address = fir::BoxAddrOp::create(builder, loc, fir::ReferenceType::get(element), box);
  for (fir::BoxAddrOp inLoops : uses.addresses)
    inLoops.replaceAllUsesWith(address);
  kernel->replaceUsesOfWith(descriptor, address);
}

/// True if `memory` is that of a variable of a BLOCK in the loops, or hangs on one: the iteration allocates it.
static bool isOfIteration(Value memory) {
  auto variable = memoryOf(memory).getDefiningOp<fir::AllocaOp>();
  return variable && variable->getParentOfType<cuf::KernelOp>();
}

/// An assignment to an allocatable scalar could allocate it, which loops on the device cannot do for the host.
static void assignWithoutAllocation(hlfir::AssignOp assign) {
  Type element = assign.isAllocatableAssignment() ? scalarBehind(assign.getLhs()) : Type();
  if (!element || isOfIteration(assign.getLhs()))
    return;
  OpBuilder builder(assign);
  Value box = fir::LoadOp::create(builder, assign.getLoc(), assign.getLhs());
  assign.getLhsMutable().assign(fir::BoxAddrOp::create(builder, assign.getLoc(), fir::HeapType::get(element), box));
  assign.setRealloc(false);
}

/// Lets descriptors that are components of one variable be one value each, before the loops, as those of variables are.
static void hoistDescriptors(cuf::KernelOp kernel) {
  llvm::MapVector<std::pair<Value, StringAttr>, SmallVector<hlfir::DesignateOp>> components;
  kernel.walk([&](hlfir::DesignateOp component) {
    bool isOutside =
        component->getNumOperands() == 1 && !kernel.getRegion().isAncestor(component.getMemref().getParentRegion());
    if (isOutside && component.getComponentAttr() && scalarBehind(component))
      components[{component.getMemref(), component.getComponentAttr()}].push_back(component);
  });
  for (auto &[place, designators] : components) {
    designators.front()->moveBefore(kernel);
    for (hlfir::DesignateOp other : llvm::drop_begin(designators)) {
      other.replaceAllUsesWith(designators.front().getResult());
      other.erase();
    }
  }
}

static void addressScalars(cuf::KernelOp kernel) {
  kernel.walk(assignWithoutAllocation);
  hoistDescriptors(kernel);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(kernel.getRegion(), captured);
  captured.insert(kernel.getReduceOperands().begin(), kernel.getReduceOperands().end());
  for (Value value : captured)
    addressScalar(kernel, value);
}

void cufort::cufx::repairKernelLoopOperands(ModuleOp module) {
  module.walk([](cuf::KernelOp kernel) {
    widenStream(kernel);
    narrowExtents(kernel);
    leaveOutZeroSteps(kernel);
    addressScalars(kernel);
  });
}
