// In: hlfir.associate of an hlfir.as_expr of a variable, which is an argument of launches and nothing else. Out: the
// address of the variable. The launch copies what is there.

#include "mlir-dialects/Cufx/Transforms/ValueArguments.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/RecordValues.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

/// The variable of which `copy` is a copy for launches, or null.
static Value launchedVariable(hlfir::AssociateOp copy) {
  auto value = copy.getSource().getDefiningOp<hlfir::AsExprOp>();
  fir::RecordType record = staticRecordType(copy.getBase().getType());
  bool isShallow = value && !value.isMove() && value->hasOneUse() && record && holdsAllocatables(record);
  bool isLaunched = llvm::all_of(copy->getUsers(),
                                 [](Operation *user) { return isa<cuf::KernelLaunchOp, hlfir::EndAssociateOp>(user); });
  return isShallow && isLaunched && !isHiddenFromHost(value.getVar()) ? value.getVar() : Value();
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
