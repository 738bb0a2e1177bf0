// From linked device code to functions that libcufort_rt calls.
//
//   1. Device procedures are inlined into kernels, except recursive ones, and those that make them too long.
//   2. Loops that wait for another thread give the others a turn.
//   3. A kernel k(args...) becomes k.body(args..., identity...): who the thread is (threadIdx, blockIdx, blockDim,
//      gridDim, clusterDim, three components each) and where its block's shared memory is. Reads of identity in the
//      body are its parameters. What is left in other functions reads through cufortEmuThread.
//   4. k.thread(params) runs one thread: identity comes from cufortEmuThread.
//   5. k.blocks(params, range) runs whole blocks in loops over blocks and threads around the inlined body, or around
//      its phases if threads meet or have loops in strides of the grid (Phases.h). It does not exist for kernels that
//      wait for other threads in other ways. Loops are what LLVM vectorises.
//   6. k.resume(params, range, thread, phase, shared) runs the rest of one thread if those of its block part.

#include "codegen/DeviceLink/EmulatedModule.h"
#include "codegen/Conversion/CufxToEmulated/CufxToEmulated.h"
#include "codegen/Device/DeviceLLVM.h"
#include "codegen/DeviceLink/EmulatedLoops.h"
#include "codegen/DeviceLink/ExactPlaces.h"
#include "codegen/DeviceLink/LongProcedures.h"
#include "codegen/DeviceLink/LoopShares.h"
#include "codegen/DeviceLink/ParallelThreads.h"
#include "codegen/DeviceLink/PartialResults.h"
#include "codegen/DeviceLink/PhaseLoops.h"
#include "codegen/DeviceLink/SpinLoops.h"
#include "codegen/DeviceLink/WaitAnalysis.h"
#include "codegen/Support/CloneFunction.h"
#include "codegen/Support/LLVMPasses.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

bool isKernel(const Function &function) { return function.hasFnAttribute(kernelFunctionAttribute); }

/// Marks all device procedures that do not call themselves, directly or through others, for inlining.
void markForInlining(Module &module) {
  CallGraph graph(module);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component) {
    bool recursive = component.hasCycle();
    for (CallGraphNode *node : *component) {
      Function *function = node->getFunction();
      if (!function || function->isDeclaration() || isKernel(*function))
        continue;
      function->setLinkage(GlobalValue::InternalLinkage);
      if (recursive || isGridReduction(*function))
        continue;
      function->removeFnAttr(Attribute::NoInline);
      function->removeFnAttr(Attribute::OptimizeNone);
      function->addFnAttr(Attribute::AlwaysInline);
    }
  }
}

/// Gives each shared variable that `scope` uses a place in shared memory from `offset` on; returns the end.
/// `scope` is one kernel body, or null for the variables that functions outside kernels use.
class SharedLayout {
public:
  explicit SharedLayout(Module &module) : module(module) {
    SmallVector<Constant *> variables;
    for (GlobalVariable &global : module.globals())
      if (global.getAddressSpace() == sharedSpace)
        variables.push_back(&global);
    convertUsersOfConstantsToInstructions(variables);
    for (Constant *variable : variables)
      shared.push_back(cast<GlobalVariable>(variable));
  }

  /// Replaces the uses of shared variables in `function`; `base` and `dynamic` are its block's shared memory.
  uint64_t place(Function &function, Value *base, Value *dynamic, uint64_t offset) {
    for (GlobalVariable *variable : shared) {
      SmallVector<Use *> uses;
      for (Use &use : variable->uses())
        if (auto *user = dyn_cast<Instruction>(use.getUser()); user && user->getFunction() == &function)
          uses.push_back(&use);
      if (uses.empty())
        continue;
      bool isDynamic = variable->isDeclaration();
      uint64_t at = 0;
      if (!isDynamic) {
        at = alignTo(offset, variable->getAlign().valueOrOne());
        offset = at + module.getDataLayout().getTypeAllocSize(variable->getValueType());
      }
      replaceUses(uses, isDynamic ? dynamic : base, at, variable->getType());
    }
    return offset;
  }

