#include "mlir-dialects/Cufx/Transforms/Calls.h"

using namespace mlir;

StringRef cufort::cufx::calleeName(fir::CallOp call) {
  return call.getCallee() ? call.getCallee()->getRootReference().getValue() : StringRef();
}

func::FuncOp cufort::cufx::definedCallee(fir::CallOp call) {
  auto callee = call.getCallee();
  auto func = callee ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, *callee) : func::FuncOp();
  return func && !func.isDeclaration() ? func : func::FuncOp();
}

Value cufort::cufx::beforeConversion(Value argument) {
  auto convert = argument.getDefiningOp<fir::ConvertOp>();
  return convert ? convert.getValue() : argument;
}

void cufort::cufx::storeSavedResults(fir::CallOp call) {
  for (Operation *user : llvm::make_early_inc_range(call->getUsers()))
    if (auto save = dyn_cast<fir::SaveResultOp>(user)) {
      OpBuilder builder(save);
      fir::StoreOp::create(builder, save.getLoc(), save.getValue(), save.getMemref());
      save.erase();
    }
}

bool cufort::cufx::onlyReadsArguments(StringRef callee) {
  constexpr StringLiteral names[] = {"Transfer", "Scan",      "Verify",  "Index",   "Adjustl", "Adjustr",   "LenTrim",
                                     "Repeat",   "Character", "Trim",    "Findloc", "Spread",  "PushArray", "Selected",
                                     "Pack",     "Unpack",    "Reshape", "Cshift",  "Eoshift", "Norm2",     "Reduce"};
  return callee.consume_front("_FortranA") &&
         llvm::any_of(names, [&](StringRef name) { return callee.starts_with(name); });
}
