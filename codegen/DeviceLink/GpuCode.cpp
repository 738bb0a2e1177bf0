// From linked device code to PTX, and through ptxas to machine code.

#include "codegen/DeviceLink/GpuCode.h"
#include "codegen/Device/DeviceLLVM.h"
#include "codegen/Device/FloatingPoint.h"
#include "codegen/Device/Libdevice.h"
#include "codegen/Device/StackBuffers.h"
#include "codegen/DeviceLink/AbsoluteDifferences.h"
#include "codegen/DeviceLink/AddressChains.h"
#include "codegen/DeviceLink/AlignedVersions.h"
#include "codegen/DeviceLink/ArrayOrigins.h"
#include "codegen/DeviceLink/AtomicExtremes.h"
#include "codegen/DeviceLink/BehindGuards.h"
#include "codegen/DeviceLink/BitOperations.h"
#include "codegen/DeviceLink/BlockPairs.h"
#include "codegen/DeviceLink/BlockVersions.h"
#include "codegen/DeviceLink/CarriedElements.h"
#include "codegen/DeviceLink/ClampedShifts.h"
#include "codegen/DeviceLink/CommonLoads.h"
#include "codegen/DeviceLink/Complements.h"
#include "codegen/DeviceLink/ContiguousVersions.h"
#include "codegen/DeviceLink/CountedLoops.h"
#include "codegen/DeviceLink/DataAlignment.h"
#include "codegen/DeviceLink/DoubleSelections.h"
#include "codegen/DeviceLink/EarlyLoads.h"
#include "codegen/DeviceLink/Extremes.h"
#include "codegen/DeviceLink/FoldTruncations.h"
#include "codegen/DeviceLink/GridReductions.h"
#include "codegen/DeviceLink/HostValues.h"
#include "codegen/DeviceLink/IndexedArrays.h"
#include "codegen/DeviceLink/JoinedLoops.h"
#include "codegen/DeviceLink/JoinedStores.h"
#include "codegen/DeviceLink/KnownAlignments.h"
#include "codegen/DeviceLink/LateStores.h"
#include "codegen/DeviceLink/LeanForms.h"
#include "codegen/DeviceLink/LoadedSubscripts.h"
#include "codegen/DeviceLink/LoadsAhead.h"
#include "codegen/DeviceLink/LoadsBeforeDivisions.h"
#include "codegen/DeviceLink/LoadsInRounds.h"
#include "codegen/DeviceLink/LocalNests.h"
#include "codegen/DeviceLink/LocalStores.h"
#include "codegen/DeviceLink/LongModulo.h"
#include "codegen/DeviceLink/LongRounds.h"
#include "codegen/DeviceLink/LoopHeaders.h"
#include "codegen/DeviceLink/MaskedModulo.h"
#include "codegen/DeviceLink/MatrixAddresses.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "codegen/DeviceLink/ModuleArrays.h"
#include "codegen/DeviceLink/NarrowComparisons.h"
#include "codegen/DeviceLink/NarrowRows.h"
#include "codegen/DeviceLink/NarrowStores.h"
#include "codegen/DeviceLink/NeighbourLoads.h"
#include "codegen/DeviceLink/NextRemainders.h"
#include "codegen/DeviceLink/OneLatch.h"
#include "codegen/DeviceLink/PartialJoins.h"
#include "codegen/DeviceLink/PeriodicPlaces.h"
#include "codegen/DeviceLink/ReadOnlyArrays.h"
#include "codegen/DeviceLink/RemainderLoops.h"
#include "codegen/DeviceLink/RepeatedPlaces.h"
#include "codegen/DeviceLink/RotatingPlaces.h"
#include "codegen/DeviceLink/Rotations.h"
#include "codegen/DeviceLink/RoundCounts.h"
#include "codegen/DeviceLink/Roundings.h"
#include "codegen/DeviceLink/RowVersions.h"
#include "codegen/DeviceLink/SameShapes.h"
#include "codegen/DeviceLink/SameStrides.h"
#include "codegen/DeviceLink/SectionExtents.h"
#include "codegen/DeviceLink/SeparateCases.h"
#include "codegen/DeviceLink/SeveredStores.h"
#include "codegen/DeviceLink/SharedDivisors.h"
#include "codegen/DeviceLink/SharedExtensions.h"
#include "codegen/DeviceLink/SharedPlaces.h"
#include "codegen/DeviceLink/ShortConversions.h"
#include "codegen/DeviceLink/ShortLoops.h"
#include "codegen/DeviceLink/ShortWays.h"
#include "codegen/DeviceLink/SinesAndCosines.h"
#include "codegen/DeviceLink/SteppedLoops.h"
#include "codegen/DeviceLink/StoredOnce.h"
#include "codegen/DeviceLink/StraightRounds.h"
#include "codegen/DeviceLink/SubscriptSums.h"
#include "codegen/DeviceLink/ThreadPlaces.h"
#include "codegen/DeviceLink/VectorAtomics.h"
#include "codegen/DeviceLink/WideChoices.h"
#include "codegen/DeviceLink/WideVariables.h"
#include "codegen/DeviceLink/WindowLoops.h"
#include "codegen/Support/LLVMPasses.h"
#include "codegen/Support/SourceName.h"
#include "codegen/Support/Targets.h"
#include "mlir-dialects/Cufx/IR/ComputeCapabilities.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace cufort;
using namespace cufort::codegen;