  void eraseUnused() {
    for (GlobalVariable *variable : shared)
      if (variable->use_empty())
        variable->eraseFromParent();
  }

private:
  static constexpr unsigned sharedSpace = 3;

  void replaceUses(ArrayRef<Use *> uses, Value *base, uint64_t at, Type *type) {
    auto *definition = dyn_cast<Instruction>(base);
    Function *function = cast<Instruction>(uses.front()->getUser())->getFunction();
    IRBuilder<> builder(definition ? definition->getNextNode() : &*function->getEntryBlock().getFirstInsertionPt());
    Value *address = at ? builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, at) : base;
    address = builder.CreateAddrSpaceCast(address, type);
    for (Use *use : uses)
      use->set(address);
  }

  Module &module;
  SmallVector<GlobalVariable *> shared;
};

/// Loads the kernel's arguments from `parameters` as the launch passes them: one address each.
SmallVector<Value *> loadArguments(IRBuilder<> &builder, Function &body, unsigned count, Value *parameters) {
  SmallVector<Value *> arguments;
  for (unsigned i = 0; i < count; ++i) {
    Argument *argument = body.getArg(i);
    Value *address =
        builder.CreateLoad(builder.getPtrTy(), builder.CreateConstGEP1_32(builder.getPtrTy(), parameters, i));
    if (Type *byValue = argument->getParamByValType()) {
      // Kernels may change their copy: every thread gets its own.
      (void)byValue;
      arguments.push_back(address);
    } else {
      arguments.push_back(builder.CreateLoad(argument->getType(), address));
    }
  }
  return arguments;
}

/// Has parameters that are passed by value copied once for all threads, to where LLVM sees that no store changes them.
void keepCopies(IRBuilder<> &builder, Function &body, MutableArrayRef<Value *> arguments) {
  const DataLayout &layout = body.getDataLayout();
  for (auto [number, argument] : enumerate(arguments)) {
    Type *type = body.getArg(number)->getParamByValType();
    if (!type)
      continue;
    Align align = std::max(body.getArg(number)->getParamAlign().valueOrOne(), layout.getABITypeAlign(type));
    AllocaInst *copy = builder.CreateAlloca(type);
    copy->setAlignment(align);
    builder.CreateMemCpy(copy, align, argument, body.getArg(number)->getParamAlign(), layout.getTypeAllocSize(type));
    argument = copy;
  }
}

CallInst *callBody(IRBuilder<> &builder, Function &body, ArrayRef<Value *> arguments) {
  CallInst *call = builder.CreateCall(&body, arguments);
  for (Argument &argument : body.args())
    if (Type *type = argument.getParamByValType()) {
      call->addParamAttr(argument.getArgNo(), Attribute::getWithByValType(body.getContext(), type));
      if (MaybeAlign align = argument.getParamAlign())
        call->addParamAttr(argument.getArgNo(), Attribute::getWithAlignment(body.getContext(), *align));
    }
  return call;
}

/// The procedures outside kernels that read through cufortEmuThread who the thread is.
class IdentityReaders {
public:
  void add(Function &procedure) { readers.insert(&procedure); }

  /// True if `kernel`, or what it calls, calls one of them.
  bool mayBeCalledBy(Function &kernel) const {
    SetVector<Function *> functions;
    functions.insert(&kernel);
    for (unsigned i = 0; i < functions.size() && !readers.empty(); ++i)
      for (Instruction &instruction : instructions(functions[i])) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || call->isInlineAsm())
          continue;
        Function *callee = call->getCalledFunction();
        if (!callee || readers.contains(callee))
          return true;
        functions.insert(callee);
      }
    return false;
  }

private:
  DenseSet<Function *> readers;
};

