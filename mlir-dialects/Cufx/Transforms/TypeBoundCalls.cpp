#include "mlir-dialects/Cufx/Transforms/TypeBoundCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

SmallVector<fir::DTEntryOp> cufort::cufx::bindingsOf(ModuleOp module, StringRef record) {
  auto info = module.lookupSymbol<fir::TypeInfoOp>(record);
  if (!info || info.getDispatchTable().empty())
    return {};
  return llvm::to_vector(info.getDispatchTable().getOps<fir::DTEntryOp>());
}

fir::DTEntryOp cufort::cufx::findBinding(ModuleOp module, fir::RecordType record, StringRef method) {
  for (fir::DTEntryOp binding : bindingsOf(module, record.getName()))
    if (binding.getMethod() == method)
      return binding;
  return {};
}

fir::RecordType cufort::cufx::declaredType(fir::DispatchOp dispatch) {
  return dyn_cast_or_null<fir::RecordType>(cast<fir::ClassType>(dispatch.getObject().getType()).unwrapInnerType());
}

void cufort::cufx::callThroughDescription(ModuleOp module, fir::DispatchOp dispatch) {
  SmallVector<fir::DTEntryOp> bindings = bindingsOf(module, declaredType(dispatch).getName());
  int64_t slot =
      llvm::find_if(bindings, [&](fir::DTEntryOp binding) { return binding.getMethod() == dispatch.getMethod(); }) -
      bindings.begin();
  OpBuilder builder(dispatch);
  Location loc = dispatch.getLoc();
  Type address = fir::ReferenceType::get(builder.getI8Type());
  Type table = fir::ReferenceType::get(fir::SequenceType::get({fir::SequenceType::getUnknownExtent()}, address));
  Value description =
      fir::BoxTypeDescOp::create(builder, loc, fir::TypeDescType::get(builder.getNoneType()), dispatch.getObject());
  Value procedures = fir::ConvertOp::create(builder, loc, table, description);
  // Behind the parent's description and the function that gives initial values.
  Value index = arith::ConstantIndexOp::create(builder, loc, slot + 2);
  Value place = fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(address), procedures, index);
  Value procedure = fir::LoadOp::create(builder, loc, place);
  auto type = FunctionType::get(builder.getContext(), dispatch.getArgs().getTypes(), dispatch.getResultTypes());
  SmallVector<Value> operands{fir::ConvertOp::create(builder, loc, type, procedure)};
  llvm::append_range(operands, dispatch.getArgs());
  auto call =
      fir::CallOp::create(builder, loc, SymbolRefAttr(), SmallVector<Type>(dispatch.getResultTypes()), operands);
  dispatch.replaceAllUsesWith(call.getResults());
  dispatch.erase();
}
