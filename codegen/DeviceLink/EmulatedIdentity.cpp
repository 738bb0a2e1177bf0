// Reading and making thread identities. Layouts: runtime/ABI/EmulatedABI.h.

#include "codegen/DeviceLink/EmulatedIdentity.h"
#include "codegen/Conversion/CufxToEmulated/CufxToEmulated.h"
#include "runtime/ABI/EmulatedABI.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace cufort::codegen;

static_assert(offsetof(CufortEmuThread, threadIdx) == 0 && offsetof(CufortEmuThread, blockIdx) == 12 &&
                  offsetof(CufortEmuThread, blockDim) == 24 && offsetof(CufortEmuThread, gridDim) == 36 &&
                  offsetof(CufortEmuThread, clusterDim) == 48,
              "identity parts 0 to 14 are consecutive 32-bit words");

SmallVector<Type *> cufort::codegen::identityTypes(LLVMContext &context) {
  SmallVector<Type *> types(IdentitySharedBase, Type::getInt32Ty(context));
  types.append(2, PointerType::get(context, 0));
  return types;
}

Value *cufort::codegen::loadCurrentThread(IRBuilder<> &builder) {
  Module &module = *builder.GetInsertBlock()->getModule();
  auto *variable = cast<GlobalVariable>(module.getOrInsertGlobal("cufortEmuThread", builder.getPtrTy()));
  variable->setThreadLocalMode(GlobalValue::GeneralDynamicTLSModel);
  return builder.CreateLoad(builder.getPtrTy(), builder.CreateThreadLocalAddress(variable));
}

/// Bytes from the start of CufortEmuThread.
static uint64_t offsetOf(unsigned part) {
  if (part == IdentitySharedBase)
    return offsetof(CufortEmuThread, sharedBase);
  if (part == IdentityDynamicShared)
    return offsetof(CufortEmuThread, dynamicShared);
  return 4 * part;
}

static Type *typeOf(IRBuilder<> &builder, unsigned part) {
  return part < IdentitySharedBase ? static_cast<Type *>(builder.getInt32Ty()) : builder.getPtrTy();
}

static Value *fieldAddress(IRBuilder<> &builder, Value *thread, unsigned part) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread, offsetOf(part));
}

Value *cufort::codegen::loadIdentityField(IRBuilder<> &builder, Value *thread, unsigned part) {
  return builder.CreateLoad(typeOf(builder, part), fieldAddress(builder, thread, part));
}

SmallVector<Value *> cufort::codegen::loadIdentity(IRBuilder<> &builder, Value *thread) {
  SmallVector<Value *> parts;
  for (unsigned part = 0; part < IdentityCount; ++part)
    parts.push_back(loadIdentityField(builder, thread, part));
  return parts;
}

namespace {

/// What a function stands for: the part `part`, or its remainder by `divisor`.
struct IdentityRead {
  unsigned part = IdentityCount;
  unsigned divisor = IdentityCount;

  static std::optional<IdentityRead> of(StringRef function) {
    if (!function.consume_front(extentFunctionPrefix))
      return std::nullopt;
    unsigned axis = function.back() - 'x';
    function = function.drop_back(2);
    // Clusters begin at multiples of their extents.
    if (function == "cluster_block_idx")
      return IdentityRead{IdentityBlockIdx + axis, IdentityClusterDim + axis};
    unsigned first = StringSwitch<unsigned>(function)
                         .Case("thread_idx", IdentityThreadIdx)
                         .Case("block_idx", IdentityBlockIdx)
                         .Case("block_dim", IdentityBlockDim)
                         .Case("grid_dim", IdentityGridDim)
                         .Case("cluster_dim", IdentityClusterDim)
                         .Default(IdentityCount);
    return first == IdentityCount ? std::nullopt : std::optional(IdentityRead{first + axis});
  }
};

} // namespace