/// Kernels and device variables are what the host asks for by name; everything else may be inlined away.
static bool isVisibleToHost(const GlobalValue &value) {
  if (const auto *function = dyn_cast<Function>(&value))
    return function->getCallingConv() == CallingConv::PTX_Kernel;
  return value.isDeclaration() || (value.getAddressSpace() != 3 && !value.hasLinkOnceLinkage());
}

/// The first procedure that uses `value`, for a message; empty if there is none.
static std::string procedureWith(const Value &value) {
  for (const User *user : value.users()) {
    const auto *instruction = dyn_cast<Instruction>(user);
    std::string name = instruction ? procedureName(instruction->getFunction()->getName())
                       : isa<Constant>(user) && !isa<GlobalValue>(user) ? procedureWith(*user)
                                                                        : "";
    if (!name.empty())
      return name;
  }
  return "";
}

/// What needs `value`, which nothing defines.
static std::string needOf(const Value &value) {
  std::string procedure = procedureWith(value);
  return procedure.empty() ? "" : ", needed in " + procedure;
}

/// Names that the program leaves undefined cannot be resolved when the GPU loads the code.
static Error checkDefined(const Module &module) {
  for (const Function &function : module) {
    StringRef name = function.getName();
    bool known = function.isIntrinsic() || name == "vprintf" || name == "malloc" || name == "free";
    if (function.isDeclaration() && !function.use_empty() && !known)
      return createStringError("undefined device procedure '" + sourceName(name) + "'" + needOf(function) +
                               ": link the file that defines it, or it is not supported in device code");
  }
  for (const GlobalVariable &global : module.globals())
    if (global.isDeclaration() && !global.use_empty() && global.getAddressSpace() != 3)
      return createStringError("undefined device variable '" + sourceName(global.getName()) + "'" + needOf(global) +
                               ": link the file that defines it");
  return Error::success();
}

/// What a GPU of the target lacks, which LLVM cannot say: sources may have been compiled for others.
static Error checkArchitecture(const Module &module, const GpuTarget &target) {
  for (const Function &function : module) {
    StringRef name = function.getName();
    if (!name.consume_front("llvm.nvvm.wmma.") || function.use_empty())
      continue;
    bool isDouble = name.starts_with("m8n8k4.");
    unsigned first = isDouble ? cufx::firstWithDoubleMatrices : cufx::firstWithHalfMatrices;
    if (target.arch < first)
      return createStringError(std::string("submatrices of ") + (isDouble ? "real(8)" : "real(2)") +
                               " need compute capability " + std::to_string(first / 10) +
                               ".0, and device code is made for " + target.name() + "; choose GPUs with -gpu=cc" +
                               std::to_string(first));
  }
  return Error::success();
}

/// Takes first rounds out of loops where that decides conditions in the other rounds. LLVM does it when it unrolls
/// loops, which is too late for what depends on those conditions: an element that is loaded in all rounds but the first
/// may be what the round before has stored.
static LoopUnrollPass peelRounds() {
  return LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/3)
                            .setPartial(false)
                            .setRuntime(false)
                            .setUpperBound(false)
                            .setPeeling(true)
                            .setProfileBasedPeeling(false));
}

