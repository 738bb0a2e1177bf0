// k.blocks becomes
//
//   cufortEmuHasWideVectors() ? k.blocks.wide(params, range) : k.blocks.narrow(params, range)
//
// What both call is inlined into both, which is why this comes before the optimisation.

#include "codegen/DeviceLink/WideVersions.h"
#include "codegen/Support/CloneFunction.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace cufort::codegen;

// Level 3 has accesses under a condition, which loops over threads that are at the end of an array need, beside vectors
// of 32 bytes.
static constexpr StringLiteral wideProcessor = "x86-64-v3";

/// A copy of `blocks` for processors with wide vectors.
static Function *createWide(Function &blocks, const Twine &name) {
  ClonedFunction clone;
  cloneWithParameters(blocks, {}, blocks.getReturnType(), name, clone);
  clone.function->addFnAttr("target-cpu", wideProcessor);
  clone.function->addFnAttr("target-features", "-fma");
  return clone.function;
}

/// A function with the name and type of `narrow` that runs it or `wide`.
static Function *createChoice(Function &narrow, Function &wide) {
  Module &module = *narrow.getParent();
  LLVMContext &context = module.getContext();
  Function *choice = Function::Create(narrow.getFunctionType(), narrow.getLinkage(), "", module);
  choice->takeName(&narrow);
  narrow.setName(choice->getName() + ".narrow");
  IRBuilder<> builder(BasicBlock::Create(context, "", choice));
  Value *hasWide = builder.CreateCall(module.getOrInsertFunction("cufortEmuHasWideVectors", builder.getInt32Ty()));
  auto *runWide = BasicBlock::Create(context, "wide", choice),
       *runNarrow = BasicBlock::Create(context, "narrow", choice);
  builder.CreateCondBr(builder.CreateIsNotNull(hasWide), runWide, runNarrow);
  for (auto [block, version] : {std::pair(runWide, &wide), std::pair(runNarrow, &narrow)}) {
    builder.SetInsertPoint(block);
    version->addFnAttr(Attribute::NoInline);
    builder.CreateCall(version, {choice->getArg(0), choice->getArg(1)})->setTailCall();
    builder.CreateRetVoid();
  }
  return choice;
}

void cufort::codegen::addWideVersions(Module &module, std::vector<EmulatedKernel> &kernels,
                                      const CodegenOptions &options) {
  if (options.cpu != CodegenOptions().cpu || options.optLevel < 2 || !options.vectorize)
    return;
  for (EmulatedKernel &kernel : kernels)
    if (kernel.blocks && !(kernel.flags & CufortEntryChecked))
      kernel.blocks = createChoice(*kernel.blocks, *createWide(*kernel.blocks, kernel.name + ".blocks.wide"));
}
