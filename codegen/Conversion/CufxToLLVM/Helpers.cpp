// Small steps that lowerings of cufx operations share.

#include "codegen/Conversion/CufxToLLVM/Helpers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Path.h"

using namespace mlir;

/// The operation that holds the symbols of `op`'s module.
static ModuleOp symbolTableOf(Operation *op) { return op->getParentOfType<ModuleOp>(); }

Value cufort::codegen::createExternalCall(OpBuilder &builder, Operation *op, StringRef name, Type result,
                                          ValueRange arguments) {
  ModuleOp module = symbolTableOf(op);
  if (!result)
    result = LLVM::LLVMVoidType::get(builder.getContext());
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments.getTypes()));
    function = LLVM::LLVMFuncOp::create(builder, op->getLoc(), name, type);
  }
  auto call = LLVM::CallOp::create(builder, op->getLoc(), function, arguments);
  return call.getNumResults() ? call.getResult() : Value();
}

Value cufort::codegen::createI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(value));
}

Value cufort::codegen::createText(OpBuilder &builder, Operation *op, StringRef text) {
  ModuleOp module = symbolTableOf(op);
  std::string stored = text.str();
  stored.push_back('\0');
  StringAttr value = builder.getStringAttr(stored);
  LLVM::GlobalOp global;
  unsigned number = 0;
  for (auto existing : module.getOps<LLVM::GlobalOp>()) {
    if (!existing.getSymName().starts_with("__cufx_text"))
      continue;
    ++number;
    if (existing.getValueOrNull() == value)
      global = existing;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), stored.size());
    global = LLVM::GlobalOp::create(builder, op->getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                    "__cufx_text" + std::to_string(number), value);
  }
  return LLVM::AddressOfOp::create(builder, op->getLoc(), global);
}

Value cufort::codegen::createSourcePosition(OpBuilder &builder, Operation *op) {
  auto position = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!position)
    return LLVM::ZeroOp::create(builder, op->getLoc(), LLVM::LLVMPointerType::get(builder.getContext()));
  StringRef file = llvm::sys::path::filename(position.getFilename().getValue());
  return createText(builder, op, (file + ":" + llvm::Twine(position.getLine())).str());
}

Value cufort::codegen::createEntryAlloca(OpBuilder &builder, Operation *op, Type type) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = op->getParentOfType<FunctionOpInterface>();
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  Value one = LLVM::ConstantOp::create(builder, op->getLoc(), builder.getI64Type(), builder.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(builder, op->getLoc(), LLVM::LLVMPointerType::get(builder.getContext()), type, one);
}

Value cufort::codegen::createVprintfBuffer(OpBuilder &builder, Operation *op, ValueRange values) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (values.empty())
    return LLVM::ZeroOp::create(builder, op->getLoc(), pointer);
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::to_vector(values.getTypes()));
  Value buffer = createEntryAlloca(builder, op, type);
  for (auto [index, value] : llvm::enumerate(values)) {
    Value field = LLVM::GEPOp::create(builder, op->getLoc(), pointer, type, buffer,
                                      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, op->getLoc(), value, field);
  }
  return buffer;
}