/// Of a kernel, from which on its `resume` is compiled quickly.
constexpr unsigned manyInstructions = 100;

class KernelBuilder {
public:
  KernelBuilder(Module &module, SharedLayout &layout, WaitAnalysis &waitAnalysis, uint64_t commonShared,
                const IdentityReaders &readers)
      : module(module), layout(layout), waitAnalysis(waitAnalysis), commonShared(commonShared), readers(readers) {}

  EmulatedKernel build(Function &kernel) {
    EmulatedKernel result;
    result.name = kernel.getName().str();
    unsigned count = kernel.arg_size();
    for (Argument &argument : kernel.args()) {
      Type *type = argument.getParamByValType() ? argument.getParamByValType() : argument.getType();
      result.parameterSizes.push_back(module.getDataLayout().getTypeAllocSize(type));
    }
    if (Attribute limit = kernel.getFnAttribute(maxThreadsFunctionAttribute); limit.isValid())
      limit.getValueAsString().getAsInteger(10, result.maxThreads);
    if (Attribute cluster = kernel.getFnAttribute(clusterFunctionAttribute); cluster.isValid()) {
      StringRef rest = cluster.getValueAsString();
      for (uint32_t &extent : result.clusterDim)
        rest.consumeInteger(10, extent), rest.consume_front(",");
    }

    if (waitsInLoops(kernel))
      result.flags |= CufortEntryWaits;
    if (module.getFunction("cufortEmuSharedAccess"))
      result.flags |= CufortEntryChecked;
    Waiting waiting = waitAnalysis.waitingOf(kernel);
    calleesReadIdentity = readers.mayBeCalledBy(kernel);
    bool onlyShares = waiting == Waiting::Never && onlySharesLoops(kernel);
    bool runsInBoxes = onlyShares && !calleesReadIdentity;
    bool sharesInStrides = !onlyShares || calleesReadIdentity;
    Function *body = createBody(kernel, result.staticSharedBytes, sharesInStrides);
    // Before it is copied: what is simpler once is simpler in every copy. Checks are for the accesses as they stand.
    if (!(result.flags & CufortEntryChecked))
      simplifyFunction(*body);
    result.instructions = body->getInstructionCount();
    allowReductionsInAnyOrder(*body);
    markExactPlaces(*body, count);
    result.thread = createThread(*body, count, result.name);
    if (waiting == Waiting::InMeetings || (waiting == Waiting::Never && !runsInBoxes && mayHaveRounds(*body)))
      createPhases(*body, count, waiting == Waiting::InMeetings, result);
    if (waiting == Waiting::Never && !result.blocks)
      result.blocks = createBlocks(*body, count, result.name, runsInBoxes);
    if (result.blocks && !(result.flags & CufortEntryChecked))
      compileQuickly(*result.thread);
    if (result.resume && result.instructions > manyInstructions)
      compileQuickly(*result.resume);
    kernel.eraseFromParent();
    return result;
  }

private:
  /// k.body: the kernel with the thread's identity as further parameters.
  Function *createBody(Function &kernel, uint32_t &sharedBytes, bool sharesInStrides) {
    ClonedFunction clone;
    cloneWithParameters(kernel, identityTypes(module.getContext()), kernel.getReturnType(), kernel.getName() + ".body",
                        clone);
    Function *body = clone.function;
    body->setCallingConv(CallingConv::C);
    body->removeFnAttr(kernelFunctionAttribute);
    body->removeFnAttr(Attribute::NoInline);
    body->addFnAttr(Attribute::AlwaysInline);
    unsigned first = kernel.arg_size();
    replaceIdentityReads(*body, [&](unsigned index, IRBuilder<> &) { return body->getArg(first + index); });
    SmallVector<Value *> identity;
    for (Argument &argument : drop_begin(body->args(), first))
      identity.push_back(&argument);
    storeIdentityBeforeTraps(*body, identity);
    computeShares(*body, first, sharesInStrides);
    uint64_t end = layout.place(*body, body->getArg(first + IdentitySharedBase),
                                body->getArg(first + IdentityDynamicShared), commonShared);
    sharedBytes = alignTo(end, 16);
    return body;
  }

