// Device variables of the emulated device lie in the executable's own data, where a kernel that writes past an array
// would reach the host's variables. So each gets pages of its own and ends close to the end of the last.

#include "codegen/DeviceLink/GuardedVariable.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr uint64_t pageBytes = 4096;

static Constant *zeros(LLVMContext &context, uint64_t bytes) {
  return ConstantAggregateZero::get(ArrayType::get(Type::getInt8Ty(context), bytes));
}

GuardedVariable cufort::codegen::guardVariable(GlobalVariable &variable) {
  const DataLayout &layout = variable.getParent()->getDataLayout();
  uint64_t bytes = layout.getTypeAllocSize(variable.getValueType());
  if (variable.isConstant() || bytes == 0)
    return {&variable, bytes, 0};
  LLVMContext &context = variable.getContext();
  Align align = std::max(layout.getPreferredAlign(&variable), Align(16));
  uint64_t body = alignTo(bytes, align), head = alignTo(body, pageBytes) - body;
  Constant *value = variable.getInitializer();
  if (isa<UndefValue>(value))
    value = Constant::getNullValue(value->getType());
  Constant *fields[] = {zeros(context, head), value, zeros(context, body - bytes + pageBytes)};
  Constant *whole = ConstantStruct::getAnon(context, fields, /*Packed=*/true);
  auto *guarded = new GlobalVariable(*variable.getParent(), whole->getType(), false, GlobalValue::InternalLinkage,
                                     whole, "", nullptr, GlobalValue::NotThreadLocal, variable.getAddressSpace());
  guarded->setAlignment(Align(pageBytes));
  Type *i64 = Type::getInt64Ty(context);
  Constant *address =
      ConstantExpr::getGetElementPtr(Type::getInt8Ty(context), guarded, ConstantInt::get(i64, head), /*InBounds=*/true);
  // With a name of its own: instruction selection takes all of `guarded` for memory that it may load from, and makes
  // one wide load of a narrower one at the end of the variable.
  auto *name = GlobalAlias::create(variable.getValueType(), variable.getAddressSpace(), GlobalValue::InternalLinkage,
                                   "", address, variable.getParent());
  name->takeName(&variable);
  guarded->setName(name->getName() + ".pages");
  variable.replaceAllUsesWith(name);
  variable.eraseFromParent();
  return {name, bytes, pageBytes};
}