static void extendOptimisation(PassBuilder &builder, bool unroll, bool useLaunches) {
  builder.registerPipelineStartEPCallback([=](ModulePassManager &passes, OptimizationLevel) {
    if (useLaunches)
      passes.addPass(RowVersions());
    FunctionPassManager first;
    first.addPass(OneLatch());
    first.addPass(SROAPass(SROAOptions::ModifyCFG));
    first.addPass(ShortConversions());
    first.addPass(SinesAndCosines());
    first.addPass(SubscriptSums());
    first.addPass(FoldTruncations());
    first.addPass(ArrayOrigins());
    first.addPass(MaskedModulo());
    first.addPass(Rotations());
    first.addPass(NextRemainders());
    first.addPass(RoundCounts());
    first.addPass(WideVariables());
    first.addPass(ThreadPlaces());
    first.addPass(AtomicExtremes());
    first.addPass(Extremes());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(first)));
  });
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(SectionExtents()); });
  // After loops have been unrolled fully.
  builder.registerScalarOptimizerLateEPCallback([](FunctionPassManager &passes, OptimizationLevel) {
    passes.addPass(LocalStores());
    passes.addPass(ShortWays());
  });
  builder.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &passes, OptimizationLevel) { passes.addPass(LongRounds()); });
  // Procedures have been inlined: what they read may be what their callers read, too.
  builder.registerOptimizerEarlyEPCallback([](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
    passes.addPass(createModuleToFunctionPassAdaptor(NeighbourSums()));
  });
  if (useLaunches)
    builder.registerOptimizerEarlyEPCallback(
        [&builder](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
          passes.addPass(BlockVersions(builder, level));
        });
  // After loops have been rotated and unrolled fully, before those that remain are unrolled in part.
  builder.registerVectorizerStartEPCallback([=](FunctionPassManager &passes, OptimizationLevel) {
    passes.addPass(JoinedStores());
    passes.addPass(StoredOnce());
    if (unroll) {
      passes.addPass(LoopSimplifyPass());
      passes.addPass(LCSSAPass());
      passes.addPass(WindowLoops());
      passes.addPass(peelRounds());
    }
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
    passes.addPass(CarriedElements());
    passes.addPass(UnreadElements());
    passes.addPass(PeriodicPlaces());
    passes.addPass(StraightRounds());
    passes.addPass(LoopSimplifyPass());
    passes.addPass(JoinedLoops());
    passes.addPass(LCSSAPass());
    passes.addPass(SteppedLoops(unroll));
    passes.addPass(LoopSimplifyPass());
    if (unroll) {
      passes.addPass(LCSSAPass());
      passes.addPass(LocalNests());
      passes.addPass(CountedLoops(/*unroll=*/false));
      passes.addPass(LCSSAPass());
      passes.addPass(RotatingPlaces());
    }
    passes.addPass(CountedLoops(unroll));
    passes.addPass(LongModulo());
    if (unroll) {
      passes.addPass(ShortLoops());
      passes.addPass(MarkLoopHeaders());
    }
  });
  if (unroll)
    builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
      FunctionPassManager last;
      last.addPass(RemoveMarks());
      last.addPass(LoopSimplifyPass());
      last.addPass(RemainderLoops());
      last.addPass(InstCombinePass());
      last.addPass(SimplifyCFGPass());
      passes.addPass(createModuleToFunctionPassAdaptor(std::move(last)));
    });
}

/// Says whether LLVM may compute square roots that a program does not reach. It takes them for cheap, but a root that
/// is rounded correctly calls a procedure for what is not an ordinary positive number, which is often what was
/// excluded.
static void setSpeculatable(Module &module, bool is) {
  constexpr Intrinsic::ID roots[] = {Intrinsic::sqrt, Intrinsic::nvvm_sqrt_f, Intrinsic::nvvm_sqrt_rn_f,
                                     Intrinsic::nvvm_sqrt_rn_d};
  for (Function &function : module)
    if (is_contained(roots, function.getIntrinsicID()))
      is ? function.addFnAttr(Attribute::Speculatable) : function.removeFnAttr(Attribute::Speculatable);
}

