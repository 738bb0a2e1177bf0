// The innermost loop runs over threadIdx%x: it is what LLVM vectorises.

#include "codegen/DeviceLink/EmulatedLoops.h"
#include "runtime/ABI/EmulatedABI.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// A counted loop; the builder stands in its body after begin() and behind it after end().
struct Loop {
  PHINode *counter;
  BasicBlock *head, *exit;

  static Loop begin(IRBuilder<> &builder, Value *first, Value *end, const Twine &name) {
    BasicBlock *before = builder.GetInsertBlock();
    Function *function = before->getParent();
    LLVMContext &context = function->getContext();
    Loop loop;
    loop.head = BasicBlock::Create(context, name + ".head", function);
    auto *body = BasicBlock::Create(context, name + ".body", function);
    loop.exit = BasicBlock::Create(context, name + ".exit", function);
    builder.CreateBr(loop.head);
    builder.SetInsertPoint(loop.head);
    loop.counter = builder.CreatePHI(first->getType(), 2, name);
    loop.counter->addIncoming(first, before);
    builder.CreateCondBr(builder.CreateICmpULT(loop.counter, end), body, loop.exit);
    builder.SetInsertPoint(body);
    return loop;
  }

  void end(IRBuilder<> &builder) {
    Value *next = builder.CreateNUWAdd(counter, ConstantInt::get(counter->getType(), 1));
    counter->addIncoming(next, builder.GetInsertBlock());
    builder.CreateBr(head);
    builder.SetInsertPoint(exit);
  }
};

/// What is the same for all blocks of `range`.
EmulatedBlock loadCommonParts(IRBuilder<> &builder, Value *range) {
  auto load = [&](Type *type, uint64_t offset) { return loadOfRange(builder, type, range, offset); };
  EmulatedBlock block = {};
  block.range = range;
  block.thread = load(builder.getPtrTy(), offsetof(CufortEmuBlocks, thread));
  for (unsigned axis = 0; axis < 3; ++axis) {
    block.identity[IdentityBlockDim + axis] =
        load(builder.getInt32Ty(), offsetof(CufortEmuBlocks, blockDim) + 4 * axis);
    block.identity[IdentityGridDim + axis] = load(builder.getInt32Ty(), offsetof(CufortEmuBlocks, gridDim) + 4 * axis);
  }
  for (unsigned part = IdentityClusterDim; part < IdentityCount; ++part)
    block.identity[part] = loadIdentityField(builder, block.thread, part);
  return block;
}

/// Sets the index of block `number`.
void setBlockIndex(IRBuilder<> &builder, EmulatedBlock &block) {
  Type *i64 = builder.getInt64Ty(), *i32 = builder.getInt32Ty();
  Value *wideX = builder.CreateZExt(block.identity[IdentityGridDim], i64);
  Value *wideY = builder.CreateZExt(block.identity[IdentityGridDim + 1], i64);
  Value *rest = builder.CreateUDiv(block.number, wideX);
  block.identity[IdentityBlockIdx] = builder.CreateTrunc(builder.CreateURem(block.number, wideX), i32);
  block.identity[IdentityBlockIdx + 1] = builder.CreateTrunc(builder.CreateURem(rest, wideY), i32);
  block.identity[IdentityBlockIdx + 2] = builder.CreateTrunc(builder.CreateUDiv(rest, wideY), i32);
}

Value *wideBlockDim(IRBuilder<> &builder, const EmulatedBlock &block, unsigned axis) {
  return builder.CreateZExt(block.identity[IdentityBlockDim + axis], builder.getInt64Ty());
}

} // namespace

Value *cufort::codegen::loadOfRange(IRBuilder<> &builder, Type *type, Value *range, uint64_t offset) {
  return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), range, offset));
}

void cufort::codegen::createBlockLoop(IRBuilder<> &builder, Value *range,
                                      function_ref<void(const EmulatedBlock &)> emit) {
  EmulatedBlock block = loadCommonParts(builder, range);
  Value *first = loadOfRange(builder, builder.getInt64Ty(), range, offsetof(CufortEmuBlocks, first));
  Value *end = loadOfRange(builder, builder.getInt64Ty(), range, offsetof(CufortEmuBlocks, end));
  Loop blocks = Loop::begin(builder, first, end, "block");
  block.number = blocks.counter;
  setBlockIndex(builder, block);
  emit(block);
  blocks.end(builder);
}

Value *cufort::codegen::countThreads(IRBuilder<> &builder, const EmulatedBlock &block) {
  Value *plane = builder.CreateNUWMul(wideBlockDim(builder, block, 0), wideBlockDim(builder, block, 1));
  return builder.CreateNUWMul(plane, wideBlockDim(builder, block, 2));
}

void cufort::codegen::createThreadLoops(IRBuilder<> &builder, const EmulatedBlock &block, bool storeIdentity,
                                        function_ref<void(ArrayRef<Value *>, Value *)> emit) {
  Type *i64 = builder.getInt64Ty();
  Value *zero = builder.getInt32(0);
  ArrayRef<Value *> blockDim = ArrayRef(block.identity).slice(IdentityBlockDim, 3);
  Loop z = Loop::begin(builder, zero, blockDim[2], "z");
  Value *planeRows = builder.CreateNUWMul(builder.CreateZExt(z.counter, i64), wideBlockDim(builder, block, 1));
  Loop y = Loop::begin(builder, zero, blockDim[1], "y");
  Value *row = builder.CreateNUWAdd(planeRows, builder.CreateZExt(y.counter, i64));
  Value *rowStart = builder.CreateNUWMul(row, wideBlockDim(builder, block, 0));
  Loop x = Loop::begin(builder, zero, blockDim[0], "x");
  SmallVector<Value *> identity = {x.counter, y.counter, z.counter};
  append_range(identity, drop_begin(block.identity, 3));
  if (storeIdentity)
    storeIndices(builder, block.thread, identity);
  emit(identity, builder.CreateNUWAdd(rowStart, builder.CreateZExt(x.counter, i64)));
  for (Loop *loop : {&x, &y, &z})
    loop->end(builder);
}
