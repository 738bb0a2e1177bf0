// The innermost loop runs over threadIdx%x: it is what LLVM vectorises.

#include "codegen/DeviceLink/EmulatedLoops.h"
#include "codegen/DeviceLink/ParallelThreads.h"
#include "codegen/DeviceLink/Phases.h"
#include "runtime/ABI/EmulatedABI.h"
#include "llvm/IR/MDBuilder.h"
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

  BranchInst *end(IRBuilder<> &builder) { return end(builder, ConstantInt::get(counter->getType(), 1)); }
  BranchInst *end(IRBuilder<> &builder, Value *step) {
    // Grids have fewer than 2**63 threads, blocks fewer than 2**31.
    Value *next = builder.CreateAdd(counter, step, "", /*HasNUW=*/true, /*HasNSW=*/true);
    counter->addIncoming(next, builder.GetInsertBlock());
    BranchInst *latch = builder.CreateBr(head);
    builder.SetInsertPoint(exit);
    return latch;
  }
};

/// What is the same for all blocks of `range`.
EmulatedBlock loadCommonParts(IRBuilder<> &builder, Value *range) {
  auto load = [&](Type *type, uint64_t offset) { return loadOfRange(builder, type, range, offset); };
  EmulatedBlock block = {};
  block.range = range;
  block.thread = load(builder.getPtrTy(), offsetof(CufortEmuBlocks, thread));
  for (unsigned axis = 0; axis < 3; ++axis) {
    auto *blockDim = cast<LoadInst>(load(builder.getInt32Ty(), offsetof(CufortEmuBlocks, blockDim) + 4 * axis));
    // No launch has blocks without threads: the loops over them need no way round, nor copies for it.
    blockDim->setMetadata(LLVMContext::MD_range,
                          MDBuilder(builder.getContext()).createRange(APInt(32, 1), APInt(32, emulatedThreads + 1)));
    block.identity[IdentityBlockDim + axis] = blockDim;
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

void cufort::codegen::createRowLoop(IRBuilder<> &builder, Value *range,
                                    function_ref<void(const EmulatedBlock &)> emit) {
  EmulatedBlock block = loadCommonParts(builder, range);
  Value *first = loadOfRange(builder, builder.getInt64Ty(), range, offsetof(CufortEmuBlocks, first));
  Value *end = loadOfRange(builder, builder.getInt64Ty(), range, offsetof(CufortEmuBlocks, end));
  Loop rows = Loop::begin(builder, first, end, "row");
  block.number = rows.counter;
  setBlockIndex(builder, block);
  Value *inRow = builder.CreateSub(block.identity[IdentityGridDim], block.identity[IdentityBlockIdx]);
  Value *left = builder.CreateSub(end, block.number);
  Value *blocks = builder.CreateBinaryIntrinsic(Intrinsic::umin, builder.CreateZExt(inRow, builder.getInt64Ty()), left);
  block.threadsX =
      builder.CreateMul(builder.CreateTrunc(blocks, builder.getInt32Ty()), block.identity[IdentityBlockDim]);
  emit(block);
  rows.end(builder, blocks);
}

/// Extents, in blocks, of the largest box that begins with block `number` and ends before block `end`.
static void setBox(IRBuilder<> &builder, const EmulatedBlock &block, Value *end, Value *extents[3]) {
  Type *i64 = builder.getInt64Ty();
  Value *one = builder.getInt64(1);
  auto wide = [&](unsigned part) { return builder.CreateZExt(block.identity[part], i64); };
  Value *left = builder.CreateSub(end, block.number), *row = wide(IdentityGridDim);
  Value *plane = builder.CreateNUWMul(row, wide(IdentityGridDim + 1));
  auto beginsAt = [&](unsigned axis) { return builder.CreateIsNull(block.identity[IdentityBlockIdx + axis]); };
  Value *inRow = builder.CreateBinaryIntrinsic(Intrinsic::umin, left, builder.CreateSub(row, wide(IdentityBlockIdx)));
  Value *rows = builder.CreateBinaryIntrinsic(Intrinsic::umin, builder.CreateUDiv(left, row),
                                              builder.CreateSub(wide(IdentityGridDim + 1), wide(IdentityBlockIdx + 1)));
  Value *wholeRows = builder.CreateAnd(beginsAt(0), builder.CreateICmpUGE(left, row));
  Value *wholePlanes = builder.CreateAnd(builder.CreateAnd(wholeRows, beginsAt(1)), builder.CreateICmpUGE(left, plane));
  extents[0] = inRow;
  extents[1] = builder.CreateSelect(wholeRows, rows, one);
  extents[2] = builder.CreateSelect(wholePlanes, builder.CreateUDiv(left, plane), one);
}

void cufort::codegen::createBoxLoop(IRBuilder<> &builder, Value *range,
                                    function_ref<void(ArrayRef<Value *> identity)> emit) {
  EmulatedBlock block = loadCommonParts(builder, range);
  Value *first = loadOfRange(builder, builder.getInt64Ty(), range, offsetof(CufortEmuBlocks, first));
  Value *end = loadOfRange(builder, builder.getInt64Ty(), range, offsetof(CufortEmuBlocks, end));
  Loop boxes = Loop::begin(builder, first, end, "box");
  block.number = boxes.counter;
  setBlockIndex(builder, block);
  Value *extents[3];
  setBox(builder, block, end, extents);
  SmallVector<Value *> identity(block.identity, block.identity + IdentityCount);
  for (unsigned axis = 0; axis < 3; ++axis) {
    identity[IdentityThreadIdx + axis] = builder.getInt32(0);
    identity[IdentitySpan + axis] = builder.CreateMul(extents[axis], wideBlockDim(builder, block, axis));
  }
  emit(identity);
  boxes.end(builder, builder.CreateMul(builder.CreateMul(extents[0], extents[1]), extents[2]));
}

Value *cufort::codegen::countThreads(IRBuilder<> &builder, const EmulatedBlock &block) {
  Value *plane = builder.CreateNUWMul(wideBlockDim(builder, block, 0), wideBlockDim(builder, block, 1));
  return builder.CreateNUWMul(plane, wideBlockDim(builder, block, 2));
}

void cufort::codegen::createThreadLoops(IRBuilder<> &builder, const EmulatedBlock &block, bool storeIdentity,
                                        MDNode *accesses, function_ref<void(ArrayRef<Value *>, Value *)> emit) {
  Type *i64 = builder.getInt64Ty();
  Value *zero = builder.getInt32(0);
  ArrayRef<Value *> blockDim = ArrayRef(block.identity).slice(IdentityBlockDim, 3);
  Loop z = Loop::begin(builder, zero, blockDim[2], "z");
  Value *planeRows = builder.CreateNUWMul(builder.CreateZExt(z.counter, i64), wideBlockDim(builder, block, 1));
  Loop y = Loop::begin(builder, zero, blockDim[1], "y");
  Value *row = builder.CreateNUWAdd(planeRows, builder.CreateZExt(y.counter, i64));
  Value *rowStart = builder.CreateNUWMul(row, wideBlockDim(builder, block, 0));
  Loop x = Loop::begin(builder, zero, block.threadsX ? block.threadsX : blockDim[0], "x");
  SmallVector<Value *> identity = {x.counter, y.counter, z.counter};
  append_range(identity, drop_begin(block.identity, 3));
  if (storeIdentity)
    storeIndices(builder, block.thread, identity);
  emit(identity, builder.CreateNUWAdd(rowStart, builder.CreateZExt(x.counter, i64)));
  markLoopOfThreads(*x.end(builder), accesses);
  y.end(builder);
  z.end(builder);
}

void cufort::codegen::createThreadLoops(IRBuilder<> &builder, const EmulatedBlock &block, Value *first, Value *end,
                                        bool storeIdentity, MDNode *accesses,
                                        function_ref<void(ArrayRef<Value *>, Value *)> emit) {
  Type *i64 = builder.getInt64Ty(), *i32 = builder.getInt32Ty();
  ArrayRef<Value *> blockDim = ArrayRef(block.identity).slice(IdentityBlockDim, 3);
  end = builder.CreateTrunc(end, i32);
  Loop rows = Loop::begin(builder, builder.CreateTrunc(first, i32), end, "row");
  Value *firstX = builder.CreateURem(rows.counter, blockDim[0]);
  Value *row = builder.CreateUDiv(rows.counter, blockDim[0]);
  Value *count = builder.CreateBinaryIntrinsic(Intrinsic::umin, builder.CreateSub(blockDim[0], firstX),
                                               builder.CreateSub(end, rows.counter));
  Value *rowStart = builder.CreateZExt(builder.CreateSub(rows.counter, firstX), i64);
  Loop x = Loop::begin(builder, firstX, builder.CreateNUWAdd(firstX, count), "x");
  SmallVector<Value *> identity = {x.counter, builder.CreateURem(row, blockDim[1]),
                                   builder.CreateUDiv(row, blockDim[1])};
  append_range(identity, drop_begin(block.identity, 3));
  if (storeIdentity)
    storeIndices(builder, block.thread, identity);
  emit(identity, builder.CreateNUWAdd(rowStart, builder.CreateZExt(x.counter, i64)));
  markLoopOfThreads(*x.end(builder), accesses);
  rows.end(builder, count);
}