  Function *createThread(Function &body, unsigned count, StringRef name) {
    Function *thread = createEntry({PointerType::get(module.getContext(), 0)}, name + ".thread", body);
    IRBuilder<> builder(module.getContext());
    startEntry(builder, *thread);
    SmallVector<Value *> arguments = loadArguments(builder, body, count, thread->getArg(0));
    append_range(arguments, loadIdentity(builder, loadCurrentThread(builder)));
    callBody(builder, body, arguments);
    builder.CreateRetVoid();
    return thread;
  }

  Function *createEntry(ArrayRef<Type *> types, const Twine &name, Function &body) {
    auto *type = FunctionType::get(Type::getVoidTy(module.getContext()), types, false);
    Function *entry = Function::Create(type, GlobalValue::InternalLinkage, name, module);
    if (DISubprogram *lines = body.getSubprogram())
      entry->setSubprogram(MDNode::replaceWithDistinct(lines->clone()));
    return entry;
  }

  /// What an entry does around the body has the line of the kernel's declaration. Lines of calls that are inlined
  /// without a line of their own would be lost.
  static void startEntry(IRBuilder<> &builder, Function &entry) {
    builder.SetInsertPoint(BasicBlock::Create(entry.getContext(), "", &entry));
    if (DISubprogram *lines = entry.getSubprogram())
      builder.SetCurrentDebugLocation(DILocation::get(entry.getContext(), lines->getLine(), 0, lines));
  }

  /// With `inBoxes`, one call of the body stands for all threads of neighbouring blocks.
  /// Otherwise, neighbouring blocks in x are one row of threads if they know no better.
  Function *createBlocks(Function &body, unsigned count, StringRef name, bool inBoxes) {
    bool inRows = !inBoxes && !calleesReadIdentity && onlyKnowsPlaceInRow(body, count);
    auto *pointer = PointerType::get(module.getContext(), 0);
    Function *blocks = createEntry({pointer, pointer}, name + ".blocks", body);
    IRBuilder<> builder(module.getContext());
    startEntry(builder, *blocks);
    SmallVector<Value *> arguments = loadArguments(builder, body, count, blocks->getArg(0));
    keepCopies(builder, body, arguments);
    MDNode *accesses = markAccessesOfThread(body);
    PartialResults partialResults;
    Function *collecting = partialResults.collectIn(body);
    SmallVector<Value *> partials = partialResults.begin(builder);
    auto runThread = [&](ArrayRef<Value *> identity) {
      SmallVector<Value *> all(arguments);
      append_range(all, identity);
      append_range(all, partials);
      callBody(builder, *collecting, all);
    };
    if (inBoxes)
      createBoxLoop(builder, blocks->getArg(1), runThread);
    else
      (inRows ? createRowLoop : createBlockLoop)(builder, blocks->getArg(1), [&](const EmulatedBlock &block) {
        createThreadLoops(builder, block, calleesReadIdentity, accesses,
                          [&](ArrayRef<Value *> identity, Value *) { runThread(identity); });
      });
    partialResults.end(builder);
    builder.CreateRetVoid();
    return blocks;
  }

  /// Partial results of reductions are for loops over threads.
  static bool mayHaveRounds(Function &body) {
    DominatorTree tree(body);
    return !LoopInfo(tree).empty() && reductionsIn(body).empty();
  }

