#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "flang/Optimizer/Builder/BoxValue.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"

using namespace mlir;

Value cufort::codegen::callRuntime(fir::FirOpBuilder &builder, Location loc, func::FuncOp function,
                                   SmallVector<Value> arguments) {
  // The builder does not enter what it declares: it would be looked for among all functions each time.
  if (SymbolTable *symbols = builder.getMLIRSymbolTable(); symbols && !symbols->lookup(function.getSymName()))
    symbols->insert(function);
  ArrayRef<Type> parameters = function.getFunctionType().getInputs();
  if (arguments.size() + 2 == parameters.size()) {
    arguments.push_back(fir::factory::locationToFilename(builder, loc));
    arguments.push_back(fir::factory::locationToLineNo(builder, loc, parameters.back()));
  }
  for (auto [argument, wanted] : llvm::zip_equal(arguments, parameters))
    argument = builder.createConvert(loc, wanted, argument);
  auto result = fir::CallOp::create(builder, loc, function, arguments);
  return result.getNumResults() ? result.getResult(0) : Value();
}

Value cufort::codegen::descriptorAddress(fir::FirOpBuilder &builder, Location loc, Value descriptor) {
  descriptor = cufx::beforeConversion(descriptor);
  Value address = builder.createTemporary(loc, descriptor.getType());
  fir::StoreOp::create(builder, loc, descriptor, address);
  return address;
}

Value cufort::codegen::runtimeText(fir::FirOpBuilder &builder, Location loc, StringRef characters) {
  return fir::getBase(fir::factory::createStringLiteral(builder, loc, (characters + StringRef("\0", 1)).str()));
}
