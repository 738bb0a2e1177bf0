// Host statements that read device data element by element.
//
// In: HLFIR in which a host expression that reads a device scalar or element loads from the device address.
// Out: the element is transferred to a host temporary first. A transfer whose source is a computed host value
// becomes an assignment. Descriptors of device arrays are host data and are left alone.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_REPAIRHOSTSTATEMENTS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True if only the device can read `memory`.
bool isDeviceOnly(Value memory) {
  auto attribute = dataAttribute(memory);
  return attribute && (*attribute == cuf::DataAttribute::Device || *attribute == cuf::DataAttribute::Constant);
}

/// True for a host temporary that lowering declares again under the attribute of the variable it copies.
bool isHostTemporary(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (isa<fir::AllocMemOp, fir::AllocaOp>(op))
      return true;
    if (auto declare = dyn_cast<hlfir::DeclareOp>(op))
      memory = declare.getMemref();
    else if (auto designate = dyn_cast<hlfir::DesignateOp>(op))
      memory = designate.getMemref();
    else
      return false;
  }
  return false;
}

void transferBeforeLoad(fir::LoadOp load, ModuleOp module) {
  fir::FirOpBuilder builder(load.getOperation(), fir::getKindMapping(module));
  Location loc = load.getLoc();
  Value temporary = builder.createTemporary(loc, load.getType());
  builder.setInsertionPoint(load);
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  cuf::DataTransferOp::create(builder, loc, load.getMemref(), temporary, Value(), kind);
  load.getMemrefMutable().assign(temporary);
}

/// A transfer of a computed value. To host memory it is an assignment; to device memory a value of another type is
/// converted first, and an array expression is evaluated into a host temporary.
void repairComputedSource(cuf::DataTransferOp transfer, ModuleOp module) {
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  Location loc = transfer.getLoc();
  Value source = transfer.getSrc();
  if (transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost) {
    hlfir::AssignOp::create(builder, loc, source, transfer.getDst());
    transfer.erase();
    return;
  }
  if (isa<hlfir::ExprType>(source.getType())) {
    hlfir::AssociateOp temporary =
        hlfir::genAssociateExpr(loc, builder, hlfir::Entity{source}, source.getType(), ".transfer");
    transfer.getSrcMutable().assign(temporary.getBase());
    builder.setInsertionPointAfter(transfer);
    hlfir::EndAssociateOp::create(builder, loc, temporary);
    return;
  }
  Type element = hlfir::getFortranElementType(transfer.getDst().getType());
  if (source.getType() == element || !fir::isa_trivial(element))
    return;
  // .true. and .false. are one bit here and a whole word in memory; the transfer wants a constant of that size.
  if (auto logical = dyn_cast<fir::LogicalType>(element))
    if (auto truth = fir::getIntIfConstant(source)) {
      Type word = builder.getIntegerType(builder.getKindMap().getLogicalBitsize(logical.getFKind()));
      transfer.getSrcMutable().assign(builder.createIntegerConstant(loc, word, *truth ? 1 : 0));
      return;
    }
  Value temporary = builder.createTemporary(loc, element);
  fir::StoreOp::create(builder, loc, builder.createConvert(loc, element, source), temporary);
  transfer.getSrcMutable().assign(temporary);
}

/// What Flang frees where an INTENT(OUT) dummy argument is deallocated on entry is not the host's to free if the
/// argument has a CUDA attribute.
void releaseToDevice(fir::FreeMemOp free, cuf::DataAttribute attribute) {
  OpBuilder builder(free);
  cuf::FreeOp::create(builder, free.getLoc(), free.getHeapref(),
                      cuf::DataAttributeAttr::get(builder.getContext(), attribute));
  free.erase();
}

/// True for the call that default-initialises the temporary of a dim3 constructor. The type has no default values,
/// and no description for the runtime library to work from.
bool initialisesDim3(fir::CallOp call) {
  if (!call.getCallee() || call.getCallee()->getRootReference() != "_FortranAInitialize")
    return false;
  auto convert = call.getArgs().front().getDefiningOp<fir::ConvertOp>();
  auto box = convert ? dyn_cast<fir::BoxType>(convert.getValue().getType()) : fir::BoxType();
  auto record = box ? dyn_cast<fir::RecordType>(box.getEleTy()) : fir::RecordType();
  return record && record.getName() == "_QM__fortran_builtinsT__builtin_dim3";
}

struct RepairHostStatementsPass : cufort::cufx::impl::RepairHostStatementsBase<RepairHostStatementsPass> {
  void runOnOperation() override {
    SmallVector<fir::LoadOp> loads;
    SmallVector<cuf::DataTransferOp> computed;
    SmallVector<fir::CallOp> superfluous;
    SmallVector<std::pair<fir::FreeMemOp, cuf::DataAttribute>> frees;
    getOperation().walk([&](Operation *op) {
      if (auto call = dyn_cast<fir::CallOp>(op); call && initialisesDim3(call))
        superfluous.push_back(call);
      if (isInDeviceCode(op))
        return;
      if (auto load = dyn_cast<fir::LoadOp>(op))
        if (fir::isa_trivial(load.getType()) && isDeviceOnly(load.getMemref()) && !isHostTemporary(load.getMemref()))
          loads.push_back(load);
      if (auto free = dyn_cast<fir::FreeMemOp>(op))
        if (auto attribute = dataAttribute(free.getHeapref()))
          frees.emplace_back(free, *attribute);
      if (auto transfer = dyn_cast<cuf::DataTransferOp>(op))
        if (fir::isa_trivial(transfer.getSrc().getType()) || isa<hlfir::ExprType>(transfer.getSrc().getType()))
          computed.push_back(transfer);
    });
    for (fir::LoadOp load : loads)
      transferBeforeLoad(load, getOperation());
    for (cuf::DataTransferOp transfer : computed)
      repairComputedSource(transfer, getOperation());
    for (auto [free, attribute] : frees)
      releaseToDevice(free, attribute);
    for (fir::CallOp call : superfluous)
      call.erase();
  }
};

} // namespace