bool cufort::codegen::replaceIdentityReads(Function &function,
                                           function_ref<Value *(unsigned, IRBuilder<> &)> replacement) {
  SmallVector<std::pair<CallInst *, IdentityRead>> reads;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction); call && call->getCalledFunction())
        if (auto read = IdentityRead::of(call->getCalledFunction()->getName()))
          reads.emplace_back(call, *read);
  for (auto [call, read] : reads) {
    IRBuilder<> builder(call);
    Value *value = replacement(read.part, builder);
    if (read.divisor != IdentityCount)
      value = builder.CreateURem(value, replacement(read.divisor, builder));
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
  return !reads.empty();
}

/// Stores the index of the thread and of its block.
static void storeIndices(IRBuilder<> &builder, Value *thread, ArrayRef<Value *> identity) {
  for (unsigned part = IdentityThreadIdx; part < IdentityBlockDim; ++part)
    builder.CreateStore(identity[part], fieldAddress(builder, thread, part));
}

SmallVector<CallInst *> cufort::codegen::trapsOf(Function &function) {
  SmallVector<CallInst *> traps;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction(); callee && callee->getName() == "cufortEmuTrap")
          traps.push_back(call);
  return traps;
}

void cufort::codegen::storeIdentityBeforeTraps(Function &body, ArrayRef<Value *> identity) {
  for (CallInst *trap : trapsOf(body)) {
    IRBuilder<> builder(trap);
    storeIndices(builder, loadCurrentThread(builder), identity);
  }
}

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

} // namespace

void cufort::codegen::createBlockLoops(IRBuilder<> &builder, Value *range, bool storeIdentity,
                                       function_ref<void(ArrayRef<Value *>)> body) {
  auto load = [&](Type *type, uint64_t offset) {
    return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), range, offset));
  };
  Type *i64 = builder.getInt64Ty(), *i32 = builder.getInt32Ty();
  Value *first = load(i64, offsetof(CufortEmuBlocks, first)), *end = load(i64, offsetof(CufortEmuBlocks, end));
  Value *blockDim[3], *gridDim[3];
  for (unsigned axis = 0; axis < 3; ++axis) {
    blockDim[axis] = load(i32, offsetof(CufortEmuBlocks, blockDim) + 4 * axis);
    gridDim[axis] = load(i32, offsetof(CufortEmuBlocks, gridDim) + 4 * axis);
  }
  Value *thread = load(builder.getPtrTy(), offsetof(CufortEmuBlocks, thread));
  Value *clusterDim[3];
  for (unsigned axis = 0; axis < 3; ++axis)
    clusterDim[axis] = loadIdentityField(builder, thread, IdentityClusterDim + axis);
  Value *sharedBase = loadIdentityField(builder, thread, IdentitySharedBase);
  Value *dynamicShared = loadIdentityField(builder, thread, IdentityDynamicShared);

  Loop blocks = Loop::begin(builder, first, end, "block");
  Value *wideX = builder.CreateZExt(gridDim[0], i64), *wideY = builder.CreateZExt(gridDim[1], i64);
  Value *blockX = builder.CreateTrunc(builder.CreateURem(blocks.counter, wideX), i32);
  Value *rest = builder.CreateUDiv(blocks.counter, wideX);
  Value *blockY = builder.CreateTrunc(builder.CreateURem(rest, wideY), i32);
  Value *blockZ = builder.CreateTrunc(builder.CreateUDiv(rest, wideY), i32);
  Value *zero = builder.getInt32(0);
  Loop z = Loop::begin(builder, zero, blockDim[2], "z");
  Loop y = Loop::begin(builder, zero, blockDim[1], "y");
  Loop x = Loop::begin(builder, zero, blockDim[0], "x");
  Value *identity[IdentityCount] = {x.counter,     y.counter,     z.counter,     blockX,     blockY,       blockZ,
                                    blockDim[0],   blockDim[1],   blockDim[2],   gridDim[0], gridDim[1],   gridDim[2],
                                    clusterDim[0], clusterDim[1], clusterDim[2], sharedBase, dynamicShared};
  if (storeIdentity)
    storeIndices(builder, thread, identity);
  body(identity);
  for (Loop *loop : {&x, &y, &z, &blocks})
    loop->end(builder);
}
