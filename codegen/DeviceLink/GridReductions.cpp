// Reductions that follow each other in a block
//
//   reduce_add_r8(value 0, scratch, 0, null)
//   reduce_max_i4(value 1, scratch, 1, variable)
//
// become
//
//   share_add_r8(value 0, partials 0)                 values of warps, in shared memory
//   share_max_i4(value 1, partials 1)
//   barrier()
//   leave_add_r8(partials 0, 0, scratch, 0)           values of blocks, in scratch memory: a warp for each reduction
//   leave_max_i4(partials 1, 1, scratch, 1)
//   if is_last_block(scratch, 0)
//     gather_add_r8(scratch, 0, partials 0)
//     gather_max_i4(scratch, 1, partials 1)
//     barrier()
//     combine_add_r8(partials 0, 0, scratch, 0, null)
//     combine_max_i4(partials 1, 1, scratch, 1, variable)
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

/// The bytes of a value, from the end of `kind`: add_r8, add_c8.
unsigned bytesOf(StringRef kind) {
  unsigned bytes = kind.back() - '0';
  return kind[kind.size() - 2] == 'c' ? 2 * bytes : bytes;
}

/// Shared memory of a group of reductions: a place for each warp of each of them.
class Partials {
public:
  Partials(Module &module, ArrayRef<CallInst *> reductions) {
    unsigned size = 0;
    for (CallInst *reduction : reductions) {
      places.push_back(size);
      size += maxWarps * std::max(bytesOf(kindOf(*reduction)), leastBytes);
    }
    Type *bytes = ArrayType::get(Type::getInt8Ty(module.getContext()), size);
    memory =
        new GlobalVariable(module, bytes, /*isConstant=*/false, GlobalValue::InternalLinkage, PoisonValue::get(bytes),
                           "__cufx_grid_partials", /*InsertBefore=*/nullptr, GlobalValue::NotThreadLocal, sharedMemory);
    memory->setAlignment(Align(16));
  }

  Value *placeOf(IRBuilder<> &builder, unsigned number) const {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, places[number]);
  }

private:
  static constexpr unsigned maxWarps = 32, leastBytes = 4, sharedMemory = 3;
  SmallVector<unsigned> places;
  GlobalVariable *memory;
};

/// Splits reductions that follow each other in a block into steps.
class JointReductions {
public:
  explicit JointReductions(ArrayRef<CallInst *> reductions)
      : reductions(reductions), partials(*reductions.front()->getModule(), reductions), builder(reductions.back()) {}

  void join() {
    // Another group may be reading its values of warps.
    builder.SetInsertPoint(reductions.front());
    createStep(builder, "barrier", none(), {});
    for (auto [number, reduction] : enumerate(reductions)) {
      builder.SetInsertPoint(reduction);
      createStep(builder, "share_" + kindOf(*reduction), none(), {reduction->getArgOperand(Value_), place(number)});
    }
    createStep(builder, "barrier", none(), {});
    for (auto [number, reduction] : enumerate(reductions))
      createStep(builder, "leave_" + kindOf(*reduction), none(),
                 {place(number), builder.getInt32(number), scratch(), reduction->getArgOperand(Index)});
    CallInst *isLast = createStep(builder, "is_last_block", builder.getInt1Ty(),
                                  {scratch(), reductions.front()->getArgOperand(Index)});
    isLast->addRetAttr(Attribute::ZExt);
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(isLast, reductions.back(), /*Unreachable=*/false));
    finishInLastBlock();
    for (CallInst *reduction : reductions)
      reduction->eraseFromParent();
  }

private:
  void finishInLastBlock() {
    for (auto [number, reduction] : enumerate(reductions))
      createStep(builder, "gather_" + kindOf(*reduction), none(),
                 {scratch(), reduction->getArgOperand(Index), place(number)});
    createStep(builder, "barrier", none(), {});
    for (auto [number, reduction] : enumerate(reductions))
      createStep(builder, "combine_" + kindOf(*reduction), none(),
                 {place(number), builder.getInt32(number), scratch(), reduction->getArgOperand(Index),
                  reduction->getArgOperand(Variable)});
    auto isForHost = [](CallInst *reduction) { return isa<ConstantPointerNull>(reduction->getArgOperand(Variable)); };
    if (any_of(reductions, isForHost))
      createStep(builder, "complete_results", none(), {});
    for (CallInst *reduction : make_filter_range(reductions, isForHost))
      createStep(builder, "mark_result", none(), {scratch(), reduction->getArgOperand(Index)});
  }

  Type *none() { return builder.getVoidTy(); }
  Value *scratch() { return reductions.front()->getArgOperand(Scratch); }
  Value *place(unsigned number) { return partials.placeOf(builder, number); }

  ArrayRef<CallInst *> reductions;
  Partials partials;
  IRBuilder<> builder;
};

/// As many values of warps take 4 KB of shared memory at most.
constexpr unsigned mostAtOnce = 8;

} // namespace

void cufort::codegen::joinGridReductions(Module &module) {
  for (Function &function : module) {
    MapVector<BasicBlock *, SmallVector<CallInst *>> blocks;
    for (CallInst *reduction : reductionsIn(function))
      blocks[reduction->getParent()].push_back(reduction);
    for (auto &[block, reductions] : blocks)
      for (ArrayRef<CallInst *> rest = reductions; !rest.empty();
           rest = rest.drop_front(std::min<size_t>(rest.size(), mostAtOnce)))
        JointReductions(rest.take_front(mostAtOnce)).join();
  }
}
