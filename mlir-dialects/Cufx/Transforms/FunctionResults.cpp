#include "mlir-dialects/Cufx/Transforms/FunctionResults.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

using Results = llvm::DenseSet<Value>;

/// What a procedure keeps for those internal to it where `place` is in one of these; null if it is no such place.
Value keptByHost(fir::CoordinateOp place) {
  auto function = place->getParentOfType<func::FuncOp>();
  auto symbol = function ? function->getAttrOfType<SymbolRefAttr>(fir::getHostSymbolAttrName()) : SymbolRefAttr();
  auto host = symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(function, symbol) : func::FuncOp();
  if (!host || place.getNumOperands() != 2 || !isa<BlockArgument>(place.getRef()))
    return {};
  Value kept;
  auto index = fir::getIntIfConstant(place.getOperand(1));
  host.walk([&](fir::StoreOp store) {
    auto other = store.getMemref().getDefiningOp<fir::CoordinateOp>();
    if (other && other.getNumOperands() == 2 && other.getRef().getType() == place.getRef().getType() &&
        other.getRef().getDefiningOp<fir::AllocaOp>() && fir::getIntIfConstant(other.getOperand(1)) == index)
      kept = store.getValue();
  });
  return kept;
}

/// The name of what holds `procedure`, an address or what points to it: a variable, a component or a dummy.
std::string holderOf(Value procedure) {
  while (Operation *op = procedure.getDefiningOp()) {
    if (isa<hlfir::DesignateOp>(op))
      return componentName(procedure);
    if (auto declare = dyn_cast<hlfir::DeclareOp>(op))
      return declare.getUniqName().str();
    if (auto place = dyn_cast<fir::CoordinateOp>(op)) {
      Value kept = keptByHost(place);
      return kept ? holderOf(kept) : std::string();
    }
    if (!isa<fir::BoxAddrOp, fir::LoadOp, fir::ConvertOp>(op))
      return {};
    procedure = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(procedure);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function ? (function.getSymName() + "#" + Twine(argument.getArgNumber())).str() : std::string();
}

/// The procedure that an object of the declared type calls by `dispatch`. Those of extended types return the same.
StringRef boundProcedure(fir::DispatchOp dispatch, SymbolTable &symbols) {
  auto record = dyn_cast<fir::RecordType>(fir::getDerivedType(dispatch.getObject().getType()));
  auto info = record ? symbols.lookup<fir::TypeInfoOp>(record.getName()) : fir::TypeInfoOp();
  if (info && !info.getDispatchTable().empty())
    for (auto entry : info.getDispatchTable().getOps<fir::DTEntryOp>())
      if (entry.getMethod() == dispatch.getMethod())
        return entry.getProc().getRootReference().getValue();
  return {};
}

/// What `saved` has been returned by, by the names that deviceFunctionsAttribute has; empty if that is not known.
std::string functionOf(Value saved, SymbolTable &symbols) {
  if (auto dispatch = saved.getDefiningOp<fir::DispatchOp>())
    return boundProcedure(dispatch, symbols).str();
  auto call = saved.getDefiningOp<fir::CallOp>();
  if (!call || call.getCallee())
    return call ? calleeName(call).str() : std::string();
  return holderOf(call.getOperand(0));
}

/// Marks the declarations of results. Returns where the pointers themselves are.
Results markResults(ModuleOp module, ArrayAttr functions) {
  Results results;
  SymbolTable symbols(module);
  auto device = cuf::DataAttributeAttr::get(module.getContext(), cuf::DataAttribute::Device);
  module.walk([&](fir::SaveResultOp save) {
    if (isInDeviceCode(save) ||
        !llvm::is_contained(functions.getValue(),
                            StringAttr::get(module.getContext(), functionOf(save.getValue(), symbols))))
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

/// The value of `assign` becomes a copy on the host.
void assignCopy(hlfir::AssignOp assign, ModuleOp module) {
  hlfir::Entity value{assign.getRhs()};
  fir::FirOpBuilder builder(assign.getOperation(), fir::getKindMapping(module));
  Location loc = assign.getLoc();
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  Type type = value.getFortranElementType();
  if (isa<fir::CharacterType>(type)) {
    // Transfers of strings bring them to the length of the variable.
    cuf::DataTransferOp::create(builder, loc, value, assign.getLhs(), Value(), kind);
    assign.erase();
    return;
  }
  if (value.isArray()) {
    auto [copy, memory] = copyToHost(builder, loc, value);
    assign.getRhsMutable().assign(copy);
    builder.setInsertionPointAfter(assign);
    fir::FreeMemOp::create(builder, loc, memory);
    return;
  }
  if (!value.isVariable())
    return;
  Value address = hlfir::genVariableRawAddress(loc, builder, hlfir::derefPointersAndAllocatables(loc, builder, value));
  Value copy = builder.createTemporary(loc, type);
  cuf::DataTransferOp::create(builder, loc, address, copy, Value(), kind);
  assign.getRhsMutable().assign(copy);
}

/// True if what `value` is calculated from is memory of the host, or no memory at all.
bool isOfHost(Value value) {
  llvm::SetVector<Operation *> sources;
  bool isAll = true;
  auto add = [&](Value source) {
    isAll &=
        !(fir::isa_ref_type(source.getType()) || isa<fir::BaseBoxType>(source.getType())) || !isHiddenFromHost(source);
    if (Operation *op = source.getDefiningOp())
      sources.insert(op);
  };
  add(value);
  for (size_t next = 0; isAll && next < sources.size(); ++next)
    sources[next]->walk([&](Operation *op) { llvm::for_each(op->getOperands(), add); });
  return isAll;
}

/// True for an assignment by the host, to what a name of ASSOCIATE has of a result, of a variable or of an array that
/// the host calculates.
bool isDefinition(hlfir::AssignOp assign, const Results &results) {
  if (isInDeviceCode(assign) || !isResult(assign.getLhs(), results))
    return false;
  Value value = assign.getRhs();
  return hlfir::isFortranVariableType(value.getType()) || (isa<hlfir::ExprType>(value.getType()) && isOfHost(value));
}

void transferTo(hlfir::AssignOp assign) {
  fir::FirOpBuilder builder(assign, fir::getKindMapping(assign->getParentOfType<ModuleOp>()));
  Location loc = assign.getLoc();
  hlfir::Entity value{assign.getRhs()};
  hlfir::AssociateOp temporary;
  if (!value.isVariable()) {
    temporary = hlfir::genAssociateExpr(loc, builder, value, value.getType(), "assigned");
    value = hlfir::Entity{temporary.getBase()};
  }
  auto from = isDeviceAddressable(value) ? cuf::DataTransferKind::DeviceDevice : cuf::DataTransferKind::HostDevice;
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), from);
  cuf::DataTransferOp::create(builder, loc, value, assign.getLhs(), Value(), kind);
  if (temporary)
    hlfir::EndAssociateOp::create(builder, loc, temporary);
  assign.erase();
}

} // namespace

void cufort::cufx::readDeviceResults(ModuleOp module) {
  auto functions = module->getAttrOfType<ArrayAttr>(deviceFunctionsAttribute);
  if (!functions)
    return;
  Results results = markResults(module, functions);
  SmallVector<hlfir::AssignOp> assignments, definitions;
  module.walk([&](Operation *op) {
    if (auto assign = dyn_cast<hlfir::AssignOp>(op); assign && isDefinition(assign, results))
      definitions.push_back(assign);
    else if (assign && isResult(assign.getRhs(), results))
      assignments.push_back(assign);
    else if (auto transfer = dyn_cast<cuf::DataTransferOp>(op);
             transfer && transfer.getTransferKind() == cuf::DataTransferKind::HostDevice &&
             isResult(transfer.getSrc(), results))
      transfer.setTransferKind(cuf::DataTransferKind::DeviceDevice);
  });
  for (hlfir::AssignOp assign : assignments)
    assignCopy(assign, module);
  for (hlfir::AssignOp assign : definitions)
    transferTo(assign);
}
