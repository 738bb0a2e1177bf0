// Reductions that follow each other in a block
//
//   reduce_add_r8(value 0, scratch, 0, null)
//   reduce_max_i4(value 1, scratch, 1, variable)
//
// become
//
//   leave_add_r8(value 0, scratch, 0)
//   leave_max_i4(value 1, scratch, 1)
//   if is_last_block(scratch)
//     combine_add_r8(scratch, 0, null)
//     combine_max_i4(scratch, 1, variable)
//     complete_results()
//     mark_result(scratch, 0)

#include "codegen/DeviceLink/GridReductions.h"
#include "codegen/DeviceLink/PartialResults.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

enum Argument : unsigned { Value_, Scratch, Index, Variable };

/// Calls the routine of the device library that takes `step` of a reduction, or of all.
CallInst *createStep(IRBuilder<> &builder, const Twine &step, Type *result, ArrayRef<Value *> arguments) {
  SmallVector<Type *> types(map_range(arguments, [](Value *argument) { return argument->getType(); }));
  Module *module = builder.GetInsertBlock()->getModule();
  auto *type = FunctionType::get(result, types, /*isVarArg=*/false);
  return builder.CreateCall(module->getOrInsertFunction(("__cufx_grid_" + step).str(), type), arguments);
}

/// The kind and type of values that are combined, as in names of routines.
StringRef kindOf(const CallInst &reduction) {
  return reduction.getCalledFunction()->getName().drop_front(reductionPrefix.size());
}

/// `reductions` follow each other in a block.
void join(ArrayRef<CallInst *> reductions) {
  IRBuilder<> builder(reductions.front());
  Type *none = builder.getVoidTy();
  for (CallInst *reduction : reductions) {
    builder.SetInsertPoint(reduction);
    createStep(builder, "leave_" + kindOf(*reduction), none,
               {reduction->getArgOperand(Value_), reduction->getArgOperand(Scratch), reduction->getArgOperand(Index)});
  }
  Value *scratch = reductions.front()->getArgOperand(Scratch);
  CallInst *isLast = createStep(builder, "is_last_block", builder.getInt1Ty(), scratch);
  isLast->addRetAttr(Attribute::ZExt);
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(isLast, reductions.back(), /*Unreachable=*/false));
  for (CallInst *reduction : reductions)
    createStep(builder, "combine_" + kindOf(*reduction), none,
               {scratch, reduction->getArgOperand(Index), reduction->getArgOperand(Variable)});
  auto isForHost = [](CallInst *reduction) { return isa<ConstantPointerNull>(reduction->getArgOperand(Variable)); };
  if (any_of(reductions, isForHost))
    createStep(builder, "complete_results", none, {});
  for (CallInst *reduction : make_filter_range(reductions, isForHost))
    createStep(builder, "mark_result", none, {scratch, reduction->getArgOperand(Index)});
  for (CallInst *reduction : reductions)
    reduction->eraseFromParent();
}

} // namespace

void cufort::codegen::joinGridReductions(Module &module) {
  for (Function &function : module) {
    MapVector<BasicBlock *, SmallVector<CallInst *>> blocks;
    for (CallInst *reduction : reductionsIn(function))
      blocks[reduction->getParent()].push_back(reduction);
    for (auto &[block, reductions] : blocks)
      join(reductions);
  }
}
