#include "codegen/RuntimeCalls/SelectServiceProcedures.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace {

bool isInteger(Type type) { return fir::unwrapRefType(type).isInteger(32); }

/// What `call` names. Calls with other arguments than the first of a source has go by the converted address.
StringAttr nameOf(fir::CallOp call) {
  if (auto callee = call.getCallee())
    return callee->getRootReference();
  auto convert = call.getArgs().front().getDefiningOp<fir::ConvertOp>();
  auto address = convert ? convert.getValue().getDefiningOp<fir::AddrOfOp>() : fir::AddrOfOp();
  return address ? address.getSymbol().getRootReference() : StringAttr();
}

/// The service procedure that `call` names, or null. Looking for each procedure would take long where there are many.
func::FuncOp namedProcedure(fir::CallOp call, ModuleOp module) {
  constexpr StringRef names[] = {"_QPidate", "_QPaccess", "_QPexit"};
  StringAttr name = nameOf(call);
  return name && llvm::is_contained(names, name.getValue()) ? module.lookupSymbol<func::FuncOp>(name) : func::FuncOp();
}

ValueRange argumentsOf(fir::CallOp call) { return ValueRange(call.getArgs()).drop_front(call.getCallee() ? 0 : 1); }

/// The name of the runtime's procedure (ServiceProcedures.h) that `call` of `own` is for; empty if it stays.
StringRef selected(fir::CallOp call, func::FuncOp own) {
  if (!own || !own.isDeclaration())
    return {};
  auto types = argumentsOf(call).getTypes();
  if (own.getSymName() == "_QPidate" && llvm::range_size(types) == 3 && llvm::all_of(types, isInteger))
    return "cufortIdate";
  bool areStrings = llvm::range_size(types) == 2 && llvm::all_of(types, llvm::IsaPred<fir::BoxCharType>);
  bool isCode = call.getNumResults() == 1 && call.getResult(0).getType().isInteger(32);
  return own.getSymName() == "_QPaccess" && areStrings && isCode ? "cufortAccess" : "";
}

/// EXIT takes the status from its argument, which programs leave away. A procedure of theirs without arguments does not
/// look at it.
bool isExitWithoutStatus(fir::CallOp call, func::FuncOp own) {
  return own && own.isDeclaration() && own.getSymName() == "_QPexit" && argumentsOf(call).empty();
}

void passStatus(fir::CallOp call, func::FuncOp own) {
  OpBuilder builder(call), atStart = OpBuilder::atBlockBegin(&call->getParentOfType<func::FuncOp>().front());
  Location loc = call.getLoc();
  Type number = builder.getI32Type();
  Value status = fir::AllocaOp::create(atStart, loc, number);
  fir::StoreOp::create(builder, loc, arith::ConstantIntOp::create(builder, loc, 0, 32), status);
  auto type = builder.getFunctionType(status.getType(), call.getResultTypes());
  Value address = fir::AddrOfOp::create(builder, loc, own.getFunctionType(), SymbolRefAttr::get(own));
  SmallVector<Value> operands{fir::ConvertOp::create(builder, loc, type, address), status};
  SmallVector<Type> results(call.getResultTypes());
  call.replaceAllUsesWith(fir::CallOp::create(builder, loc, SymbolRefAttr(), results, operands).getResults());
  call.erase();
}

struct SelectServiceProcedures : PassWrapper<SelectServiceProcedures, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SelectServiceProcedures)
  StringRef getArgument() const override { return "cufx-select-service-procedures"; }

  void runOnOperation() override {
    SmallVector<std::pair<fir::CallOp, StringRef>> found;
    SmallVector<fir::CallOp> exits;
    getOperation().walk([&](fir::CallOp call) {
      func::FuncOp own = namedProcedure(call, getOperation());
      if (StringRef name = selected(call, own); !name.empty())
        found.emplace_back(call, name);
      else if (isExitWithoutStatus(call, own))
        exits.push_back(call);
    });
    for (fir::CallOp call : exits)
      passStatus(call, namedProcedure(call, getOperation()));
    for (auto [call, name] : found)
      callProcedure(call, name);
  }

  /// The address of what the program names comes before the arguments.
  void callProcedure(fir::CallOp call, StringRef name) {
    OpBuilder builder(call);
    Location loc = call.getLoc();
    func::FuncOp own = namedProcedure(call, getOperation());
    Value address = fir::AddrOfOp::create(builder, loc, own.getFunctionType(), SymbolRefAttr::get(own));
    SmallVector<Value> arguments(argumentsOf(call));
    arguments.insert(arguments.begin(),
                     fir::ConvertOp::create(builder, loc, fir::LLVMPointerType::get(builder.getI8Type()), address));
    auto function = getOperation().lookupSymbol<func::FuncOp>(name);
    if (!function) {
      OpBuilder atEnd = OpBuilder::atBlockEnd(getOperation().getBody());
      SmallVector<Type> types(ValueRange(arguments).getTypes());
      function = func::FuncOp::create(atEnd, loc, name, builder.getFunctionType(types, call.getResultTypes()));
      function.setPrivate();
    }
    call.replaceAllUsesWith(fir::CallOp::create(builder, loc, function, arguments));
    call.erase();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createSelectServiceProcedures() {
  return std::make_unique<SelectServiceProcedures>();
}
