// A partial result is {value, scratch, index, variable, hasValue}: collecting notes where it is to go, so that
// whatever computes these arguments stays inside the body.

#include "codegen/DeviceLink/PartialResults.h"
#include "codegen/Support/CloneFunction.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr StringLiteral collectorPrefix = "__cufx_grid_collect_";

bool cufort::codegen::isGridReduction(const Function &function) {
  return function.getName().starts_with(reductionPrefix) || function.getName().starts_with(collectorPrefix);
}

namespace {

enum Field : unsigned { Value_, Scratch, Index, Variable, HasValue };

StructType *partialType(LLVMContext &context) {
  Type *i32 = Type::getInt32Ty(context);
  // The largest value is a complex(8).
  PointerType *pointer = PointerType::get(context, 0);
  return StructType::get(ArrayType::get(Type::getInt64Ty(context), 2), pointer, i32, pointer, i32);
}

Value *fieldOf(IRBuilder<> &builder, Value *partial, Field field) {
  return builder.CreateStructGEP(partialType(builder.getContext()), partial, field);
}

/// The function that combines values of the kind that `reduction` combines.
Function *collectorFor(Function &reduction) {
  StringRef kind = reduction.getName().drop_front(reductionPrefix.size());
  Function *collector = reduction.getParent()->getFunction((collectorPrefix + kind).str());
  collector->removeFnAttr(Attribute::NoInline);
  collector->addFnAttr(Attribute::AlwaysInline);
  return collector;
}

/// `call` is reduction(value, scratch, index, variable).
void collectInstead(CallInst &call, Value *partial) {
  IRBuilder<> builder(&call);
  for (Field field : {Scratch, Index, Variable})
    builder.CreateStore(call.getArgOperand(field), fieldOf(builder, partial, field));
  builder.CreateCall(collectorFor(*call.getCalledFunction()),
                     {call.getArgOperand(Value_), partial, fieldOf(builder, partial, HasValue)});
  call.eraseFromParent();
}

} // namespace

SmallVector<CallInst *> cufort::codegen::reductionsIn(Function &function) {
  SmallVector<CallInst *> calls;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction(); callee && callee->getName().starts_with(reductionPrefix))
          calls.push_back(call);
  return calls;
}

Function *PartialResults::collectIn(Function &body) {
  for (CallInst *call : reductionsIn(body))
    reductions.push_back(call->getCalledFunction());
  if (reductions.empty())
    return &body;
  SmallVector<Type *> addresses(reductions.size(), PointerType::get(body.getContext(), 0));
  ClonedFunction clone;
  cloneWithParameters(body, addresses, body.getReturnType(), body.getName(), clone);
  unsigned partial = body.arg_size();
  for (CallInst *call : reductionsIn(*clone.function))
    collectInstead(*call, clone.function->getArg(partial++));
  return clone.function;
}

SmallVector<Value *> PartialResults::begin(IRBuilder<> &builder) {
  for (Function *reduction : reductions) {
    Value *partial = builder.CreateAlloca(partialType(builder.getContext()), nullptr, reduction->getName());
    builder.CreateStore(builder.getInt32(0), fieldOf(builder, partial, HasValue));
    partials.push_back(partial);
  }
  return partials;
}

void PartialResults::end(IRBuilder<> &builder) {
  Function *function = builder.GetInsertBlock()->getParent();
  for (auto [reduction, partial] : zip(reductions, partials)) {
    auto *deliver = BasicBlock::Create(builder.getContext(), "deliver", function);
    auto *next = BasicBlock::Create(builder.getContext(), "delivered", function);
    Value *hasValue = builder.CreateLoad(builder.getInt32Ty(), fieldOf(builder, partial, HasValue));
    builder.CreateCondBr(builder.CreateIsNotNull(hasValue), deliver, next);
    builder.SetInsertPoint(deliver);
    SmallVector<Value *> arguments = {partial};
    for (Field field : {Scratch, Index, Variable})
      arguments.push_back(builder.CreateLoad(reduction->getArg(field)->getType(), fieldOf(builder, partial, field)));
    builder.CreateCall(reduction, arguments);
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
  }
}
