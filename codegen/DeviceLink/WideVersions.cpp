// k.blocks becomes
//
//   cufortEmuHasWideVectors() and plain strides ? k.blocks.wide(params, range) : k.blocks.narrow(params, range)
//
// Without wide vectors or with strides the kernel is slow anyway: a version for each of the four cases is not worth the
// time of their compilation, nor are vectors in the narrow version of a long kernel; and if only the processor can ask
// for it, nor is any optimisation.
//
// What both call is inlined into both, which is why this comes before the optimisation.

#include "codegen/DeviceLink/WideVersions.h"
#include "codegen/DeviceLink/ContiguousVersions.h"
#include "codegen/Support/CloneFunction.h"
#include "codegen/Support/LLVMPasses.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace cufort::codegen;

// Level 3 has accesses under a condition, which loops over threads that are at the end of an array need, beside vectors
// of 32 bytes.
static constexpr StringLiteral wideProcessor = "x86-64-v3";

/// Instructions of a thread; kernels with more take long to compile.
static constexpr unsigned manyInstructions = 64;

/// A copy of `blocks` for processors with wide vectors if they are not `sameProcessor`.
static Function *createWide(Function &blocks, const Twine &name, bool sameProcessor) {
  ClonedFunction clone;
  cloneWithParameters(blocks, {}, blocks.getReturnType(), name, clone);
  if (!sameProcessor) {
    clone.function->addFnAttr("target-cpu", wideProcessor);
    clone.function->addFnAttr("target-features", "-fma");
  }
  return clone.function;
}

/// Whether all descriptors with these `numbers` among the parameters of a launch are of arrays with plain strides.
static Value *arePlain(IRBuilder<> &builder, Value *parameters, ArrayRef<unsigned> numbers) {
  Value *all = builder.getInt32(-1);
  for (unsigned number : numbers) {
    Value *descriptor =
        builder.CreateLoad(builder.getPtrTy(), builder.CreateConstGEP1_32(builder.getPtrTy(), parameters, number));
    Value *place = builder.CreateConstGEP1_32(builder.getInt8Ty(), descriptor, CufortVersionOffset);
    all = builder.CreateAnd(all, builder.CreateAlignedLoad(builder.getInt32Ty(), place, Align(4), "version"));
  }
  static_assert(CUFORT_PLAIN_STRIDES == INT32_MIN, "one comparison finds it");
  return builder.CreateICmpSLT(all, builder.getInt32(0));
}

/// A function with the name and type of `narrow` that runs it or `wide`, for which the parameters with the numbers
/// `plain` have to be descriptors of arrays with plain strides.
static Function *createChoice(Function &narrow, Function &wide, ArrayRef<unsigned> plain, bool sameProcessor) {
  Module &module = *narrow.getParent();
  LLVMContext &context = module.getContext();
  Function *choice = Function::Create(narrow.getFunctionType(), narrow.getLinkage(), "", module);
  choice->takeName(&narrow);
  narrow.setName(choice->getName() + ".narrow");
  narrow.addFnAttr(rarelyRunAttribute);
  IRBuilder<> builder(BasicBlock::Create(context, "", choice));
  Value *useWide = arePlain(builder, choice->getArg(0), plain);
  if (!sameProcessor) {
    Value *hasWide = builder.CreateCall(module.getOrInsertFunction("cufortEmuHasWideVectors", builder.getInt32Ty()));
    useWide = builder.CreateAnd(builder.CreateIsNotNull(hasWide), useWide);
  }
  auto *runWide = BasicBlock::Create(context, "wide", choice),
       *runNarrow = BasicBlock::Create(context, "narrow", choice);
  builder.CreateCondBr(useWide, runWide, runNarrow);
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
  if (options.optLevel < 2 || !options.vectorize)
    return;
  bool sameProcessor = options.cpu != CodegenOptions().cpu;
  for (EmulatedKernel &kernel : kernels) {
    if (!kernel.blocks || kernel.flags & CufortEntryChecked)
      continue;
    Function *wide = createWide(*kernel.blocks, kernel.name + ".blocks.wide", sameProcessor);
    SmallVector<unsigned> plain = assumePlainStrides(*wide);
    if (sameProcessor && plain.empty()) {
      wide->eraseFromParent();
      continue;
    }
    if (kernel.instructions > manyInstructions && plain.empty())
      compileQuickly(*kernel.blocks);
    else if (kernel.instructions > manyInstructions)
      kernel.blocks->addFnAttr(compileBrieflyAttribute);
    kernel.blocks = createChoice(*kernel.blocks, *wide, plain, sameProcessor);
  }
}