/// Adds to `versions` those for arrays with plain strides, and returns true, if there are any.
static bool addContiguousVersions(Function &function, std::vector<KernelVersion> &versions) {
  std::optional<KernelVersion> contiguous = createContiguousVersion(function);
  if (!contiguous)
    return false;
  std::vector<KernelVersion> plain;
  for (KernelVersion &same : createSameStridesVersions(*contiguous))
    plain.push_back(std::move(same));
  plain.push_back(std::move(*contiguous));
  for (KernelVersion &version : plain) {
    for (KernelVersion &aligned : createAlignedVersions(*version.function)) {
      aligned.condition.require(version.condition);
      forgetFactors(*aligned.function);
      versions.push_back(std::move(aligned));
    }
    forgetFactors(*version.function);
    versions.push_back(std::move(version));
  }
  return true;
}

/// The same for arrays of modules.
static void addSameShapesVersions(Function &function, std::vector<KernelVersion> &versions) {
  versions = createSameShapesVersions(function);
  std::vector<KernelVersion> aligned = createAlignedVersions(versions.empty() ? function : *versions.front().function);
  for (KernelVersion &version : aligned)
    if (!versions.empty())
      version.condition.require(versions.front().condition);
  versions.insert(versions.begin(), std::make_move_iterator(aligned.begin()), std::make_move_iterator(aligned.end()));
}

/// Adds versions of `function`, the kernel `name` or its version for launches as `known` says, for what arrays usually
/// are like. Those come first of which most is known.
static void addVersions(Function &function, StringRef name, const LaunchCondition &known,
                        std::vector<KernelVersion> &versions) {
  std::vector<KernelVersion> added;
  if (!addContiguousVersions(function, added))
    addSameShapesVersions(function, added);
  for (KernelVersion &version : added) {
    version.kernel = name.str();
    version.condition.require(known);
    versions.push_back(std::move(version));
  }
}

static SmallVector<Function *> kernelsOf(Module &module) {
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel && !function.isDeclaration())
      kernels.push_back(&function);
  return kernels;
}

/// Gives kernels versions, and returns them in the order in which launches are to try them.
static std::vector<KernelVersion> createVersions(Module &module) {
  StringMap<KernelVersion> forBlocks = blockVersions(module), forRows = rowVersions(module);
  SmallPtrSet<const Function *, 8> copies;
  for (const auto *found : {&forBlocks, &forRows})
    for (const auto &[name, version] : *found)
      copies.insert(version.function);
  SmallVector<Function *> kernels = kernelsOf(module);
  erase_if(kernels, [&](const Function *kernel) { return copies.contains(kernel); });
  std::vector<KernelVersion> versions;
  auto add = [&](Function &function, StringRef name, const LaunchCondition &condition) {
    addVersions(function, name, condition, versions);
    versions.push_back({name.str(), &function, condition});
  };
  for (Function *kernel : kernels) {
    StringRef name = kernel->getName();
    if (auto row = forRows.find(name); row != forRows.end()) {
      // The blocks that a program is known to use are enough.
      if (auto block = forBlocks.find(row->second.function->getName()); block != forBlocks.end()) {
        row->second.function->eraseFromParent();
        block->second.condition.require(row->second.condition);
        row->second = std::move(block->second);
      }
      add(*row->second.function, name, row->second.condition);
    }
    if (auto block = forBlocks.find(name); block != forBlocks.end())
      add(*block->second.function, name, block->second.condition);
    addVersions(*kernel, name, {}, versions);
  }
  return versions;
}

/// Has the host calculate for `versions`, and adds some for kernels that have none.
static void addHostValues(Module &module, std::vector<KernelVersion> &versions) {
  StringSet<> have;
  for (KernelVersion &version : versions) {
    calculateOnHost(version);
    have.insert(version.kernel);
    have.insert(version.function->getName());
  }
  for (Function *kernel : kernelsOf(module)) {
    if (have.contains(kernel->getName()))
      continue;
    if (auto version = createHostValuesVersion(*kernel))
      versions.push_back(std::move(*version));
  }
}