  void createPhases(Function &body, unsigned count, bool hasMeetings, EmulatedKernel &kernel) {
    std::optional<Phases> phases = splitIntoPhases(body, count, hasMeetings);
    if (!phases)
      return;
    auto *pointer = PointerType::get(module.getContext(), 0);
    kernel.blocks = createEntry({pointer, pointer}, kernel.name + ".blocks", body);
    IRBuilder<> builder(module.getContext());
    startEntry(builder, *kernel.blocks);
    SmallVector<Value *> arguments = loadArguments(builder, body, count, kernel.blocks->getArg(0));
    keepCopies(builder, body, arguments);
    createPhaseLoops(builder, *phases, kernel.blocks->getArg(1), arguments, calleesReadIdentity);
    builder.CreateRetVoid();
    kernel.resume = createResume(body, count, *phases, kernel.name);
    kernel.phaseBytes = phases->bytes;
  }

  Function *createResume(Function &body, unsigned count, const Phases &phases, StringRef name) {
    LLVMContext &context = module.getContext();
    auto *pointer = PointerType::get(context, 0);
    Type *i64 = Type::getInt64Ty(context), *i32 = Type::getInt32Ty(context);
    Function *resume = createEntry({pointer, pointer, i64, i32, pointer}, name + ".resume", body);
    IRBuilder<> builder(module.getContext());
    startEntry(builder, *resume);
    SmallVector<Value *> arguments = loadArguments(builder, body, count, resume->getArg(0));
    append_range(arguments, loadIdentity(builder, loadCurrentThread(builder)));
    append_range(arguments,
                 createResumeArguments(builder, phases, resume->getArg(1), resume->getArg(2), resume->getArg(4)));
    arguments.push_back(resume->getArg(3));
    builder.CreateCall(phases.resume, arguments);
    builder.CreateRetVoid();
    return resume;
  }

  Module &module;
  SharedLayout &layout;
  WaitAnalysis &waitAnalysis;
  uint64_t commonShared;
  const IdentityReaders &readers;
  bool calleesReadIdentity = false; ///< of the kernel that is being built
};

/// Lets LLVM know that nothing comes behind a trap: behind thousands of checks it would take each for undecided. Calls
/// on different lines stay apart.
void endAtTraps(Module &module) {
  Function *trap = module.getFunction("cufortEmuTrap");
  if (!trap)
    return;
  for (Attribute::AttrKind attribute : {Attribute::NoReturn, Attribute::NoMerge, Attribute::Cold})
    trap->addFnAttr(attribute);
}

} // namespace

std::vector<EmulatedKernel> cufort::codegen::prepareEmulatedModule(Module &module) {
  markForInlining(module);
  keepLongProceduresOutside(module);
  inlineMarkedFunctions(module);
  yieldInSpinLoops(module);

  SmallVector<Function *> kernels, procedures;
  for (Function &function : module)
    if (!function.isDeclaration())
      (isKernel(function) ? kernels : procedures).push_back(&function);

  // What stayed outside kernels reads identity through memory, and shares one part of shared memory.
  SharedLayout layout(module);
  uint64_t commonShared = 0;
  IdentityReaders readers;
  for (Function *procedure : procedures) {
    bool reads = replaceIdentityReads(*procedure, [&](unsigned index, IRBuilder<> &builder) {
      return loadIdentityField(builder, loadCurrentThread(builder), index);
    });
    IRBuilder<> builder(&*procedure->getEntryBlock().getFirstInsertionPt());
    Value *thread = loadCurrentThread(builder);
    Value *base = loadIdentityField(builder, thread, IdentitySharedBase);
    Value *dynamic = loadIdentityField(builder, thread, IdentityDynamicShared);
    commonShared = layout.place(*procedure, base, dynamic, commonShared);
    if (reads || !trapsOf(*procedure).empty())
      readers.add(*procedure);
  }

  WaitAnalysis waitAnalysis;
  KernelBuilder kernelBuilder(module, layout, waitAnalysis, commonShared, readers);
  std::vector<EmulatedKernel> result;
  for (Function *kernel : kernels)
    result.push_back(kernelBuilder.build(*kernel));
  layout.eraseUnused();
  endAtTraps(module);
  // A large frame must not step over the guard area of its stack.
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("probe-stack", "inline-asm");
  return result;
}
