#include "codegen/DeviceLink/MemoryWaits.h"
#include "codegen/Device/DeviceLLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Instructions for each access to memory up to which a kernel with loops does little else.
constexpr size_t fewInstructions = 8;
/// Instructions of a round, or of a kernel without loops, for each of its loads up to which it waits for them.
constexpr size_t manyInstructions = 64;

enum class Memory { None, Shared, Constant, Other };

Memory loadedFrom(const Instruction &instruction) {
  auto *load = dyn_cast<LoadInst>(&instruction);
  if (!load)
    return Memory::None;
  auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(load->getPointerOperand()));
  if (variable && variable->isConstant())
    return Memory::Constant;
  return variable && variable->getAddressSpace() == 3 ? Memory::Shared : Memory::Other;
}

/// True if `blocks` do not calculate much with what they load.
bool waitFor(ArrayRef<const BasicBlock *> blocks) {
  size_t loads = 0, instructions = 0;
  for (const BasicBlock *block : blocks) {
    instructions += block->size();
    loads += count_if(*block, [](const Instruction &each) { return loadedFrom(each) == Memory::Other; });
  }
  return loads && instructions <= manyInstructions * loads;
}

bool waitsForMemory(Function &kernel, const LoopInfo &loops) {
  if (loops.empty())
    return waitFor(SmallVector<const BasicBlock *>(make_pointer_range(kernel)));
  auto isAccess = [](const Instruction &each) {
    return isa<StoreInst>(each) || (isa<LoadInst>(each) && loadedFrom(each) != Memory::Constant);
  };
  size_t accesses = count_if(instructions(kernel), isAccess);
  if (kernel.getInstructionCount() <= fewInstructions * accesses)
    return true;
  return any_of(loops.getLoopsInPreorder(), [](const Loop *loop) {
    return loop->isInnermost() && waitFor(SmallVector<const BasicBlock *>(loop->blocks()));
  });
}

} // namespace

bool cufort::codegen::isOfLoops(const Function &kernel) { return kernel.getName().starts_with("_QQcufkernel"); }

bool cufort::codegen::isBounded(const Function &kernel) { return kernel.hasFnAttribute("nvvm.minctasm"); }

unsigned cufort::codegen::warpsOfBlock(const Function &kernel) {
  constexpr unsigned usualThreads = 256, warp = 32;
  SmallVector<StringRef, 3> extents;
  kernel.getFnAttribute(cufort::codegen::blockShapeFunctionAttribute)
      .getValueAsString()
      .split(extents, ',', -1, /*KeepEmpty=*/false);
  unsigned threads = extents.empty() ? usualThreads : 1, extent;
  for (StringRef each : extents)
    threads *= each.getAsInteger(10, extent) ? 1 : extent;
  return std::max(1u, (threads + warp - 1) / warp);
}

/// Calls `takeUp` with each kernel of `module` whose registers ptxas is to choose, and its loops.
static void forEachWithChoice(Module &module, function_ref<void(Function &kernel, const LoopInfo &loops)> takeUp) {
  for (Function &function : module) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel || function.isDeclaration() || isBounded(function))
      continue;
    DominatorTree tree(function);
    takeUp(function, LoopInfo(tree));
  }
}

static KernelShape shapeOf(const Function &kernel, const LoopInfo &loops) {
  return {warpsOfBlock(kernel), !loops.empty()};
}

StringMap<KernelShape> cufort::codegen::kernelsWithChoice(Module &module) {
  StringMap<KernelShape> result;
  forEachWithChoice(
      module, [&](Function &kernel, const LoopInfo &loops) { result[kernel.getName()] = shapeOf(kernel, loops); });
  return result;
}

StringMap<KernelShape> cufort::codegen::kernelsThatWaitForMemory(Module &module) {
  StringMap<KernelShape> result;
  forEachWithChoice(module, [&](Function &kernel, const LoopInfo &loops) {
    if (waitsForMemory(kernel, loops))
      result[kernel.getName()] = shapeOf(kernel, loops);
  });
  return result;
}

StringMap<KernelShape> cufort::codegen::kernelsOfLoops(Module &module) {
  StringMap<KernelShape> result;
  forEachWithChoice(module, [&](Function &kernel, const LoopInfo &loops) {
    if (isOfLoops(kernel))
      result[kernel.getName()] = shapeOf(kernel, loops);
  });
  return result;
}
