#include "mlir-dialects/Cufx/Transforms/ComponentScalars.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"

using namespace mlir;
using namespace cufort::cufx;

/// True for an assignment of a number or truth value by the host to memory that it cannot write.
static bool isToComponent(hlfir::AssignOp assign) {
  hlfir::Entity value{assign.getRhs()};
  return fir::isa_trivial(hlfir::getFortranElementType(value.getType())) && value.isScalar() &&
         !isInDeviceCode(assign) && isHiddenFromHost(assign.getLhs());
}

static void transfer(hlfir::AssignOp assign, ModuleOp module) {
  fir::FirOpBuilder builder(assign.getOperation(), fir::getKindMapping(module));
  Location loc = assign.getLoc();
  hlfir::Entity value = hlfir::loadTrivialScalar(loc, builder, hlfir::Entity{assign.getRhs()});
  Type element = hlfir::getFortranElementType(assign.getLhs().getType());
  Value temporary = builder.createTemporary(loc, element);
  fir::StoreOp::create(builder, loc, builder.createConvert(loc, element, value), temporary);
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::HostDevice);
  cuf::DataTransferOp::create(builder, loc, temporary, assign.getLhs(), Value(), kind);
  assign.erase();
}

void cufort::cufx::transferScalarsToComponents(ModuleOp module) {
  SmallVector<hlfir::AssignOp> found;
  module.walk([&](hlfir::AssignOp assign) {
    if (isToComponent(assign))
      found.push_back(assign);
  });
  for (hlfir::AssignOp assign : found)
    transfer(assign, module);
}
