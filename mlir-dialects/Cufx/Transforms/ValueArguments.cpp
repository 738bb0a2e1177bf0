// In: hlfir.associate of an hlfir.as_expr of a variable, which is an argument of launches and nothing else. Out: the
// address of the variable. The launch copies what is there.
//
// In device code: the same as an argument of a call. Out: the address of a record of the procedure that calls, which
// gets a copy of what the components hold before the call, and gives it back at the hlfir.end_associate.

#include "mlir-dialects/Cufx/Transforms/ValueArguments.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/RecordValues.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

/// The variable with allocatable components of which `copy` is a copy, or null.
static Value copiedVariable(hlfir::AssociateOp copy) {
  auto value = copy.getSource().getDefiningOp<hlfir::AsExprOp>();
  fir::RecordType record = staticRecordType(copy.getBase().getType());
  bool isCopied = value && !value.isMove() && value->hasOneUse() && record && holdsAllocatables(record);
  return isCopied ? value.getVar() : Value();
}

/// The same for copies that are made for launches.
static Value launchedVariable(hlfir::AssociateOp copy) {
  Value variable = copiedVariable(copy);
  bool isLaunched = llvm::all_of(copy->getUsers(),
                                 [](Operation *user) { return isa<cuf::KernelLaunchOp, hlfir::EndAssociateOp>(user); });
  return variable && isLaunched && !isHiddenFromHost(variable) ? variable : Value();
}

void cufort::cufx::passRecordsAsTheyAre(ModuleOp module) {
  SmallVector<hlfir::AssociateOp> copies;
  module.walk([&](hlfir::AssociateOp associate) {
    if (launchedVariable(associate))
      copies.push_back(associate);
  });
  for (hlfir::AssociateOp copy : copies) {
    fir::FirOpBuilder builder(copy.getOperation(), fir::getKindMapping(module));
    Value address = hlfir::genVariableRawAddress(copy.getLoc(), builder, hlfir::Entity{launchedVariable(copy)});
    auto value = copy.getSource().getDefiningOp<hlfir::AsExprOp>();
    // Each uses two of the results.
    llvm::SmallSetVector<Operation *, 4> users(copy->user_begin(), copy->user_end());
    for (Operation *user : users)
      if (isa<hlfir::EndAssociateOp>(user))
        user->erase();
    for (Value result : {copy.getBase(), copy.getFirBase()})
      result.replaceAllUsesWith(address);
    copy.erase();
    value.erase();
  }
}

static void copyForCalls(hlfir::AssociateOp copy, ModuleOp module) {
  fir::FirOpBuilder builder(copy.getOperation(), fir::getKindMapping(module));
  Location loc = copy.getLoc();
  auto value = copy.getSource().getDefiningOp<hlfir::AsExprOp>();
  OpBuilder atStart = OpBuilder::atBlockBegin(&startOfDeviceCode(copy));
  hlfir::Entity record{fir::AllocaOp::create(atStart, loc, fir::unwrapRefType(copy.getBase().getType())).getResult()};
  copyRecords(builder, loc, record, hlfir::Entity{value.getVar()});
  llvm::SmallSetVector<Operation *, 4> users(copy->user_begin(), copy->user_end());
  for (Operation *user : users)
    if (isa<hlfir::EndAssociateOp>(user)) {
      builder.setInsertionPoint(user);
      destroyRecords(builder, loc, record);
      user->erase();
    }
  for (Value result : {copy.getBase(), copy.getFirBase()})
    result.replaceAllUsesWith(record);
  copy.erase();
  value.erase();
}

void cufort::cufx::copyRecordsForCalls(ModuleOp module) {
  SmallVector<hlfir::AssociateOp> copies;
  module.walk([&](hlfir::AssociateOp associate) {
    if (isInDeviceCode(associate) && isa<fir::ReferenceType>(associate.getBase().getType()) &&
        hlfir::Entity{associate.getBase()}.isScalar() && copiedVariable(associate))
      copies.push_back(associate);
  });
  for (hlfir::AssociateOp copy : copies)
    copyForCalls(copy, module);
}
