#include "mlir-dialects/Cufx/Transforms/FunctionResults.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

using Results = llvm::DenseSet<Value>;

/// Marks the declarations of results. Returns where the pointers themselves are.
Results markResults(ModuleOp module, ArrayAttr functions) {
  Results results;
  auto device = cuf::DataAttributeAttr::get(module.getContext(), cuf::DataAttribute::Device);
  module.walk([&](fir::SaveResultOp save) {
    auto call = save.getValue().getDefiningOp<fir::CallOp>();
    if (!call || isInDeviceCode(save) ||
        !llvm::is_contained(functions.getValue(), StringAttr::get(module.getContext(), calleeName(call))))
      return;
    results.insert(save.getMemref());
    for (Operation *user : save.getMemref().getUsers())
      if (auto declare = dyn_cast<hlfir::DeclareOp>(user))
        declare.setDataAttrAttr(device);
  });
  return results;
}

bool isResult(Value variable, const Results &results) {
  return !isa<hlfir::ExprType>(variable.getType()) && results.contains(memoryOf(variable));
}

/// The value of `assign` becomes a copy on the host. Strings whose length is not known stay as they are.
void assignCopy(hlfir::AssignOp assign, ModuleOp module) {
  hlfir::Entity value{assign.getRhs()};
  fir::FirOpBuilder builder(assign.getOperation(), fir::getKindMapping(module));
  Location loc = assign.getLoc();
  if (value.isArray()) {
    auto [copy, memory] = copyToHost(builder, loc, value);
    assign.getRhsMutable().assign(copy);
    builder.setInsertionPointAfter(assign);
    fir::FreeMemOp::create(builder, loc, memory);
    return;
  }
  Type type = value.getFortranElementType();
  auto string = dyn_cast<fir::CharacterType>(type);
  if (!value.isVariable() || (string && !string.hasConstantLen()))
    return;
  Value address = hlfir::genVariableRawAddress(loc, builder, hlfir::derefPointersAndAllocatables(loc, builder, value));
  Value copy = builder.createTemporary(loc, type);
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  cuf::DataTransferOp::create(builder, loc, address, copy, Value(), kind);
  assign.getRhsMutable().assign(copy);
}

} // namespace

void cufort::cufx::readDeviceResults(ModuleOp module) {
  auto functions = module->getAttrOfType<ArrayAttr>(deviceFunctionsAttribute);
  if (!functions)
    return;
  Results results = markResults(module, functions);
  SmallVector<hlfir::AssignOp> assignments;
  module.walk([&](Operation *op) {
    if (auto assign = dyn_cast<hlfir::AssignOp>(op); assign && isResult(assign.getRhs(), results))
      assignments.push_back(assign);
    else if (auto transfer = dyn_cast<cuf::DataTransferOp>(op);
             transfer && transfer.getTransferKind() == cuf::DataTransferKind::HostDevice &&
             isResult(transfer.getSrc(), results))
      transfer.setTransferKind(cuf::DataTransferKind::DeviceDevice);
  });
  for (hlfir::AssignOp assign : assignments)
    assignCopy(assign, module);
}