/// Gives the code of `result`, which `module` has, alternatives with blocks in pairs, and with loads a round ahead,
/// where `mayHave` says so.
static void addOtherOrders(Module &module, GpuCode &result, function_ref<bool(StringRef)> mayHave) {
  std::vector<CodeVersion> versions;
  auto addAlternative = [&](const std::string &kernel, const Function &alternative) -> CodeVersion & {
    CodeVersion &version = versions.emplace_back();
    version.kernel = kernel;
    version.symbol = alternative.getName().str();
    version.isAlternative = true;
    result.special.insert(version.symbol);
    return version;
  };
  auto add = [&](const std::string &kernel, StringRef code) {
    Function &function = *module.getFunction(code);
    if (!mayHave(code))
      return;
    if (std::optional<PairsOfBlocks> pairs = createPairsOfBlocks(function)) {
      CodeVersion &version = addAlternative(kernel, *pairs->function);
      version.pairedAxis = pairs->axis;
      version.parameters = static_cast<uint16_t>(function.arg_size());
    }
    if (Function *ahead = createLoadsAhead(function))
      addAlternative(kernel, *ahead);
  };
  for (Function *kernel : kernelsOf(module))
    if (!result.special.contains(kernel->getName()))
      add(kernel->getName().str(), kernel->getName());
  for (CodeVersion &version : result.versions) {
    std::string kernel = version.kernel, symbol = version.symbol;
    versions.push_back(std::move(version));
    add(kernel, symbol);
  }
  result.versions = std::move(versions);
}

/// The last passes before the back end: addresses of memory, and what ptxas makes good code of. Returns true if kernels
/// have lean forms then, which those may that `mayHaveForms` says.
static bool computeAddresses(Module &module, const GpuTarget &target, function_ref<bool(StringRef)> mayHaveForms) {
  addLeanForms(module, mayHaveForms);
  FunctionPassManager last;
  last.addPass(VectorAtomics(target.arch));
  last.addPass(BehindGuards());
  last.addPass(NeighbourLoads());
  last.addPass(PartialJoins());
  last.addPass(SeparateCases());
  last.addPass(CorrelatedValuePropagationPass());
  last.addPass(Complements());
  last.addPass(SharedPlaces());
  last.addPass(LoopSimplifyPass());
  last.addPass(LCSSAPass());
  last.addPass(AddressChains());
  last.addPass(LeanCounters());
  last.addPass(ClampedShifts());
  last.addPass(BitOperations());
  last.addPass(AbsoluteDifferences());
  last.addPass(ModuleArrays());
  last.addPass(Roundings());
  last.addPass(DoubleSelections());
  last.addPass(LoadsBeforeDivisions());
  last.addPass(SharedDivisors());
  last.addPass(NarrowComparisons());
  last.addPass(SharedExtensions());
  last.addPass(NarrowRows());
  last.addPass(RepeatedPlaces());
  last.addPass(LoadedSubscripts());
  last.addPass(EarlyLoads());
  last.addPass(LoadsInRounds());
  last.addPass(WideChoices());
  last.addPass(NarrowStores());
  last.addPass(IndexedArrays());
  runOnFunctions(module, std::move(last));
  return dropEqualForms(module);
}

static Expected<std::string> emitPTX(Module &module, TargetMachine &machine, bool sink = true) {
  auto emitted = emitModule(module, machine, CodeGenFileType::AssemblyFile, {/*reduceStrength=*/false, sink});
  if (!emitted)
    return emitted.takeError();
  return std::string(emitted->data(), emitted->size());
}

/// Adds the PTX of `code` to `result`.
static Expected<GpuCode> emitForms(std::unique_ptr<Module> code, bool hasLeanForms, const CodegenOptions &options,
                                   const GpuTarget &target, GpuCode result) {
  auto made = usesVectorAtomics(*code) ? createGpuMachine(options, target, ptxWithVectorAtomics)
                                       : createGpuMachine(options, target);
  if (!made)
    return made.takeError();
  std::shared_ptr<TargetMachine> machine = std::move(*made);
  std::shared_ptr<Module> forms = std::move(code);
  auto usualForms = [=] { return withOneForm(*forms, [](StringRef) { return false; }); };
  if (!result.running.empty())
    result.withoutSinking = [=] { return emitPTX(*usualForms(), *machine, /*sink=*/false); };
  auto usual = emitPTX(hasLeanForms || result.withoutSinking ? *usualForms() : *forms, *machine);
  if (!usual)
    return usual.takeError();
  result.ptx = std::move(*usual);
  if (!hasLeanForms)
    return std::move(result);
  result.leanForms = [=] { return emitPTX(*withLeanFormsOnly(*forms), *machine); };
  result.withLeanForms = [=](const StringSet<> &kernels) {
    return emitPTX(*withOneForm(*forms, [&](StringRef kernel) { return kernels.contains(kernel); }), *machine);
  };
  return std::move(result);
}

