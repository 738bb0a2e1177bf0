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
  types.append(IdentityCount - IdentitySpan, Type::getInt64Ty(context));
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
  if (part >= IdentitySpan)
    return builder.getInt64(1);
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

void cufort::codegen::storeIndices(IRBuilder<> &builder, Value *thread, ArrayRef<Value *> identity) {
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