Expected<GpuCode> cufort::codegen::generatePTX(const Module &module, const CodegenOptions &settings,
                                               const GpuTarget &target) {
  std::unique_ptr<Module> code = CloneModule(module);
  const CodegenOptions options = applyFloatingPoint(*code, settings);
  auto machine = createGpuMachine(options, target);
  if (!machine)
    return machine.takeError();
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  joinGridReductions(*code);
  declareSinesWithCosines(*code);
  if (Error error = linkDeviceLibraries(*code, options.deviceLibraryDir, "nvptx"))
    return std::move(error);
  if (Error error = linkLibdevice(*code, options, target.arch))
    return std::move(error);
  normaliseDeviceFunctions(*code);
  answerForLimitedStack(*code);
  if (Error error = checkDefined(*code))
    return std::move(error);
  if (Error error = checkArchitecture(*code, target))
    return std::move(error);
  if (options.flushDenormals)
    code->setModuleFlag(Module::Override, "nvvm-reflect-ftz", 1u);
  internalizeModule(*code, isVisibleToHost);
  placeDescriptors(*code);
  alignData(*code);
  for (Function &function : *code) {
    if (options.flushDenormals)
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    if (options.maxRegisters && function.getCallingConv() == CallingConv::PTX_Kernel)
      function.addFnAttr("nvvm.maxnreg", std::to_string(options.maxRegisters));
  }
  setSpeculatable(*code, false);
  // Small arrays of a thread are registers only where their subscripts are constants, so that loops are unrolled that
  // are longer than what pays on a CPU.
  constexpr unsigned largestFullUnroll = 800;
  Optimisation optimisation = {options.optLevel == 0 ? 1u : 3u, /*vectorize=*/true, options.unrollDevice};
  if (options.optLevel > 0)
    optimisation.largestFullUnroll = largestFullUnroll;
  optimiseModule(*code, **machine, optimisation, [&](PassBuilder &builder) {
    extendOptimisation(builder, options.unrollDevice, options.optLevel > 1);
  });
  setSpeculatable(*code, true);
  // Now that procedures have been inlined, addresses lead to where they come from.
  nameMatrixAddressSpaces(*code);
  FunctionPassManager accesses;
  accesses.addPass(UnrolledSums());
  accesses.addPass(CommonLoads());
  accesses.addPass(SeveredStores());
  accesses.addPass(LateStores());
  runOnFunctions(*code, std::move(accesses));
  markReadOnlyLoads(*code);
  noteKnownAlignments(*code);
  std::vector<KernelVersion> versions = createVersions(*code);
  if (options.optLevel > 1)
    addHostValues(*code, versions);
  GpuCode result;
  for (const KernelVersion &version : versions) {
    result.versions.push_back(describeVersion(version));
    result.usual.try_emplace(version.kernel, version.function->getName().str());
    result.special.insert(version.function->getName());
  }
  auto usuallyRuns = [&](StringRef name) {
    return any_of(result.usual, [&](const auto &usual) { return usual.second == name; }) ||
           (!result.special.contains(name) && !result.usual.contains(name));
  };
  bool canChoose = options.optLevel == 3 && !options.maxRegisters;
  addOtherOrders(*code, result, [&](StringRef name) { return options.optLevel == 3 && usuallyRuns(name); });
  bool hasLeanForms = computeAddresses(*code, target, [&](StringRef name) { return canChoose && usuallyRuns(name); });
  if (options.optLevel == 3) {
    result.waiting = kernelsThatWaitForMemory(*code);
    result.ofLoops = kernelsOfLoops(*code);
    for (const auto &[kernel, shape] : kernelsWithChoice(*code))
      if (canChoose && usuallyRuns(kernel))
        result.running[kernel] = shape;
  }
  return emitForms(std::move(code), hasLeanForms, options, target, std::move(result));
}
